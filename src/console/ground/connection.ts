import { createStore } from "./store.ts";

/** Whether the last word from the server came; the banner of the shell follows it and asks again until it does. */
export const connection = createStore<"open" | "lost">("open");

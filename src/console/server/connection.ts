import { createStore } from "./store.ts";

/** Whether the last word from the server came; the banner of the shell follows it and asks again until it does. */
export const connection = createStore<"open" | "lost">("open");

/** "gone": the program was updated while this page was open, and what the page still lacks of its own code is not served any more. */
export const ownCode = createStore<"served" | "gone">("served");

export const isReached = (): Promise<boolean> =>
  fetch("/healthz", { cache: "no-store" }).then(
    (response) => response.ok,
    () => false,
  );

import { createStore } from "./store.ts";

/** Whether the last request reached the server. While it is lost, the shell's banner keeps retrying. */
export const connection = createStore<"open" | "lost">("open");

/** "gone": the program was updated while this page was open; code that the page has not loaded yet is no longer served. */
export const ownCode = createStore<"served" | "gone">("served");

export const isReached = (): Promise<boolean> =>
  fetch("/healthz", { cache: "no-store" }).then(
    (response) => response.ok,
    () => false,
  );

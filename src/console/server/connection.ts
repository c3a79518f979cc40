import { createStore } from "./store.ts";

/** Lost from the first request that does not reach the server until the shell's banner, which keeps asking, has reached it: everything is read again then. */
export const connection = createStore<"open" | "lost">("open");

/** "gone": the program was updated while this page was open; code that the page has not loaded yet is no longer served. */
export const ownCode = createStore<"served" | "gone">("served");

export const isReached = (): Promise<boolean> =>
  fetch("/healthz", { cache: "no-store" }).then(
    (response) => response.ok,
    () => false,
  );

import { createStore } from "./store.ts";

/**
 * A sign-in lasts some hours and may end while a form is half filled. Whoever is refused waits here, the shell asks for
 * the password in a window above the page, and then everybody goes on.
 */
export const signInGate = createStore<(() => void)[]>([]);

export const signInAgain = (): Promise<void> =>
  new Promise((goOn) => signInGate.set([...signInGate.get(), goOn]));

export function openGate(): void {
  const waiting = signInGate.get();
  signInGate.set([]);
  for (const goOn of waiting) goOn();
}

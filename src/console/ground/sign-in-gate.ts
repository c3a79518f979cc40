import { createStore } from "./store.ts";

/**
 * A sign-in lasts some hours and may end while a form is half filled. Whoever is refused waits here, the shell asks for
 * the password in a window above the page, and then everybody goes on.
 */
type Waiting = { resolve(): void; reject(error: Error): void };

export const signInGate = createStore<Waiting[]>([]);

export function signInAgain(): Promise<void> {
  return new Promise((resolve, reject) => signInGate.set([...signInGate.get(), { resolve, reject }]));
}

export function openGate(): void {
  const waiting = signInGate.get();
  signInGate.set([]);
  for (const { resolve } of waiting) resolve();
}

import { useSyncExternalStore } from "react";

/** A value that components everywhere follow; kept in this browser when it has a name there. */
export type Store<T> = { get(): T; set(value: T): void; subscribe(listener: () => void): () => void };

export function createStore<T>(initial: T, keptAs?: string): Store<T> {
  let value = keptAs === undefined ? initial : readKept(keptAs, initial);
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return;
      value = next;
      if (keptAs !== undefined) keep(keptAs, next);
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export const useStore = <T>(store: Store<T>): T => useSyncExternalStore(store.subscribe, store.get);

/** A browser may refuse to keep anything, and what it kept may be from another version. */
function readKept<T>(name: string, otherwise: T): T {
  try {
    const text = localStorage.getItem(name);
    return text === null ? otherwise : (JSON.parse(text) as T);
  } catch {
    return otherwise;
  }
}

function keep(name: string, value: unknown): void {
  try {
    localStorage.setItem(name, JSON.stringify(value));
  } catch {
    // It works for this page, and is asked again in the next.
  }
}

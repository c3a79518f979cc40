import { useSyncExternalStore } from "react";

/** A value shared by all components; with a name, it is kept in the browser's storage. */
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

/** Storage may be disabled, and a stored value may come from another version. */
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
    // Without storage the value lasts as long as the page.
  }
}

import { useRef, useState } from "react";
import { beginHistory, type EditHistory, edited, redone, undone } from "../workflows/edit-history.ts";

/** The history of a value that a form holds. What changes it from elsewhere (Discard, a merge) can be undone, too. */
export function useEditHistory<T>(value: T, store: (value: T) => void) {
  const [history, setHistory] = useState(() => beginHistory(value));
  // Two quick edits, or Ctrl Z pressed twice, come before React has drawn the first.
  const latest = useRef(history);
  latest.current = history;
  if (history.present !== value) {
    const isSame = JSON.stringify(history.present) === JSON.stringify(value);
    setHistory(isSame ? { ...history, present: value } : edited(history, value));
  }
  const go = (next: EditHistory<T>) => {
    latest.current = next;
    setHistory(next);
    store(next.present);
  };
  return {
    /**
     * The value as it is to be, or what makes it from the value as it is now. `key` names the field that is typed in; without
     * it the change is an edit of its own.
     */
    change(next: T | ((now: T) => T), key?: string) {
      const value = typeof next === "function" ? (next as (now: T) => T)(latest.current.present) : next;
      go(edited(latest.current, value, key === undefined ? null : { key, at_ms: performance.now() }));
    },
    undo: history.past.length > 0 ? () => go(undone(latest.current)) : null,
    redo: history.future.length > 0 ? () => go(redone(latest.current)) : null,
  };
}

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
    /** `key` names the field that is typed in; without it the change is an edit of its own. */
    change: (next: T, key?: string) =>
      go(edited(latest.current, next, key === undefined ? null : { key, at_ms: performance.now() })),
    undo: history.past.length > 0 ? () => go(undone(latest.current)) : null,
    redo: history.future.length > 0 ? () => go(redone(latest.current)) : null,
  };
}

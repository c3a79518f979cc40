import { useEffect, useRef } from "react";

/** Ctrl Z and Ctrl Shift Z, wherever the focus is: a button that was just clicked may be off now. */
export function useUndoKeys(acts: { undo: (() => void) | null; redo: (() => void) | null } | null): void {
  const latest = useRef(acts);
  latest.current = acts;
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const { current } = latest;
      if (!current || !(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z") return;
      // What has a history of its own, or a text that is not applied yet, undoes that first.
      if (event.target instanceof Element && event.target.closest("[data-own-undo], [role=dialog]")) return;
      event.preventDefault();
      if (event.shiftKey) current.redo?.();
      else current.undo?.();
    };
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, []);
}

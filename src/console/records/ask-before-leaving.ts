import { useBlocker } from "@tanstack/react-router";
import { useEffect } from "react";
import { createStore, useStore } from "../server/store.ts";

type Place = { pathname: string; search: { view?: unknown } };

/** How many forms of the page hold what is not saved. */
const unsaved = createStore(0);

/** Whether something was typed on this page and not saved. */
export const useIsUnsaved = (): boolean => useStore(unsaved) > 0;

/**
 * Asks before what was typed is lost by going elsewhere. What only looks at a list of the same page in another way loses
 * nothing; another view of it takes the form away, unless the form lives across views.
 */
export function useAskBeforeLeaving(isTyped: boolean, { acrossViews }: { acrossViews: boolean }): void {
  const isLost = (current: Place, next: Place): boolean =>
    current.pathname !== next.pathname || (!acrossViews && current.search.view !== next.search.view);
  useEffect(() => {
    if (!isTyped) return;
    unsaved.set(unsaved.get() + 1);
    return () => unsaved.set(unsaved.get() - 1);
  }, [isTyped]);
  useBlocker({
    shouldBlockFn: ({ current, next }) =>
      isTyped &&
      isLost(current as Place, next as Place) &&
      !window.confirm("Leave without saving what you changed?"),
    enableBeforeUnload: () => isTyped,
  });
}

import { useBlocker } from "@tanstack/react-router";

type Place = { pathname: string; search: { view?: unknown } };

/**
 * Asks before what was typed is lost by going elsewhere. What only looks at a list of the same page in another way loses
 * nothing; another view of it takes the form away, unless the form lives across views.
 */
export function useAskBeforeLeaving(isTyped: boolean, { acrossViews }: { acrossViews: boolean }): void {
  const isLost = (current: Place, next: Place): boolean =>
    current.pathname !== next.pathname || (!acrossViews && current.search.view !== next.search.view);
  useBlocker({
    shouldBlockFn: ({ current, next }) =>
      isTyped &&
      isLost(current as Place, next as Place) &&
      !window.confirm("Leave without saving what you changed?"),
    enableBeforeUnload: () => isTyped,
  });
}

import { useMatches } from "@tanstack/react-router";
import { useEffect, useState } from "react";

/**
 * The page changes without being loaded, so nothing tells a screen reader that another one came: this does. Where the link
 * that led there is gone with its page, the keyboard goes on in the new one.
 */
export function Arrival({ title }: { title: string | undefined }) {
  const page = useMatches().at(-1)?.id;
  const [first] = useState(page);
  const [hasMoved, setMoved] = useState(false);
  useEffect(() => {
    if (page === first && !hasMoved) return;
    setMoved(true);
    if (document.activeElement === document.body)
      document.getElementById("main")?.focus({ preventScroll: true });
  }, [page, first, hasMoved]);
  return (
    <p className="sr-only" aria-live="polite">
      {hasMoved && `${title ?? "Page not found"} · Parley`}
    </p>
  );
}

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
    if (page === first && !hasMoved) return undefined;
    setMoved(true);
    return goOnIn(document.getElementById("main"));
  }, [page, first, hasMoved]);
  return (
    <p className="sr-only" aria-live="polite">
      {hasMoved && `${title ?? "Page not found"} · Parley`}
    </p>
  );
}

/** Takes the focus once the link that had it is gone, which may be when the page's code has come; not after another key. */
function goOnIn(main: HTMLElement | null): () => void {
  const watch = new MutationObserver(take);
  const stop = () => {
    watch.disconnect();
    removeEventListener("keydown", stop);
    removeEventListener("pointerdown", stop);
  };
  function take() {
    if (document.activeElement !== document.body) return;
    main?.focus({ preventScroll: true });
    stop();
  }
  if (main) watch.observe(main, { childList: true, subtree: true });
  addEventListener("keydown", stop);
  addEventListener("pointerdown", stop);
  take();
  return stop;
}

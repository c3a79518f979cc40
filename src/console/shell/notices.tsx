import { useNotifications } from "@mantine/notifications";
import { lazy, Suspense, useEffect, useState } from "react";

const load = () => import("./notice-list.tsx");
// Without it a page works all the same, and what went wrong is told on the page, too.
const NoticeList = lazy(() => load().catch(() => ({ default: () => <></> })));

/**
 * What was done, told in a corner for a moment. Its code comes with the first key or click, which is before anything can be
 * told, and still there when the network is lost.
 */
export function Notices() {
  const { notifications } = useNotifications();
  const [isUsed, setUsed] = useState(false);
  if (!isUsed && notifications.length > 0) setUsed(true);
  useEffect(() => {
    const start = () => void load().catch(() => {});
    const once = new AbortController();
    for (const act of ["pointerdown", "keydown"])
      addEventListener(act, start, { once: true, signal: once.signal });
    return () => once.abort();
  }, []);
  return isUsed ? (
    <Suspense>
      <NoticeList />
    </Suspense>
  ) : null;
}

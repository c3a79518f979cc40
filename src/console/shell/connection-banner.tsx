import { Button } from "@mantine/core";
import { IconPlugConnectedX, IconRefresh } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect } from "react";
import { connection, isReached, ownCode } from "../server/connection.ts";
import { useStore } from "../server/store.ts";
import classes from "./connection-banner.module.css";

const ASK_AGAIN_MS = 3000;

/** Shown while the server can't be reached: retries every few seconds, and refreshes everything afterwards. Also shown when the page is from an older version. */
export function ConnectionBanner() {
  const state = useStore(connection);
  const code = useStore(ownCode);
  const client = useQueryClient();
  const ask = useCallback(async () => {
    if (!(await isReached())) return;
    connection.set("open");
    await client.invalidateQueries();
  }, [client]);

  useEffect(() => {
    const lost = () => connection.set("lost");
    window.addEventListener("offline", lost);
    if (state === "open") return () => window.removeEventListener("offline", lost);
    const timer = setInterval(() => void ask(), ASK_AGAIN_MS);
    return () => {
      clearInterval(timer);
      window.removeEventListener("offline", lost);
    };
  }, [state, ask]);

  if (state === "open" && code === "served") return null;
  if (state === "open") {
    return (
      <div className={classes.banner} role="alert">
        <IconRefresh size={16} aria-hidden />
        <span>Parley was updated. Reload the page.</span>
        <Button size="compact-xs" variant="white" color="dark" onClick={() => location.reload()}>
          Reload
        </Button>
      </div>
    );
  }
  return (
    <div className={classes.banner} role="alert">
      <IconPlugConnectedX size={16} aria-hidden />
      <span>Parley can't be reached. This page may be out of date; what you typed on it is kept.</span>
      <Button size="compact-xs" variant="white" color="dark" onClick={() => void ask()}>
        Try now
      </Button>
    </div>
  );
}

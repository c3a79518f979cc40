import { Button } from "@mantine/core";
import { IconPlugConnectedX } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect } from "react";
import { connection } from "./connection.ts";
import classes from "./connection-banner.module.css";
import { useStore } from "./store.ts";

const ASK_AGAIN_MS = 3000;

/** Says that the server is not reached, asks it every few seconds, and reads everything again when it answers. */
export function ConnectionBanner() {
  const state = useStore(connection);
  const client = useQueryClient();
  const ask = useCallback(async () => {
    const answered = await fetch("/healthz", { cache: "no-store" }).then(
      (response) => response.ok,
      () => false,
    );
    if (!answered) return;
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

  if (state === "open") return null;
  return (
    <div className={classes.banner} role="alert">
      <IconPlugConnectedX size={16} aria-hidden />
      <span>Parley can't be reached. What is shown may be old; nothing you typed is lost.</span>
      <Button size="compact-xs" variant="white" color="dark" onClick={() => void ask()}>
        Try now
      </Button>
    </div>
  );
}

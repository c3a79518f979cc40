import { useEffect, useRef, useState } from "react";
import type { LiveSession, LiveSessions } from "../../api-types.ts";
import { ApiError, callForEvents } from "../../server/api.ts";

type Changes = LiveSessions & { ended: string[] };
type Live = {
  sessions: LiveSession[];
  more: boolean;
  /** The server's time at the last event, and this page's clock then. */
  at: number;
  seen: number;
  /** The stream is open and has told the list. */
  isFollowed: boolean;
  /** The server refuses; it is not asked again. */
  refusal: Error | null;
};

const NOTHING: Live = { sessions: [], more: false, at: 0, seen: 0, isFollowed: false, refusal: null };
const AGAIN_MS = 2_000;

/**
 * The running sessions as the server tells them, without polling; null: none are followed. A stream ends after a while
 * or breaks, and the next one begins with the whole list.
 */
export function useLiveSessions(
  of: { session_id?: number; is_test?: boolean } | null,
  onChange?: () => void,
): Live {
  const [live, setLive] = useState<Live>(NOTHING);
  const changed = useRef(onChange);
  changed.current = onChange;
  const session_id = of?.session_id ?? null;
  const is_test = of?.is_test === true;
  const follows = of !== null;
  useEffect(() => {
    setLive(NOTHING);
    if (!follows) return;
    const abort = new AbortController();
    let again: ReturnType<typeof setTimeout> | undefined;
    const open = async () => {
      let refusal: Error | null = null;
      try {
        const query = session_id === null ? { is_test: is_test ? "true" : "false" } : { session_id };
        await callForEvents("GET /api/v1/sessions/live", { query, signal: abort.signal }, (event, data) => {
          setLive((before) =>
            event === "all" ? whole(data as LiveSessions) : after(before, data as Changes),
          );
          // Also with the whole list: what the page has read may be from before it.
          changed.current?.();
        });
      } catch (error) {
        if (error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429)
          refusal = error;
      }
      if (abort.signal.aborted) return;
      // What changes until the next stream begins is read by the page itself.
      changed.current?.();
      setLive((before) => ({ ...before, isFollowed: false, refusal }));
      if (refusal === null) again = setTimeout(() => void open(), AGAIN_MS);
    };
    void open();
    return () => {
      abort.abort();
      clearTimeout(again);
    };
  }, [follows, session_id, is_test]);
  return live;
}

const whole = ({ sessions, more, at }: LiveSessions): Live => ({
  sessions,
  more,
  at: Date.parse(at),
  seen: Date.now(),
  isFollowed: true,
  refusal: null,
});

function after(before: Live, { sessions, ended, more, at }: Changes): Live {
  const rows = new Map(before.sessions.map((session) => [session.session_id, session]));
  for (const id of ended) rows.delete(id);
  for (const session of sessions) rows.set(session.session_id, session);
  return { ...whole({ sessions: [...rows.values()], more, at }) };
}

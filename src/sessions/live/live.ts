import { z } from "zod";
import type { Caller } from "../../api/caller.ts";
import { type EventStream, eventStreams, wantsEvents } from "../../api/event-stream.ts";
import { recordId, timestamp } from "../../api/schema.ts";
import type { Api } from "../../api/server.ts";
import type { Clock } from "../../base/clock.ts";
import { Fault } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import type { Db } from "../../db/database.ts";
import { findSession } from "../session.ts";
import { type LiveScope, LiveSession } from "./live-rows.ts";
import { type LiveEvent, LiveSource } from "./live-source.ts";

/** After this long a stream ends; who opens the next one is checked again. */
const LONGEST_MS = 5 * 60_000;
/** Who may not read any more is told nothing after this long. */
export const LOOKED_EACH_MS = 5_000;
/** A viewer that reads slower than this is cut off, and begins again with the whole list. */
const MOST_UNREAD_BYTES = 2 * 1024 * 1024;
const RECONNECT_MS = 2_000;
const PERMISSION = "sessions_read";

const LiveSessions = z
  .object({
    at: timestamp(),
    sessions: z.array(LiveSession),
    more: z.boolean().describe("More sessions run than the newest 500, which are listed."),
  })
  .meta({ id: "LiveSessions" });

export function liveRoutes(api: Api, parts: { db: Db; clock: Clock; log: Log }): void {
  const source = new LiveSource(parts);
  const openStream = eventStreams(api);

  api.get(
    "/api/v1/sessions/live",
    {
      summary: "List running sessions, and follow them",
      description:
        "With `Accept: text/event-stream` the answer is a stream of server-sent events: `all` with this list, then `changed` with the sessions that changed and the ids in `ended` that left the list. Changes are told within about a second, whichever process runs the conversation. Each connection begins with `all` and ends after five minutes, so a client that reconnects misses nothing. It ends within seconds when its token is revoked, or its person may not read sessions any more.",
      tag: "sessions",
      permission: PERMISSION,
      opens: { resource: "running_sessions", by: "session_id" },
      query: z.object({
        is_test: z.stringbool().default(false).describe("Test conversations instead of live ones."),
        session_id: recordId().optional().describe("Only this session, live or test."),
      }),
      response: LiveSessions,
    },
    async ({ caller, query, request, reply }) => {
      const scope = await scopeOf(parts.db, caller, query);
      if (!wantsEvents(request.headers.accept)) return source.read(scope);
      return follow(source, scope, {
        open: () => openStream(reply, MOST_UNREAD_BYTES),
        requireStill: () => api.requireStill(request, PERMISSION),
      });
    },
  );
}

async function scopeOf(
  db: Db,
  caller: Caller,
  { is_test, session_id }: { is_test: boolean; session_id?: number | undefined },
): Promise<LiveScope> {
  const { sub_organization_id } = caller;
  if (session_id === undefined) return { sub_organization_id, is_test };
  await findSession(db, caller, session_id);
  return { sub_organization_id, session_id };
}

/** A viewer who is refused gets no stream: nobody would read it, and nothing would end it. */
function follow(
  source: LiveSource,
  scope: LiveScope,
  { open, requireStill }: { open: () => EventStream; requireStill: () => Promise<void> },
): EventStream["body"] {
  const leave = source.watch(scope, (event) => stream.print(printed(event)));
  const stream = open();
  stream.print(`retry: ${RECONNECT_MS}\n\n`);
  const end = setTimeout(() => stream.end(), LONGEST_MS).unref();
  const look = setInterval(() => {
    // A database that does not answer says nothing of who may read.
    requireStill().catch((error) => isRefusal(error) && stream.end());
  }, LOOKED_EACH_MS).unref();
  stream.onClose(() => {
    leave();
    clearTimeout(end);
    clearInterval(look);
  });
  return stream.body;
}

const isRefusal = (error: unknown): boolean =>
  error instanceof Fault && ["not-authenticated", "forbidden"].includes(error.kind);

/** The same event goes to many viewers and is printed once. */
const printedEvents = new WeakMap<LiveEvent, string>();
function printed(event: LiveEvent): string {
  const known = printedEvents.get(event);
  if (known !== undefined) return known;
  const text = `event: ${event.event}\nid: ${event.data.at}\ndata: ${JSON.stringify(event.data)}\n\n`;
  printedEvents.set(event, text);
  return text;
}

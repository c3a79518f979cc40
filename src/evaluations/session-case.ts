import { z } from "zod";
import type { Snapshot } from "../agents/snapshot.ts";
import type { Caller } from "../api/caller.ts";
import { recordId } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import { notFound } from "../base/errors.ts";
import { cutTo } from "../base/storable.ts";
import type { Db } from "../db/database.ts";
import { snapshotOf } from "../sessions/session-snapshot.ts";
import { localTime } from "../sessions/variables.ts";
import { callsService } from "../tools/tool-definition.ts";
import { observedCall } from "./observe.ts";
import { namesNow } from "./suite-store.ts";
import { TestCase, withToolNames } from "./test-case.ts";

type RecordedSession = {
  id: number;
  timestamp: string;
  channel: string;
  agent_timezone: string;
  override_timestamp: string | null;
  verified: boolean;
  end_reason: string | null;
  snapshot: Snapshot;
  /** The person's texts, in order. */
  lines: string[];
  calls: ReturnType<typeof observedCall>[];
};

/**
 * A test that says what the person said and answers tools as their services did. The address is not taken over: a test
 * outlives the session that it was made of. Pure.
 */
function caseOfSession(session: RecordedSession, person: "lines" | "recording"): TestCase {
  const { id, channel, override_timestamp, agent_timezone, verified, lines, calls, snapshot } = session;
  const services = new Set(
    snapshot.tools
      .filter(({ is_system, definition }) => !is_system && callsService(definition))
      .map(({ name }) => name),
  );
  const called = [...new Set(calls.map(({ tool }) => tool).filter((tool) => services.has(tool)))];
  const { date, time } = localTime(new Date(session.timestamp), agent_timezone);
  return TestCase.parse({
    name: `Session ${id}`,
    channel,
    clock: override_timestamp ?? `${date}T${time}:00`,
    caller: { verified },
    person:
      person === "recording"
        ? { session: id }
        : lines.slice(0, MAX_ENTRIES).map((text) => cutTo(text, MAX_LINE)),
    mocks: calls
      .filter(({ tool }) => services.has(tool))
      .slice(0, MAX_ENTRIES)
      .map(({ tool, arguments: match, result, error }) => ({
        tool,
        match,
        ...(error === null ? { result } : { error: cutTo(error, MAX_ERROR) }),
      })),
    expect: {
      ...(called.length > 0 && { called: called.map((tool) => ({ tool })) }),
      ...(session.end_reason === "agent" && { ended_by: "agent" }),
    },
  });
}

const MAX_ENTRIES = 1_000;
const MAX_LINE = 20_000;
const MAX_ERROR = 2_000;

export function sessionCaseRoutes(api: Api, { db }: { db: Db }): void {
  api.get(
    "/api/v1/sessions/:session_id/test_case",
    {
      summary: "Make a test of a session",
      description:
        "The person's lines, the tools' answers as mocks, and what was called as expectations. Nothing is saved: add it to a suite.",
      tag: "tests",
      permission: "sessions_read",
      opens: { resource: "transcripts", by: "session_id" },
      params: z.object({ session_id: recordId() }),
      query: z.object({
        person: z
          .enum(["lines", "recording"])
          .default("lines")
          .describe(
            "`lines`: what the person said is copied, to be edited. `recording`: it is read from the session, as long as that is there.",
          ),
      }),
      response: TestCase,
    },
    async ({ caller, params, query }) => {
      const session = await recorded(db, caller, params.session_id);
      const names = new Map((await namesNow(db, session.snapshot)).map(({ held, now }) => [held, now]));
      return withToolNames(caseOfSession(session, query.person), (tool) => names.get(tool) ?? tool);
    },
  );
}

async function recorded(db: Db, caller: Caller, session_id: number): Promise<RecordedSession> {
  const session = await db
    .selectFrom("sessions")
    .select([
      "id",
      "timestamp",
      "channel",
      "agent_timezone",
      "override_timestamp",
      "verified",
      "end_reason",
      snapshotOf("sessions").as("snapshot"),
    ])
    .where("id", "=", session_id)
    .where("sub_organization_id", "=", caller.sub_organization_id)
    .executeTakeFirst();
  if (!session) throw notFound("Session", session_id);
  const messages = await db
    .selectFrom("session_messages")
    .select("text")
    .where("session_id", "=", session_id)
    .where("role", "=", "user")
    .orderBy("seq")
    .execute();
  const calls = await db
    .selectFrom("session_tool_calls")
    .select(["tool_name", "arguments", "request", "result", "error"])
    .where("session_id", "=", session_id)
    .orderBy("seq")
    .execute();
  return {
    ...session,
    lines: messages.map(({ text }) => text),
    calls: calls.map(observedCall),
  };
}

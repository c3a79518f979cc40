import { sql } from "kysely";
import { type Snapshot, toolsIn } from "../agents/snapshot.ts";
import type { Db } from "../db/database.ts";
import { findingsOf, type TestFinding } from "../evaluations/case-findings.ts";
import { TestCase } from "../evaluations/test-case.ts";
import type { DrawnSession } from "./draw-sessions.ts";
import type { ReplayRequest } from "./replay-request.ts";

type Replayed = {
  request: ReplayRequest;
  drawn: readonly DrawnSession[];
  matching: number;
  candidate: Snapshot;
  /** null: each session with its own. */
  baseline: Snapshot | null;
  is_same: boolean;
  /** Whether the model that plays the person can be asked. */
  has_key: boolean;
};

/** What the author should know before they trust the result. */
export async function replayFindings(db: Db, replayed: Replayed): Promise<TestFinding[]> {
  const { request, drawn, matching, candidate, baseline, is_same, has_key } = replayed;
  const found: TestFinding[] = [];
  const add = (path: string, message: string) => found.push({ path, message });
  if (matching < request.sessions)
    add(
      "sessions",
      `${request.sessions} sessions were asked for; ${matching} ${matching === 1 ? "matches" : "match"} the filter.`,
    );
  if (is_same)
    add("candidate", "The candidate is the same as the baseline: what differs between them is chance.");
  if (!has_key)
    add(
      "persona.model",
      `There is no key for ${request.persona?.model.provider}. Where the recording no longer fits, the person answers from the recording alone.`,
    );
  const called = await calledTools(db, drawn);
  for (const [lane, snapshot] of [
    ["candidate", candidate],
    ["baseline", baseline],
  ] as const) {
    if (snapshot === null) continue;
    const tools = toolsIn(snapshot);
    for (const { id, tool, sessions } of called)
      if (!tools.some((one) => one.id === id || one.name === tool))
        add(
          lane,
          `The ${lane} has no tool ${tool}, which ${sessions} of ${drawn.length} recorded sessions called. It can't do there what was done.`,
        );
  }
  const voice = drawn.filter(({ channel }) => channel === "voice").length;
  if (voice > 0)
    add(
      "filter.channel",
      `Calls (${voice} of ${drawn.length} sessions) are replayed as chats: nothing is heard or spoken.`,
    );
  const bare = drawn.filter(({ is_outbound, has_start }) => is_outbound && !has_start).length;
  if (bare > 0)
    add(
      "filter",
      `Outbound sessions that were recorded without their start variables (${bare} of ${drawn.length}) are replayed with empty ones.`,
    );
  return [...found, ...nameFindings(request, candidate)];
}

type CalledTool = { id: number; tool: string; sessions: number };

/** Tools of services that the drawn sessions called. */
async function calledTools(db: Db, drawn: readonly DrawnSession[]): Promise<CalledTool[]> {
  const { rows } = await sql<CalledTool>`
    select c.tool_id as id, min(c.tool_name) as tool, count(distinct c.session_id)::int as sessions
    from session_tool_calls c
    where c.session_id = any(${drawn.map(({ id }) => id)}::bigint[]) and c.tool_id is not null
    group by c.tool_id order by 3 desc, 2`.execute(db);
  return rows;
}

/** Names in mocks and checks that the candidate doesn't have. */
function nameFindings({ mocks, checks }: ReplayRequest, candidate: Snapshot): TestFinding[] {
  const asCase = (name: string, more: object) => TestCase.parse({ name, person: [], ...more });
  const ofMocks = findingsOf([asCase("mocks", { mocks, expect: { said: ["."] } })], candidate);
  const ofChecks = findingsOf(
    checks.map(({ name, expect }) => asCase(name, { expect })),
    candidate,
  );
  return [
    ...ofMocks.map(({ path, message }) => ({ path: path.replace("cases[0].", ""), message })),
    ...ofChecks.map(({ path, message }) => ({ path: path.replace(/^cases/, "checks"), message })),
  ];
}

import { type RawBuilder, sql } from "kysely";
import { z } from "zod";
import { queryInteger, recordId, timestamp } from "../../api/schema.ts";
import type { Api } from "../../api/server.ts";
import type { Db } from "../../db/database.ts";
import { findSession } from "../session.ts";
import { partsOf, type SentParts, type SentRefs } from "./sent-parts.ts";
import { USUAL_EXCHANGE, USUAL_ROUND } from "./usual-members.ts";

const SentMessage = z
  .object({
    role: z.enum(["system", "user", "assistant", "tool"]),
    text: z.string().optional(),
    calls: z.array(z.unknown()).optional().describe("Of the assistant: the tools it called."),
    call_id: z.string().optional().describe("Of a tool's result: the call it answers."),
    tool_name: z.string().optional(),
    result: z.unknown().optional(),
    is_error: z.boolean().optional(),
  })
  .meta({ id: "SentMessage" });

const SentTool = z
  .object({ name: z.string(), description: z.string(), parameters: z.unknown() })
  .meta({ id: "SentTool" });

const ModelRoundResponse = z
  .object({
    id: z.int(),
    turn_index: z.int(),
    at: timestamp(),
    provider: z.string(),
    model: z.string(),
    messages: z
      .array(SentMessage)
      .describe("In the order they were sent; the rendered instructions are the message of role `system`."),
    tools: z.array(SentTool).describe("As offered in this round."),
    tool_choice: z.unknown().describe("auto, none, required, or the tool that was forced."),
    temperature: z.number().nullable(),
    seed: z.number().nullable(),
    text: z.string().describe("What the model answered."),
    calls: z
      .array(
        z.object({
          id: z.string(),
          name: z.string(),
          arguments: z.record(z.string(), z.unknown()),
          arguments_error: z.string().optional().describe("Why the arguments could not be read."),
          arguments_text: z.string().optional().describe("What the model wrote instead."),
        }),
      )
      .describe("The tools it called, with its arguments as they came."),
    finish: z
      .string()
      .nullable()
      .describe("stop, tool-calls, length, content-filter or other; null after a failure."),
    request_id: z.string().nullable().describe("The provider's own name of the request."),
    retries: z.array(z.object({ asked: z.string(), because: z.string(), request_id: z.string().nullable() })),
    usage: z
      .object({
        input_tokens: z.int().nullable(),
        output_tokens: z.int().nullable(),
        cached_input_tokens: z.int().nullable(),
      })
      .nullable(),
    warnings: z.array(z.string()),
    error: z.string().nullable(),
    first_part_ms: z.number().nullable(),
    duration_ms: z.number(),
  })
  .meta({ id: "ModelRoundResponse" });
type ModelRoundResponse = z.infer<typeof ModelRoundResponse>;

const ToolExchangeResponse = z
  .object({
    at: timestamp(),
    duration_ms: z.number(),
    method: z.string(),
    url: z.string(),
    headers: z.record(z.string(), z.string()).describe("Secrets are hidden."),
    body: z.string().nullable(),
    outcome: z.string().describe("response, redirect, refused, timeout, failed or no-auth."),
    status: z.int().nullable(),
    answer_headers: z.record(z.string(), z.string()).nullable(),
    answer: z.string().nullable(),
    problem: z.string().nullable().describe("Why there is no answer."),
  })
  .meta({ id: "ToolExchangeResponse" });

const ToolRequestsResponse = z
  .object({ tool_call_id: z.string(), requests: z.array(ToolExchangeResponse) })
  .meta({ id: "ToolRequestsResponse" });
type ToolRequestsResponse = z.infer<typeof ToolRequestsResponse>;
type ToolExchangeResponse = z.infer<typeof ToolExchangeResponse>;

const KEPT =
  "Kept for the days that the organization sets (30 unless it says otherwise); empty where nothing is kept. Credentials are never part of it.";

/** A session that is worked on in long rounds of tools has some ten in a turn. */
const MOST_ROUNDS = 200;

export function sentRecordRoutes(api: Api, { db }: { db: Db }): void {
  const common = {
    tag: "sessions",
    permission: "sessions_debug",
    opens: { resource: "transcripts", by: "session_id" },
  } as const;

  api.get(
    "/api/v1/sessions/:session_id/model_rounds",
    {
      summary: "List the model requests of one turn",
      description: `The model is asked once, and again after each round of tool calls. ${KEPT}`,
      ...common,
      params: z.object({ session_id: recordId() }),
      query: z.object({
        turn_index: queryInteger({ min: 0 }).describe("The turn; 0 is the opening of the session."),
      }),
      response: z.array(ModelRoundResponse),
    },
    async ({ caller, params, query }) => {
      const session = await findSession(db, caller, params.session_id);
      return modelRounds(db, session.id, query.turn_index);
    },
  );

  api.get(
    "/api/v1/sessions/:session_id/tool_requests",
    {
      summary: "List the HTTP requests of one turn's tool calls, with their responses",
      description: `A call that signs in again or repeats a broken read has sent several. ${KEPT}`,
      ...common,
      params: z.object({ session_id: recordId() }),
      query: z.object({
        turn_index: queryInteger({ min: 0 }).describe("The turn; 0 is the opening of the session."),
      }),
      response: z.array(ToolRequestsResponse),
    },
    async ({ caller, params, query }) => {
      const session = await findSession(db, caller, params.session_id);
      return toolRequests(db, session.id, query.turn_index);
    },
  );
}

/** The references of a round by the number of its row. */
export type NumberedRefs = [id: number, refs: SentRefs];

/**
 * The references of a session's rounds after this one, within a select from sessions under this name. Index: primary key.
 */
export const sentRefsOf = (sessions: string, after: unknown): RawBuilder<NumberedRefs[] | null> => sql<
  NumberedRefs[] | null
>`(
  select json_agg(json_build_array(r.id, r.refs) order by r.id) from sent_records r
  where r.session_id = ${sql.ref(`${sessions}.id`)} and r.id > ${after}::bigint and r.refs is not null)`;

type Exchanged = { tool_call_id: string; exchanges: object[] };

/** Of calls that were stored with a round, in its row; of others, and from before, in rows of their own. */
async function toolRequests(db: Db, session_id: number, turn_index: number): Promise<ToolRequestsResponse[]> {
  const { rows } = await sql<{ calls: Exchanged[] }>`
    select case when kind = 'call' then json_build_array(content) else content -> 'exchanged' end as calls
    from sent_records
    where session_id = ${session_id} and turn_index = ${turn_index}
      and (kind = 'call' or kind = 'round' and content -> 'exchanged' is not null)
    order by id limit ${MOST_ROUNDS}`.execute(db);
  return rows
    .flatMap(({ calls }) => calls)
    .map(({ tool_call_id, exchanges }) => ({
      tool_call_id,
      requests: exchanges.map((exchange) => ({ ...USUAL_EXCHANGE, ...exchange }) as ToolExchangeResponse),
    }));
}

/** A round as it is stored: its messages and tools by their keys in rounds from before there were references. */
type StoredRound = Omit<ModelRoundResponse, "id" | "turn_index" | "at" | "messages" | "tools"> & {
  messages?: string[];
  tools?: string | null;
  parts?: unknown;
  before?: unknown;
  exchanged?: unknown;
};

type RoundRow = { id: number; at: string; refs: SentRefs | null; content: StoredRound | null };

async function modelRounds(db: Db, session_id: number, turn_index: number): Promise<ModelRoundResponse[]> {
  // Each round names its parts by the one before it, so the references of all are read, and the content of this turn's.
  const { rows } = await sql<RoundRow>`
    select id, at, refs, case when turn_index = ${turn_index}::integer then content end as content from sent_records
    where session_id = ${session_id} and kind = 'round' and turn_index <= ${turn_index}::integer order by id`.execute(
    db,
  );
  const rounds: { id: number; at: string; round: StoredRound; sent: SentParts }[] = [];
  let last: SentParts | null = null;
  for (const { id, at, refs, content } of rows) {
    if (refs) last = partsOf(refs, last);
    if (content === null || rounds.length === MOST_ROUNDS) continue;
    const { messages = [], tools = null, parts: _, before: __, exchanged: ___, ...stored } = content;
    const round = { ...USUAL_ROUND, ...stored };
    rounds.push({ id, at, round, sent: refs ? (last ?? NO_PARTS) : { messages, tools } });
  }
  const wanted = new Set(rounds.flatMap(({ sent }) => [...sent.messages, sent.tools ?? ""]));
  const found = await storedParts(db, session_id, [...wanted]);
  return rounds.map(({ id, at, round, sent: { messages, tools } }) => ({
    ...round,
    id,
    turn_index,
    at,
    messages: messages.flatMap((key) => (found.has(key) ? [found.get(key)] : [])) as never,
    tools: (tools === null ? [] : (found.get(tools) ?? [])) as never,
  }));
}

const NO_PARTS: SentParts = { messages: [], tools: null };

async function storedParts(db: Db, session_id: number, keys: string[]): Promise<Map<string, unknown>> {
  const { rows } = await sql<{ key: string; content: unknown }>`
    select part.key, part.value as content from sent_records r, json_each(r.content -> 'parts') part
    where r.session_id = ${session_id} and r.kind = 'round' and r.refs is not null and part.key = any(${keys}::text[])
    union all
    select key, content from sent_records where session_id = ${session_id} and key = any(${keys}::text[])`.execute(
    db,
  );
  return new Map(rows.map(({ key, content }) => [key, content]));
}

import { sql } from "kysely";
import { z } from "zod";
import { queryInteger, recordId, timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Db } from "../db/database.ts";
import { findSession } from "./session.ts";

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
      summary: "Get what the model was sent in one turn, round by round",
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
      summary: "Get the requests that the tool calls of one turn sent, with their answers",
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
      const { rows } = await sql<z.infer<typeof ToolRequestsResponse>>`
        select content ->> 'tool_call_id' as tool_call_id, content -> 'exchanges' as requests
        from sent_records
        where session_id = ${session.id} and turn_index = ${query.turn_index} and kind = 'call'
        order by id limit ${MOST_ROUNDS}`.execute(db);
      return rows;
    },
  );
}

/** A round as it is stored: its messages and tools by the keys of their parts. */
type StoredRound = Omit<ModelRoundResponse, "id" | "turn_index" | "at" | "messages" | "tools"> & {
  messages: string[];
  tools: string | null;
};

async function modelRounds(db: Db, session_id: number, turn_index: number): Promise<ModelRoundResponse[]> {
  const rounds = await db
    .selectFrom("sent_records")
    .select(["id", "at", "content"])
    .where("session_id", "=", session_id)
    .where("turn_index", "=", turn_index)
    .where("kind", "=", "round")
    .orderBy("id")
    .limit(MOST_ROUNDS)
    .$narrowType<{ content: StoredRound }>()
    .execute();
  const wanted = new Set(rounds.flatMap(({ content }) => [...content.messages, content.tools ?? []].flat()));
  const found = await db
    .selectFrom("sent_records")
    .select(["key", "content"])
    .where("session_id", "=", session_id)
    .where("key", "in", [...wanted, ""])
    .execute();
  const parts = new Map(found.map(({ key, content }) => [key, content]));
  return rounds.map(({ id, at, content: { messages, tools, ...round } }) => ({
    ...round,
    ...{ id, turn_index, at },
    messages: messages.flatMap((key) => (parts.has(key) ? [parts.get(key)] : [])) as never,
    tools: (tools === null ? [] : (parts.get(tools) ?? [])) as never,
  }));
}

import { z } from "zod";
import { anyJson } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import { Fault, invalid } from "../base/errors.ts";
import type { Engine } from "../sessions/engine.ts";
import { ChatToken, chatPath, findChat } from "./find-chat.ts";

/** Of an answer: a page that has more to tell puts it somewhere else. */
const MOST_CHARACTERS = 32_000;

const ClientCallList = z
  .object({
    calls: z.array(
      z
        .object({
          key: z.string(),
          tool_name: z.string(),
          arguments: z.unknown(),
          expires_at: z.string(),
        })
        .meta({ id: "ClientToolCall" }),
    ),
  })
  .meta({ id: "ClientToolCalls" });

const ClientCallAnswer = z
  .object({
    result: anyJson().optional().describe("What the tool gave; null when it is left out."),
    error: z.string().min(1).max(1000).nullish().describe("Why there is no result. The model reads it."),
  })
  .meta({ id: "ClientToolCallAnswer" });

/** Calls of tools that run in the visitor's page, for pages. A socket tells of them besides, as they begin. */
export function clientCallRoutes(api: Api, engine: Engine): void {
  const open = { tag: "chat", permission: "public", calls_per_minute: 240 } as const;

  api.get(
    "/chat/v1/sessions/:session_id/client_calls",
    {
      ...open,
      summary: "List the calls that wait for the page",
      params: chatPath,
      query: ChatToken,
      response: ClientCallList,
    },
    async ({ request, params, query }) => {
      const session = await findChat(engine, request, params.session_id, query.token);
      return { calls: await engine.clientCalls.waiting(session.id) };
    },
  );

  api.post(
    "/chat/v1/sessions/:session_id/client_calls/:key",
    {
      ...open,
      summary: "Answer a call of a tool that runs in the page",
      params: chatPath.extend({ key: z.string().max(100) }),
      query: ChatToken,
      body: ClientCallAnswer,
      response: z.object({ taken: z.literal(true) }).meta({ id: "TakenClientToolCall" }),
      refusals: [404, 409],
    },
    async ({ request, params, query, body }) => {
      const session = await findChat(engine, request, params.session_id, query.token);
      const { result = null, error } = body;
      if (JSON.stringify(result).length > MOST_CHARACTERS)
        throw invalid(["body", "result"], `longer than ${MOST_CHARACTERS} characters of JSON`);
      const answer = error ? { error } : { result };
      switch (await engine.clientCalls.answer(session.id, params.key, answer)) {
        case "taken":
          return { taken: true as const };
        case "over":
          throw new Fault("conflict", "This call was answered already, or the answer came too late.");
        case "unknown":
          throw new Fault("not-found", "This chat has no such call.");
      }
    },
  );
}

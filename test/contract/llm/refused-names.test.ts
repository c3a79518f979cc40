import { sql } from "kysely";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { PROVIDERS } from "../../../src/llm/catalogue.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { endpointTool } from "../../harness/endpoint-tool.ts";
import { createLoopbackModels, type LoopbackModels } from "../../harness/loopback-models.ts";
import { createPeer, json, type Peer } from "../../harness/peer.ts";
import { freshName, plannedSession } from "../../harness/planned-session.ts";

let app: TestApp;
let models: LoopbackModels;
let peer: Peer;
beforeAll(async () => {
  app = await createTestApp();
  models = await createLoopbackModels(app);
  peer = await createPeer();
  peer.respond((_, response) => json(response, 200, { room: "Saal 3" }));
});
beforeEach(() => {
  models.server.requests.length = 0;
});

/** Every name of a tool in a request to a provider: offered, called before, or insisted on. */
function namesIn(body: unknown): string[] {
  if (typeof body !== "object" || body === null) return [];
  const { function: func, functionDeclarations, functionCall, functionResponse, type, name } = body as never;
  const own = [func, functionCall, functionResponse, ...(functionDeclarations ?? [])]
    .filter((part) => part)
    .map((part: { name: string }) => part.name);
  // Anthropic: a tool has a schema, and a call is a block of its own type.
  const isTool = "input_schema" in body || type === "tool_use";
  return [...own, ...(isTool ? [name] : []), ...Object.values(body).flatMap(namesIn)];
}

describe.each(PROVIDERS)("%s", (provider) => {
  test.each<[string, string]>([
    ["with spaces and umlauts", "Termin prüfen"],
    ["of 80 characters", "x".repeat(80)],
    ["of none of a provider's characters", "検索"],
  ])(
    "is offered a stored tool whose name it refuses, %s, under an alias, and its call runs",
    async (_, bad) => {
      const name = freshName("room");
      const session = await plannedSession(app, [endpointTool(name, peer.url)], {
        engine: models.engine(provider),
      });
      const { server } = models;
      // As versions before the check could store it: the tool's own row, and what the session froze of it.
      await app.db.updateTable("tools").set({ name: bad }).where("name", "=", name).execute();
      await sql`
        update session_snapshots set content = replace(content::text, ${name}, ${bad})::json
        where key = (select snapshot_key from sessions where id = ${session.session_id})`.execute(app.db);

      let offered = "";
      server.answer(({ body }) => {
        const names = namesIn(body);
        if (names.some((one) => !/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/.test(one)))
          return { status: 400, error: { message: `Invalid name: ${names.join(", ")}` } };
        offered = names[0] ?? "";
        return server.requests.length === 1
          ? { calls: [{ id: "c1", name: offered, arguments: "{}" }] }
          : { text: ["It is Saal 3."] };
      });
      const answer = await session.say("Which room?");
      expect(answer).toMatchObject({ messages: ["It is Saal 3."], failed: false });
      expect(server.requests).toHaveLength(2);
      // Its own call stands in the history under the name it was offered.
      expect(namesIn(server.requests[1]?.body).filter((one) => one === offered).length).toBeGreaterThan(1);
      expect(JSON.stringify(server.requests[1]?.body)).toContain("Saal 3");

      const { entries } = (await app.send("GET", `/api/v1/sessions/${session.session_id}/trace`)).body;
      const asked = entries.find(({ category }: { category: string }) => category === "llm");
      expect(asked.details.warnings).toContain(
        `Providers refuse the tool name "${bad}"; it was offered as ${offered}.`,
      );
      const tools = await app.send("GET", "/api/v1/tools/?page_size=100");
      const stored = tools.body.items.find((tool: { name: string }) => tool.name === bad);
      expect(stored.validation_issues).toContainEqual(
        expect.objectContaining({ id: "invalid-tool-name", severity: "error" }),
      );
      await app.db.updateTable("tools").set({ name }).where("name", "=", bad).execute();
    },
  );
});

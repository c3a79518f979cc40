import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { PROVIDERS, type Provider } from "../../../src/llm/catalogue.ts";
import { wordsOf } from "../../../src/turns/language/language-words.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { endpointTool } from "../../harness/endpoint-tool.ts";
import type { LlmServer, Reply } from "../../harness/llm-server.ts";
import { createLoopbackModels, type LoopbackModels } from "../../harness/loopback-models.ts";
import { createPeer, json, type Peer } from "../../harness/peer.ts";
import { freshName, plannedSession } from "../../harness/planned-session.ts";

let app: TestApp;
let models: LoopbackModels;
let server: LlmServer;
let peer: Peer;
beforeAll(async () => {
  app = await createTestApp();
  models = await createLoopbackModels(app);
  ({ server } = models);
  peer = await createPeer();
  peer.respond((_, response) => json(response, 200, { ok: true }));
});
beforeEach(() => {
  server.requests.length = 0;
});

const noteOf = async (session_id: number) => {
  const { body } = await app.send("GET", `/api/v1/sessions/${session_id}/trace`);
  return (body.items ?? body.entries ?? body)
    .filter((entry: { category: string }) => entry.category === "note")
    .map((entry: { label: string }) => entry.label);
};

/** A session whose model is a provider's, on loopback. */
async function talking(provider: Provider, more: { tools?: object[]; agent?: object } = {}) {
  const engine = models.engine(provider);
  return plannedSession(app, more.tools ?? [], { engine, ...(more.agent && { agent: more.agent }) });
}

const lookup = () => {
  const name = freshName("lookup");
  return { name, tool: endpointTool(name, `${peer.url}/${name}`) };
};
const call = (name: string): Reply => ({ calls: [{ id: `c${Math.random()}`, name, arguments: "{}" }] });
const offered = (index: number): boolean => {
  const tools = server.requests[index]?.body.tools as unknown[] | undefined;
  return (tools ?? []).length > 0;
};

describe.each(PROVIDERS)("%s", (provider) => {
  test.each<[string, Reply]>([
    ["an empty answer", { text: [] }],
    ["a blank answer", { text: ["  ", "\n"] }],
    ["a filtered answer", { text: [], finish: "content-filter" }],
  ])(
    "%s is asked for once more, without tools, and the words then given are the answer",
    async (_, reply) => {
      const { tool } = lookup();
      const { say } = await talking(provider, { tools: [tool] });
      server.reply(reply, { text: ["Here I am."] });
      const turn = await say("Are you there?");
      expect(turn).toMatchObject({ messages: ["Here I am."], failed: false });
      expect(server.requests).toHaveLength(2);
      expect([offered(0), offered(1)]).toEqual([true, false]);
    },
  );

  test("two answers without a word end in the apology, and the trace says why", async () => {
    const { say, session_id } = await talking(provider);
    server.reply({ text: [] }, { text: [], finish: "content-filter" }, { text: ["Back again."] });
    const turn = await say("Are you there?");
    expect(turn).toMatchObject({ messages: [wordsOf("en-US").apology], failed: true });
    expect(await noteOf(session_id)).toEqual([
      "the model was asked once more, without tools: its answer was empty",
      "the person heard an apology: The model gave no words, twice: the provider filtered its answer",
    ]);

    await say("And now?");
    expect(JSON.stringify(server.requests.at(-1)?.body)).not.toContain(wordsOf("en-US").apology);
  });
});

test("words before tools don't stand for the answer after them", async () => {
  const { name, tool } = lookup();
  const { say } = await talking("openai", { tools: [tool] });
  server.reply({ text: ["One moment."], ...call(name) }, { text: [] }, { text: ["It is free."] });
  expect((await say("Is it free?")).messages).toEqual(["One moment.", "It is free."]);
});

test("calls past the last round get one more try without tools, then the apology", async () => {
  const { name, tool } = lookup();
  const { say, session_id } = await talking("openai", { tools: [tool] });
  server.answer(() => call(name));
  const turn = await say("Go on.");
  expect(turn.messages).toEqual([wordsOf("en-US").apology]);
  expect(turn.calls).toHaveLength(10);
  expect(server.requests).toHaveLength(12);
  expect(await noteOf(session_id)).toContain(
    "the model was asked once more, without tools: it still called tools after 10 rounds",
  );
});

test("a turn in which a tool ended the session needs no words", async () => {
  const { say } = await talking("openai");
  server.reply(call("hangup"));
  expect(await say("Bye.")).toMatchObject({ messages: [], ended: true, failed: false });
});

describe("the apology", () => {
  const phrases = async (apology: object) => {
    const { body } = await app.send("POST", "/api/v1/bridge_phrases/", {
      name: freshName("Phrases"),
      config: { apology },
    });
    return body.id as number;
  };
  const failing = async (agent: object, language?: string) => {
    const { say, session_id } = await talking("openai", { agent });
    if (language) {
      const { state } = await app.db
        .selectFrom("sessions")
        .select("state")
        .where("id", "=", session_id)
        .executeTakeFirstOrThrow();
      const changed = JSON.stringify({ ...(state as object), language });
      await app.db.updateTable("sessions").set({ state: changed }).where("id", "=", session_id).execute();
    }
    server.reply({ text: [] });
    return (await say("Hello?")).messages;
  };

  test("is in the session's language", async () => {
    expect(await failing({}, "es-US")).toEqual([
      "Lo siento, no puedo responder en este momento. Por favor, inténtelo de nuevo en un momento.",
    ]);
  });

  test("is the one that the agent's bridge phrases have, by language, with variables", async () => {
    const bridge_phrases_id = await phrases({
      messages: ["Sorry, {{ vars.name }}. Call 555."],
      localized: { fr: { messages: ["Pardon."] } },
    });
    const agent = { bridge_phrases_id, variables: { "vars.name": "Ann" } };
    expect(await failing(agent)).toEqual(["Sorry, Ann. Call 555."]);
    expect(await failing(agent, "fr-FR")).toEqual(["Pardon."]);
    const { body } = await app.send("GET", `/api/v1/bridge_phrases/${bridge_phrases_id}`);
    expect(body.config.apology.messages).toEqual(["Sorry, {{ vars.name }}. Call 555."]);
  });
});

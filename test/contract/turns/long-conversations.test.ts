import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { PROVIDERS, type Provider } from "../../../src/llm/catalogue.ts";
import { steps } from "../../../src/workflows/run-steps.examples.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { endpointTool } from "../../harness/endpoint-tool.ts";
import type { LlmServer, Seen } from "../../harness/llm-server.ts";
import { createLoopbackModels, type LoopbackModels } from "../../harness/loopback-models.ts";
import { createPeer, json, type Peer } from "../../harness/peer.ts";
import { freshName, plannedSession, workflow } from "../../harness/planned-session.ts";

let app: TestApp;
let models: LoopbackModels;
let server: LlmServer;
let peer: Peer;
beforeAll(async () => {
  app = await createTestApp();
  models = await createLoopbackModels(app);
  ({ server } = models);
  peer = await createPeer();
  peer.respond((_, response) => json(response, 200, { slots: "9:00 free, 10:00 taken. ".repeat(100) }));
});
beforeEach(() => {
  server.requests.length = 0;
});

/** As each provider says that a conversation is too long. */
const TOO_LONG: Record<Provider, { message: string; code?: string }> = {
  openai: {
    message: "This model's maximum context length is 128000 tokens.",
    code: "context_length_exceeded",
  },
  azure_openai: { message: "Your input is too large.", code: "context_length_exceeded" },
  anthropic: { message: "prompt is too long: 210000 tokens > 200000 maximum" },
  google: {
    message: "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
  },
};

async function talking(provider: Provider, context_window: number) {
  const tool = freshName("slots");
  const flow = workflow(
    steps([{ id: "ASK", instructions: ["Ask for the secret word of step ASK."], next: ["ASK"] }], {
      tool: { name: freshName("submit"), description: "" },
    }),
  );
  const engine = models.engine(provider, { context_window });
  const session = await plannedSession(app, [flow.record, endpointTool(tool, peer.url)], {
    engine,
    context: "You are the clinic's agent.",
  });
  /** Asks, has the tool called, and gets an answer. */
  const turn = async (n: number) => {
    const call = { id: `call-${n}`, name: tool, arguments: "{}" };
    server.reply({ calls: [call] }, { text: [`Answer ${n}.`] });
    return session.say(`Question ${n}?`);
  };
  const trimmed = async () => {
    const { body } = await app.send("GET", `/api/v1/sessions/${session.session_id}/trace`);
    return body.entries.filter(
      ({ label }: { label: string }) => label === "history trimmed to fit the model",
    );
  };
  return { ...session, turn, trimmed };
}

const sent = (seen: Seen | undefined): string => JSON.stringify(seen?.body);

describe.each(PROVIDERS)("%s", (provider) => {
  test("a conversation longer than the model's window goes on: oldest results first, then turns, told in the trace", async () => {
    const { turn, trimmed } = await talking(provider, 6_000);
    for (let n = 1; n <= 30; n++) expect((await turn(n)).messages).toEqual([`Answer ${n}.`]);
    const last = sent(server.requests.at(-1));
    for (const kept of ["You are the clinic's agent.", "secret word of step ASK", "Question 30?"])
      expect(last).toContain(kept);
    expect(last).toContain("left out: the conversation has become long");
    const rows = await trimmed();
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.at(-1).details.tokens_after).toBeLessThanOrEqual(rows.at(-1).details.budget_tokens);
    expect(rows.at(-1).details.results_shortened).toBeGreaterThan(0);
    expect(rows[0].details.messages_dropped).toBe(0);
    // Four characters a token is what providers say of prose.
    expect(last.length / 4).toBeLessThan(6_000);
  });

  test("a provider that finds it too long gets half of it once more", async () => {
    const { turn, say } = await talking(provider, 1_000_000);
    for (let n = 1; n <= 6; n++) await turn(n);
    server.requests.length = 0;
    server.answer((seen) =>
      sent(seen).length > 12_000 ? { status: 400, error: TOO_LONG[provider] } : { text: ["Still here."] },
    );
    expect(await say("Are you there?")).toMatchObject({ messages: ["Still here."], failed: false });
    expect(server.requests).toHaveLength(2);
    expect(sent(server.requests[1])).toContain("Are you there?");
    expect(sent(server.requests[1])).toContain("secret word of step ASK");
  });

  test("a server that holds a tenth of what its model's name promises is still talked with, turn after turn", async () => {
    const { turn, say } = await talking(provider, 1_000_000);
    for (let n = 1; n <= 10; n++) await turn(n);
    const full = sent(server.requests.at(-1)).length;
    for (let n = 11; n <= 13; n++) {
      server.answer((seen) =>
        sent(seen).length > full / 6
          ? { status: 400, error: TOO_LONG[provider] }
          : { text: [`Still here, ${n}.`] },
      );
      expect(await say(`Are you there, ${n}?`)).toMatchObject({
        messages: [`Still here, ${n}.`],
        failed: false,
      });
      expect(sent(server.requests.at(-1))).toContain(`Are you there, ${n}?`);
    }
  });
});

import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { converse, createAgent } from "../harness/agent.ts";
import { createTestApp, type TestApp } from "../harness/app.ts";
import { endpointTool } from "../harness/endpoint-tool.ts";
import { placesOf } from "../harness/everywhere.ts";
import { FAKE_KEY, type LlmServer, startLlmServer } from "../harness/llm-server.ts";
import { createPeer, json } from "../harness/peer.ts";
import { WAITING } from "../harness/waiting.ts";

const POLICY = "/api/v1/organizations/redaction";
const JUDGE = { provider: "openai", model: "gpt-6-sol", look_for: "Names of people and of their animals." };
const MINUTE_MS = 60_000;

let app: TestApp;
let llm: LlmServer;
let agent_id: number;

beforeAll(async () => {
  app = await createTestApp();
  llm = await startLlmServer();
  const base_url = llm.settings.openai?.base_url;
  await app.send("PUT", "/api/v1/llm_providers/openai", { api_key: FAKE_KEY, base_url });
  const peer = await createPeer();
  peer.respond((_, response) => json(response, 200, { note: "the horse of Wilhelmina Quaid" }));
  const look = endpointTool("look", `${peer.url}/look`, {
    parameters: { type: "object", properties: { about: { type: "string" } }, required: ["about"] },
    endpoint: { method: "post", argument_location: "body" },
  });
  ({ agent_id } = await createAgent(app, {
    script: `
      on /it is (?<about>.+)/ -> call look {"about": "{about}"}
      after look -> say "I found {result.note}."
      otherwise -> say "You said {user.text}."`,
    tools: [look],
  }));
});
afterAll(() => llm.close());
beforeEach(() => {
  llm.requests.length = 0;
  app.clock.advance(60 * MINUTE_MS);
});

const policy = (more: object = {}) => app.send("PUT", POLICY, { kinds: ["card"], judge: JUDGE, ...more });
const finds = (...found: object[]) => llm.reply({ text: [JSON.stringify({ found })] });
const runJob = (name: string, stopping = new AbortController().signal) =>
  app.jobs.find(({ job }) => job.name === name)!.run({}, { stopping } as never);
const judge = (stopping?: AbortSignal) => runJob("judge-redaction", stopping);

async function talk(...said: string[]): Promise<number> {
  const say = converse(app, agent_id);
  let id = 0;
  for (const text of said) id = Number((await say(text)).content.session_id);
  return id;
}
async function end(id: number): Promise<void> {
  const ended_at = app.clock.now().toISOString();
  await app.db.updateTable("sessions").set({ ended_at, end_reason: "user" }).where("id", "=", id).execute();
}
const pending = async (id: number) =>
  (await app.send("GET", `/api/v1/sessions/${id}`)).body.redaction_pending;
const transcript = async (id: number) =>
  JSON.stringify((await app.send("GET", `/api/v1/sessions/transcript/${id}`)).body);
const opened = async (id: number) =>
  (await app.send("POST", `/api/v1/sessions/${id}/redacted_values/open`, { reason: "to test it" })).body;

test.each([
  ["as they are", false],
  ["sealed", true],
])(
  "what a model finds is taken out of all that is stored, %s, and no turn waits for it",
  async (_, seal_texts) => {
    await app.send("PUT", "/api/v1/organizations/privacy", { seal_texts });
    expect((await policy()).status).toBe(200);
    const id = await talk(
      "it is Wilhelmina  Quaid",
      "card 4111 1111 1111 1111, and wilhelmina quaid again",
      "Jo-Jo barks",
    );
    expect(llm.requests).toEqual([]);
    await judge();
    expect(llm.requests).toEqual([]);
    expect(await pending(id)).toBe(true);
    await app.send("POST", "/api/v1/session_labels/", {
      session_id: id,
      type: "human-rating",
      code: "GOOD",
      user_email: app.admin.email,
      comments: "Wilhelmina Quaid was content",
    });
    await end(id);
    finds(
      { kind: "Name", text: "Wilhelmina Quaid" },
      { kind: "animal", text: "Jo-Jo" },
      { kind: "name", text: "Somebody Invented" },
      { kind: "role", text: "user" },
    );
    await judge();

    const [{ body } = { body: {} }] = llm.requests;
    expect(JSON.stringify(body)).toContain(JUDGE.look_for);
    expect(JSON.stringify(body)).not.toContain("4111");
    expect(await pending(id)).toBe(false);
    const shown = await transcript(id);
    expect(shown).toMatch(/\[name: [a-z]{10}\]/);
    expect(shown).toMatch(/\[animal: [a-z]{10}\] barks/);
    expect(shown).not.toMatch(/quaid/i);
    for (const word of ["quaid", "Jo-Jo barks"])
      expect((await placesOf(app, word)).filter((place) => place !== "audit_entries.after")).toEqual([]);
    expect(await opened(id)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ kind: "name", value: "Wilhelmina Quaid" }),
        expect.objectContaining({ kind: "animal", value: "Jo-Jo" }),
        expect.objectContaining({ kind: "card", value: "4111 1111 1111 1111" }),
      ]),
    );
    // By the same policy as patterns: an hour after the end the originals are gone.
    app.clock.advance(61 * MINUTE_MS);
    await runJob("remove-originals");
    expect(await opened(id)).toEqual([]);
    llm.requests.length = 0;
    await judge();
    expect(llm.requests).toEqual([]);
  },
);

test.each([
  ["does not answer", { status: 500, error: { message: "down" } }],
  ["answers with something else", { text: ["I can't help with that."] }],
])(
  "a model that %s leaves the session not yet redacted, and is asked again after ten minutes",
  async (_, reply) => {
    await app.send("PUT", "/api/v1/organizations/privacy", { seal_texts: false });
    await policy();
    const id = await talk("this is Ottoline Grue");
    await end(id);
    llm.reply(reply);
    await judge();
    expect(await pending(id)).toBe(true);
    expect(await transcript(id)).toContain("Ottoline Grue");
    llm.requests.length = 0;
    finds({ kind: "name", text: "Ottoline Grue" });
    await judge();
    expect(llm.requests).toEqual([]);
    app.clock.advance(10 * MINUTE_MS);
    await judge();
    expect(await pending(id)).toBe(false);
    expect(await transcript(id)).not.toContain("Ottoline");
  },
);

test("a run that begins while another one waits for the model asks about no session again, one after a stop does", async () => {
  await policy();
  const id = await talk("this is Ottoline Grue");
  await end(id);
  llm.reply(
    { text: [""], after: { events: 0, comes: "hang" } },
    { text: [JSON.stringify({ found: [{ kind: "name", text: "Ottoline Grue" }] })] },
  );
  const stop = new AbortController();
  const first = judge(stop.signal);
  await vi.waitFor(() => expect(llm.requests.length).toBe(1), WAITING);
  await judge();
  expect(llm.requests.length).toBe(1);
  stop.abort();
  await first;
  expect(await pending(id)).toBe(true);
  await judge();
  expect(llm.requests.length).toBe(2);
  expect(await transcript(id)).not.toContain("Ottoline");
});

test("a long conversation is asked about in parts, and a session that began without a judge is left alone", async () => {
  await policy({ judge: null });
  const before = await talk("this is Ottoline Grue");
  await policy();
  const words = "word ".repeat(1_000);
  const id = await talk(words, words, words, `${words} Ottoline Grue ${words}`, words, words);
  await end(before);
  await end(id);
  llm.answer(({ body }) => {
    const part = JSON.stringify(body);
    expect(part.length).toBeLessThan(20_000);
    const found = part.includes("Ottoline Grue") ? [{ kind: "name", text: "Ottoline Grue" }] : [];
    return { text: [JSON.stringify({ found })] };
  });
  await judge();
  expect(llm.requests.length).toBeGreaterThan(3);
  expect(await transcript(id)).not.toContain("Ottoline");
  expect(await transcript(before)).toContain("Ottoline");
  expect(await pending(before)).toBeUndefined();
});

test("a policy says what to look for and by which model; an agent's own applies in its place", async () => {
  const saved = (await policy()).body;
  expect(saved).toMatchObject({ kinds: ["card"], judge: JUDGE });
  expect((await policy({ judge: { ...JUDGE, look_for: "" } })).status).toBe(422);
  const own = `/api/v1/agents/${agent_id}/redaction`;
  await app.send("PUT", own, { kinds: ["email"] });
  const id = await talk("this is Ottoline Grue");
  expect(await pending(id)).toBeUndefined();
  await app.send("DELETE", own);
});

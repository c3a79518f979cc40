import { beforeAll, expect, test } from "vitest";
import { createAgent } from "../../harness/agent.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { openEventStream } from "../../harness/event-stream.ts";
import { PageCaller } from "../../harness/page-caller.ts";
import { runClock } from "../../harness/run-clock.ts";
import { LOUD_ENGINES } from "../../harness/voice-stand-ins.ts";

let app: TestApp;
let agent_id: number;
let address: string;
let n = 0;

beforeAll(async () => {
  app = await createTestApp({}, undefined, { voiceEngines: LOUD_ENGINES });
  address = await app.listen();
  const group = await app.send("POST", "/api/v1/language_groups/", {
    name: "Two languages",
    language_configs: ["en-US", "fr-FR"].map((language_code, at) => ({
      language_code,
      dtmf_code: at + 1,
      voice_provider: "OpenAI",
      voice_display_name: "Alloy",
    })),
    skip_current_language_in_message: false,
  });
  expect(group.status, JSON.stringify(group.body)).toBe(200);
  ({ agent_id } = await createAgent(app, {
    script:
      'on "slow" -> say "First." then wait 30000ms then say "Second."\non "again" -> say "Here I am."\notherwise -> say "Yes."',
    greeting: {
      type: "greeting",
      text: "{{vars.plan}} {{vars.session.language}} {{vars.session.channel}} {{vars.session.source}} {{vars.session.datetime}}",
    },
    agent: { variables: { plan: "silver" }, language_group_id: group.body.id },
  }));
});

const start = (more: object) =>
  app.send("POST", "/api/v1/agents/test/messages", {
    service_name: "test",
    source: "+15550100",
    test_id: `start-${++n}`,
    agent_id: String(agent_id),
    text: "",
    session_start: true,
    ...more,
  });

test("a test conversation begins with the variables, language, channel, caller and clock it is given", async () => {
  const given = { variables: { plan: "gold" }, language: "fr", channel: "sms" };
  const { status, body } = await start({ ...given, override_timestamp: "2026-12-24T18:00:00" });
  expect(status, JSON.stringify(body)).toBe(200);
  expect(body.response_text).toBe("gold fr-FR sms +15550100 2026-12-24 18:00");
  const { session_id } = body.response.content;
  const session = (await app.send("GET", `/api/v1/sessions/${session_id}`)).body;
  expect(session).toMatchObject({ is_test: true, source: "+15550100" });
});

test("without them it begins as the agent says", async () => {
  expect((await start({})).body.response_text).toMatch(/^silver en-US chat/);
});

test("what follows goes on with the newest start: after its end it begins anew, and no start before it comes back", async () => {
  const test_id = "begun-again";
  const sessionOf = async (more: object): Promise<number> =>
    (await start({ test_id, ...more })).body.response.content.session_id;
  const left = await sessionOf({});
  const second = await sessionOf({});
  expect(await sessionOf({ session_start: false, text: "go on" })).toBe(second);
  expect((await app.send("POST", `/api/v1/sessions/${second}/end`)).status).toBe(200);
  const third = await sessionOf({ session_start: false, text: "still there?" });
  expect([left, second]).not.toContain(third);
  expect(await sessionOf({ session_start: false, text: "go on" })).toBe(third);
});

test("a language that the agent does not speak is refused with those it does", async () => {
  const { status, body } = await start({ language: "ja" });
  expect(status).toBe(422);
  expect(body.detail[0]).toMatchObject({
    loc: ["body", "language"],
    msg: "The agent does not speak ja. It speaks en-US, fr-FR.",
  });
});

test.each([
  [{ channel: "pigeon" }, "channel"],
  [{ language: "x y" }, "language"],
  [{ variables: { plan: 1 } }, "variables"],
])("%j is refused at its place", async (more, field) => {
  const { status, body } = await start(more);
  expect(status).toBe(422);
  expect(body.detail[0].loc.slice(0, 2)).toEqual(["body", field]);
});

/** The events of a message until one of this name. */
async function streamed(more: object, last: string) {
  const stream = await openEventStream(`${address}/api/v1/agents/test/messages`, app.token, {
    service_name: "test",
    source: "+15550100",
    agent_id: String(agent_id),
    ...more,
  });
  const events: { event: string; data: Record<string, unknown> }[] = [];
  do events.push(await stream.next());
  while (events.at(-1)?.event !== last);
  return { stream, events };
}

test("streamed, words come as the model writes them and the last event is the whole answer", async () => {
  const test_id = `stream-${++n}`;
  const opened = await streamed({ test_id, text: "", session_start: true }, "answered");
  expect(opened.events[0]).toMatchObject({
    event: "started",
    data: { greeting: expect.stringMatching(/^silver/) },
  });
  const { stream, events } = await streamed({ test_id, text: "hello" }, "answered");
  expect(stream.type).toMatch(/^text\/event-stream/);
  expect(events.map(({ event }) => event)).toEqual([
    ...["started", "delta", "words_over", "message", "answered"],
  ]);
  expect(events[0]?.data.session_id).toBe(opened.events[0]?.data.session_id);
  expect(events.at(-1)?.data).toMatchObject({ response_text: "Yes.", test_id });
  stream.close();
});

test("a request that is refused is refused before the stream begins", async () => {
  const stream = await openEventStream(`${address}/api/v1/agents/test/messages`, app.token, {
    service_name: "test",
    source: "x",
    agent_id: "999999",
    test_id: "none",
    text: "hello",
  });
  expect(stream.status).toBe(404);
});

test("who closes the stream stops the answer: what was said is stored, and the next message is answered", async () => {
  const test_id = `stop-${++n}`;
  await start({ test_id });
  const { stream, events } = await streamed({ test_id, text: "slow please" }, "delta");
  stream.close();
  const next = await app.send("POST", "/api/v1/agents/test/messages", {
    service_name: "test",
    source: "+15550100",
    agent_id: String(agent_id),
    test_id,
    text: "again",
  });
  expect(next.body.response_text).toBe("Here I am.");
  const session_id = events[0]?.data.session_id;
  const { body } = await app.send("GET", `/api/v1/sessions/timeline/${session_id}`);
  const words = body.events.map(({ text }: { text: string | null }) => text).filter(Boolean);
  expect(words).toEqual(expect.arrayContaining(["slow please", "First.", "again", "Here I am."]));
  expect(words.join(" ")).not.toContain("Second.");
});

test("the draft is called by voice without any channel, and the call is a test session", async () => {
  const stop = runClock(app.clock);
  const at = `/api/v1/agents/${agent_id}/test/calls`;
  const { status, body } = await app.send("POST", at, { language: "fr", variables: { plan: "gold" } });
  expect(status, JSON.stringify(body)).toBe(200);
  expect(body.language).toBe("fr-FR");
  const caller = await PageCaller.call(address, body, LOUD_ENGINES.speaking);
  await caller.agentSays("gold fr-FR voice");
  caller.hangUp();
  const session = async () => (await app.send("GET", `/api/v1/sessions/${body.session_id}`)).body;
  await expect.poll(async () => (await session()).end_reason).toBe("user");
  expect(await session()).toMatchObject({ is_test: true, agent_id: String(agent_id) });
  stop();
  const refused = await app.send("POST", at, { language: "ja" });
  expect(refused.body.detail[0].loc).toEqual(["body", "language"]);
});

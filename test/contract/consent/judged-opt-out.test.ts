import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createCarriers } from "../../../src/carriers/carriers.ts";
import { goOnWith } from "../../../src/dialogues/text-dialogue.ts";
import { isAtWork } from "../../../src/jobs/at-work.ts";
import { startSession } from "../../../src/turns/start-session.ts";
import { runTurn } from "../../../src/turns/turn.ts";
import { converse, createAgent } from "../../harness/agent.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { FAKE_KEY, type LlmServer, type Reply, startLlmServer } from "../../harness/llm-server.ts";
import {
  createMailServer,
  createMailWorld,
  type MailServer,
  settledMails,
  somebody,
} from "../../harness/mail.ts";
import { incoming, pickUp, createNumber as voiceNumber } from "../../harness/phone.ts";
import {
  createNumber,
  createSimulatedApp,
  eventually,
  type SimulatedApp,
  textsWith,
} from "../../harness/simulated.ts";

const RULES = "/api/v1/organizations/safety_rules";
const JUDGE = { provider: "openai", model: "gpt-6-sol" };
const SCRIPT = 'otherwise -> say "You said {user.text}."';

let llm: LlmServer;
beforeAll(async () => {
  llm = await startLlmServer();
});
afterAll(() => llm.close());
beforeEach(() => {
  llm.requests.length = 0;
});

const judges = async (app: TestApp, opt_out_judge: object | null = JUDGE) => {
  const base_url = llm.settings.openai?.base_url;
  await app.send("PUT", "/api/v1/llm_providers/openai", { api_key: FAKE_KEY, base_url });
  expect((await app.send("PUT", RULES, { opt_out_judge })).status).toBe(200);
};
/** What the judge answers to the next messages. */
const finds = (found: object = {}, more: Reply = {}) =>
  llm.reply({
    text: [JSON.stringify({ is_opt_out: true, scope: "all", said: "", asks_more: false, ...found })],
    ...more,
  });
const listed = async (app: TestApp, address: string) =>
  (
    await app.send(
      "GET",
      `/api/v1/suppressions/?search_fields=address_exact&search_field_values=${encodeURIComponent(address)}`,
    )
  ).body.items;
const spoken = async (app: TestApp, session_id: number | string) =>
  (await app.send("GET", `/api/v1/sessions/transcript/${session_id}`)).body.transcription.map(
    ({ source, text }: { source: string; text: string }) => `${source}: ${text}`,
  );
const traced = async (app: TestApp, session_id: number | string) =>
  (await app.send("GET", `/api/v1/sessions/${session_id}/trace`)).body.entries.filter(
    ({ label }: { label: string }) => label.startsWith("opt-out"),
  );

describe("in a chat", () => {
  let app: SimulatedApp;
  let agent_id: number;
  let n = 0;
  beforeAll(async () => {
    app = await createSimulatedApp({
      scenario: {
        people: [{ number: "+1512668*", person: { name: "quiet", text: { replies_after_s: null } } }],
      },
    });
    await judges(app);
    ({ agent_id } = await createAgent(app, { script: SCRIPT }));
  });
  const visitor = () => {
    const source = `visitor${++n}@example.com`;
    const say = converse(app, agent_id);
    return { source, say: (text: string) => say(text, { source }) };
  };

  test("an opt-out in the person's own words holds before the agent answers, is confirmed once, and keeps the words as proof", async () => {
    const { source, say } = visitor();
    finds({ said: "take me off that list" });
    const first = await say("Look, TAKE me off that list, I mean it.");
    expect(first.text).toBe("All right. We will not contact you again.");
    expect(await listed(app, source)).toMatchObject([
      {
        reason: "unsubscribed",
        scope: "all",
        through: "chat",
        said: "TAKE me off that list",
        session_id: String(first.content.session_id),
      },
    ]);
    expect(llm.requests).toHaveLength(1);
    const again = await say("I said take me off that list!");
    expect(again.text).toBe("You said I said take me off that list!.");
    expect(llm.requests).toHaveLength(1);
    expect(await listed(app, source)).toHaveLength(1);
  });

  test("what it costs and how long it took is in the trace", async () => {
    const { say } = visitor();
    finds({ said: "leave me alone" }, { usage: { input: 321, output: 12, cached: 0 } });
    const { content } = await say("leave me alone");
    expect(await traced(app, content.session_id)).toMatchObject([
      {
        category: "llm",
        label: "opt-out judged",
        metadata: ["gpt-6-sol", "openai"],
        details: { is_opt_out: true, scope: "all", input_tokens: 321, output_tokens: 12 },
      },
    ]);
  });

  test("a message that asks for something else, too, is confirmed and then answered", async () => {
    const { source, say } = visitor();
    finds({ said: "stop calling me", asks_more: true });
    const { content } = await say("stop calling me. When do you open?");
    expect(await spoken(app, content.session_id)).toEqual([
      "user: stop calling me. When do you open?",
      "agent: All right. We will not contact you again.",
      "agent: You said stop calling me. When do you open?.",
    ]);
    expect(await listed(app, source)).toHaveLength(1);
  });

  test("an opt-out from mails alone leaves the rest as it was", async () => {
    const { source, say } = visitor();
    finds({ said: "no more emails", scope: "email" });
    expect((await say("no more emails please, calls are fine")).text).toBe(
      "All right. We will not contact you that way again.",
    );
    expect(await listed(app, source)).toMatchObject([{ scope: "email" }]);
  });

  test("from a way that does not reach this address, nothing is stored and the agent answers", async () => {
    const { source, say } = visitor();
    finds({ said: "don't call me", scope: "voice" });
    expect((await say("don't call me")).text).toBe("You said don't call me.");
    expect(await listed(app, source)).toEqual([]);
  });

  test("who takes it back with START and asks for it again is heard again", async () => {
    const { source, say } = visitor();
    finds({ said: "leave me alone" });
    await say("leave me alone");
    const [entry] = await listed(app, source);
    await app.send("DELETE", `/api/v1/suppressions/${entry.id}?reason=asked`);
    expect((await say("leave me alone")).text).toBe("All right. We will not contact you again.");
    expect(await listed(app, source)).toHaveLength(1);
  });

  test("a message that can't be an opt-out costs no question", async () => {
    const { say } = visitor();
    expect((await say("When do you open on Fridays?")).text).toBe("You said When do you open on Fridays?.");
    expect(llm.requests).toEqual([]);
  });

  test.each<[string, () => void, string]>([
    ["is none", () => finds({ is_opt_out: false }), "opt-out judged"],
    ["names words that nobody said", () => finds({ said: "never write again" }), "opt-out not judged"],
    ["is no answer", () => llm.reply({ text: ["Certainly!"] }), "opt-out not judged"],
    ["fails", () => llm.reply({ status: 400, error: { message: "no" } }), "opt-out not judged"],
    ["is refused", () => llm.reply({ status: 401, error: { message: "no" } }), "opt-out not judged"],
  ])("where the judgement %s, the agent answers and nothing is stored", async (_, replies, label) => {
    const { source, say } = visitor();
    replies();
    const { text, content } = await say("don't call before nine");
    expect(text).toBe("You said don't call before nine.");
    expect(await listed(app, source)).toEqual([]);
    expect(await traced(app, content.session_id)).toMatchObject([{ label }]);
    const events = await app.db
      .selectFrom("events")
      .select("description")
      .where("type", "=", "opt-out-not-judged")
      .where("session_id", "=", String(content.session_id))
      .execute();
    expect(events).toHaveLength(label === "opt-out judged" ? 0 : 1);
  });

  test("without a judge, and for a session that began before there was one, the agent answers", async () => {
    await judges(app, null);
    const { source, say } = visitor();
    finds({ said: "leave me alone" });
    expect((await say("leave me alone")).text).toBe("You said leave me alone.");
    await judges(app);
    expect((await say("leave me alone")).text).toBe("You said leave me alone.");
    expect(llm.requests).toEqual([]);
    expect(await listed(app, source)).toEqual([]);
  });

  test("while a person has taken over, it holds, and that person answers", async () => {
    const { source, say } = visitor();
    const { content } = await say("hello");
    await app.send("POST", `/api/v1/sessions/${content.session_id}/takeover`, {});
    finds({ said: "leave me alone" });
    await say("leave me alone");
    expect(await listed(app, source)).toMatchObject([{ said: "leave me alone" }]);
    expect(await spoken(app, content.session_id)).toEqual([
      "user: hello",
      "agent: You said hello.",
      "user: leave me alone",
    ]);
  });

  test("in a text it is confirmed in the conversation's language with the way back, once, and nothing else is sent", async () => {
    const line = await createNumber(app, agent_id);
    const from = "+15126680007";
    const write = (body: string) => app.simulator.text(line.account_sid, { from, to: line.number, body });
    finds({ said: "no more of these texts" });
    await write("no more of these texts, thanks");
    const settled = (count: number) =>
      eventually(
        () => textsWith(app, from),
        (texts) =>
          texts.length === count &&
          texts.every(({ status }) => status === "DELIVERED" || status === "ANSWERED"),
      );
    const texts = await settled(2);
    expect(texts.map(({ direction, text }) => `${direction} ${text}`)).toEqual([
      "in no more of these texts, thanks",
      expect.stringMatching(
        /^out Agent \d+: You will not hear from us again\. Reply START to change that\.$/,
      ),
    ]);
    expect(await listed(app, from)).toMatchObject([
      { scope: "all", through: "text", said: "no more of these texts" },
    ]);
  });
});

test("a text in which the agent's tool stored an opt-out is still answered, once, also by a process that takes over", async () => {
  const app = await createSimulatedApp({
    scenario: {
      people: [{ number: "+1512668*", person: { name: "quiet", text: { replies_after_s: null } } }],
    },
  });
  const { agent_id } = await createAgent(app, {
    script: 'on "rid of you" -> call opt_out {"said": "rid of you"} then say "Done, Ann."',
    systemTools: ["opt_out"],
  });
  const line = await createNumber(app, agent_id);
  const from = "+15126680008";
  const settled = () =>
    eventually(
      async () => ({ isBusy: await isAtWork(app.db, from), texts: await textsWith(app, from) }),
      ({ isBusy, texts }) =>
        !isBusy && texts.every(({ status }) => status === "DELIVERED" || status === "ANSWERED"),
    ).then(({ texts }) => texts.map(({ direction, text }) => `${direction} ${text}`));
  const body = "I want to be rid of you";
  const answers = ["out Done, Ann.", "out They will not be called or written to again."];
  const sid = await app.simulator.text(line.account_sid, { from, to: line.number, body });
  expect(await settled()).toEqual([`in ${body}`, ...answers]);
  // As the process that heard it leaves things when it dies before the answer is stored.
  await app.db
    .deleteFrom("text_messages")
    .where("source", "=", from)
    .where("direction", "=", "out")
    .execute();
  await app.db.updateTable("text_messages").set({ status: "RECEIVED" }).where("key", "=", sid).execute();
  const carriers = createCarriers({
    ...app,
    publicUrl: app.config.public_url,
    operator: null,
    baseUrl: null,
  });
  const dialogue = { channel_target_id: line.targets.sms as number, source: from };
  await goOnWith({ engine: app.engine, carriers }, dialogue);
  expect(await settled()).toEqual([`in ${body}`, ...answers]);
  // What comes later is nobody's to answer.
  await app.simulator.text(line.account_sid, { from, to: line.number, body: "hello?" });
  expect(await settled()).toEqual([`in ${body}`, ...answers, "in hello?"]);
});

test("in a test of the agent it is confirmed and nobody is listed", async () => {
  const app = await createTestApp();
  await judges(app);
  const { agent_id } = await createAgent(app, { script: SCRIPT });
  const address = "+12025550123";
  const { session_id } = await startSession(app.engine, {
    sub_organization_id: app.admin.sub_organization_id,
    agent_id,
    channel: "sms",
    service: "test",
    type: "test_v1",
    sid: "t1",
    channel_target_id: null,
    source: address,
    target: null,
    is_test: true,
    is_outbound: false,
    verified: true,
    test: { mocks: [], network: "closed", seed: null } as never,
  });
  finds({ said: "leave me alone" });
  const { messages } = await runTurn(app.engine, session_id, { text: "leave me alone" });
  expect(messages).toEqual([expect.stringContaining("You will not hear from us again.")]);
  expect(await listed(app, address)).toEqual([]);
});

test("on a call it holds and is confirmed aloud", async () => {
  const app = await createTestApp();
  await judges(app);
  const { number } = await voiceNumber(app, { script: SCRIPT });
  const phone = await pickUp(app, incoming(number));
  finds({ said: "quit ringing me" });
  phone.says("would you quit ringing me");
  expect(await phone.hears(1)).toEqual(["All right. We will not contact you again."]);
  expect(await listed(app, "+14155550199")).toMatchObject([{ through: "speech", said: "quit ringing me" }]);
});

test("in a mail it holds and is confirmed once, in its thread", async () => {
  const outside: MailServer = await createMailServer();
  const { app, box } = await createMailWorld(outside, { script: SCRIPT });
  await judges(app);
  const ann = somebody();
  finds({ said: "never write to me again" });
  await app.deliver({
    from: ann,
    to: box.address,
    subject: "Hm",
    text: "Please never write to me again.\n\nAnn",
  });
  const mails = await eventually(
    () => settledMails(app, ann),
    (found) => found.length === 2,
  );
  expect(mails[1]).toMatchObject({ direction: "out", subject: "Re: Hm" });
  expect(outside.mails.at(-1)?.text).toContain(
    "You will not hear from us again. Reply START to change that.",
  );
  expect(await listed(app, ann)).toMatchObject([{ through: "mail", said: "never write to me again" }]);
});

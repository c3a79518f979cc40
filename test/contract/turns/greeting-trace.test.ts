import { beforeAll, describe, expect, test } from "vitest";
import { openWorkflows } from "../../../src/turns/open-workflows.ts";
import { startSession } from "../../../src/turns/start-session.ts";
import { runTurn } from "../../../src/turns/turn.ts";
import { converse, createAgent } from "../../harness/agent.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { createGroup, english, spanish } from "../../harness/voice-groups.ts";

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
});

const rule = (description: string, text: string, more: object) => ({
  description,
  text,
  invert: false,
  date: null,
  days_of_week: null,
  time_range_start: null,
  time_range_end: null,
  ...more,
});
const greeting = {
  text: "Hello.",
  rules: [
    rule("Thanksgiving", "Happy Thanksgiving.", { date: "2026-11-26" }),
    rule("Weekend", "It is the weekend.", { days_of_week: ["sa", "su"] }),
    rule("Mornings", "Good morning.", { time_range_start: "08:00", time_range_end: "10:00" }),
    rule("Closed", "We are closed.", {
      invert: true,
      days_of_week: ["mo", "tu", "we", "th", "fr"],
      time_range_start: "08:00",
      time_range_end: "17:00",
    }),
  ],
};
const greetingsOf = async (session_id: number) => {
  const { body } = await app.send("GET", `/api/v1/sessions/${session_id}/trace`);
  return body.entries.filter(({ category }: { category: string }) => category === "greeting");
};

describe("the trace tells which rule chose the greeting", () => {
  test.each<[string, string, object]>([
    ["2026-11-26T09:00:00", "Happy Thanksgiving.", { rule: 0, kind: "date", held: [0, 2] }],
    ["2026-11-28T12:00:00", "It is the weekend.", { rule: 1, kind: "days_of_week", held: [1, 3] }],
    ["2026-11-24T09:30:00", "Good morning.", { rule: 2, kind: "times", held: [2] }],
    ["2026-11-24T17:00:00", "We are closed.", { rule: 3, kind: "inverted", held: [3] }],
    ["2026-11-24T12:00:00", "Hello.", { rule: null, kind: null, held: [], description: null }],
  ])("at %s: %s", async (override_timestamp, text, why) => {
    const { agent_id } = await createAgent(app, { script: "", greeting });
    const { text: said, content } = await converse(app, agent_id)("", { override_timestamp });
    expect(said).toBe(text);
    const [entry, ...others] = await greetingsOf(content.session_id);
    expect(others).toEqual([]);
    expect(entry).toMatchObject({
      turn_index: 0,
      details: {
        ...why,
        local_time: override_timestamp.replace("T", " ").slice(0, 16),
        timezone: "America/New_York",
      },
    });
  });

  test("on the agent's clock, and on a call when the person hears it", async () => {
    const { agent_id } = await createAgent(app, { script: "", greeting });
    const { session_id } = await startVoice(agent_id, {});
    expect(await greetingsOf(session_id)).toEqual([]);
    await openWorkflows(app.engine, session_id, null);
    // Noon in UTC is seven in New York, where nobody works yet.
    expect(await greetingsOf(session_id)).toMatchObject([
      {
        details: { rule: 3, description: "Closed", local_time: "2026-11-18 07:00", day_of_week: "Wednesday" },
      },
    ]);
  });

  test("of an agent that doesn't greet it tells nothing", async () => {
    const { agent_id } = await createAgent(app, { script: "" });
    const { content } = await converse(app, agent_id)("");
    expect(await greetingsOf(content.session_id)).toEqual([]);
  });
});

let calls = 0;
const startVoice = (agent_id: number, more: object) =>
  startSession(app.engine, {
    sub_organization_id: app.admin.sub_organization_id,
    agent_id,
    channel: "voice",
    service: "twilio",
    type: "twilio_voice_v1",
    sid: `CA${++calls}`,
    channel_target_id: null,
    source: "+14155550100",
    target: "+14155550199",
    is_test: false,
    is_outbound: false,
    verified: true,
    greets: "later",
    ...more,
  });
const saidOn = async (channel: "voice" | "chat", agent: object) => {
  const { agent_id } = await createAgent(app, {
    script: "",
    greeting: { text: "I am {{ vars.session.voice }}." },
    agent,
  });
  const { session_id } = await startVoice(agent_id, { channel });
  const { parts } = await openWorkflows(app.engine, session_id, null);
  return parts.map(({ text }) => text);
};

describe("vars.session.voice", () => {
  test("is the voice of the session's language on a call, and what the agent made it elsewhere", async () => {
    const { id: language_group_id } = await createGroup(app, "Voices", [english(), spanish()]);
    const variables = { "vars.session.voice": "openai:alloy" };
    expect(await saidOn("voice", { language_group_id })).toEqual(["I am elevenlabs:Alice."]);
    expect(await saidOn("voice", { language_group_id, variables })).toEqual(["I am elevenlabs:Alice."]);
    expect(await saidOn("voice", { variables })).toEqual(["I am openai:alloy."]);
    expect(await saidOn("chat", { language_group_id, variables })).toEqual(["I am openai:alloy."]);
    expect(await saidOn("chat", { language_group_id })).toEqual(["I am ."]);
  });

  test("follows the language", async () => {
    const { id: language_group_id } = await createGroup(app, "More voices", [english(), spanish()]);
    const { agent_id } = await createAgent(app, {
      script: 'on "hi" -> say "x"',
      greeting: {
        text: "{{ language.mode }} I am {{ vars.session.voice }}.",
        repeat_after_language_change: true,
      },
      agent: { language_group_id },
    });
    const { session_id } = await startVoice(agent_id, {});
    await openWorkflows(app.engine, session_id, null);
    const { messages } = await runTurn(app.engine, session_id, { text: "2" });
    expect(messages).toEqual(["I am wavenet:female/es-US-Chirp3-HD-Kore."]);
    expect(await greetingsOf(session_id)).toHaveLength(2);
  });
});

import { beforeAll, expect, test } from "vitest";
import { startSession } from "../../../src/turns/start-session.ts";
import { runTurn } from "../../../src/turns/turn.ts";
import { createAgent } from "../../harness/agent.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";

let app: TestApp;
let front: number;
beforeAll(async () => {
  app = await createTestApp();
  const add = async (name: string, type: string, number: string, rules: object[] | null = null) => {
    const extensions = [{ name: "work", numbers: [{ number, rules }] }];
    const answer = await app.send("POST", "/api/v1/directory_members/", { name, type, extensions });
    expect(answer.status).toBe(200);
    return answer.body.id as number;
  };
  // The agent's zone is New York, and it is 7 in the morning there.
  front = await add("Front desk", "Operator", "+1 (415) 555-0100", [
    { start_time: "07:00", end_time: "08:00" },
  ]);
  await add("Billing", "Department", "+14155550101", [{ start_time: "09:00", end_time: "17:00" }]);
  await add("Pharmacy", "Department", "+14155550102");
  await add("Pharmacy", "contact", "+14155550103");
});

let counter = 0;
async function call(channel: "voice" | "chat", any_number?: boolean) {
  const defaults = [{ field_name: "any_number", default_value: any_number }];
  const { agent_id } = await createAgent(app, {
    script: `
      on /transfer me to (?<who>.+)/ -> call transfer {"destination": "{who}", "reason": "asked"}
      after transfer if error -> say "No: {result.error.message}"
      after transfer -> say "Never said."
      otherwise -> say "Go on."`,
    systemTools: ["transfer"],
    agent: { prompt_tool_defaults: any_number ? [{ tool_name: "transfer", default_values: defaults }] : [] },
  });
  const { session_id } = await startSession(app.engine, {
    sub_organization_id: app.admin.sub_organization_id,
    agent_id,
    channel,
    service: channel,
    type: "voice_twilio_v1",
    sid: `CA${++counter}`,
    channel_target_id: null,
    source: "+14155550199",
    target: "+14155550198",
    is_test: false,
    is_outbound: false,
    verified: true,
  });
  return { session_id, say: (text: string) => runTurn(app.engine, session_id, { text }) };
}

test("a member is reached at the number that holds now; that is the turn's action, and the session goes on", async () => {
  const { session_id, say } = await call("voice");
  const turn = await say("transfer me to front desk");
  expect(turn.action).toEqual({
    action: "transfer",
    number: "+14155550100",
    member: { id: front, name: "Front desk", type: "Operator" },
    reason: "asked",
  });
  expect(turn).toMatchObject({ ended: false, messages: [] });
  expect(turn.calls).toMatchObject([
    { tool_name: "transfer", result: { action: "transfer", destination: "Front desk" }, error: null },
  ]);
  // Nobody answered there: the agent goes on.
  expect(await say("hello?")).toMatchObject({ action: null, messages: ["Go on."] });
  const session = await app.send("GET", `/api/v1/session_debug/session_id/${session_id}`);
  expect(session.body.messages.at(-2).dialog.text).toBe("hello?");
});

test.each([
  ["nobody answers at this time", "billing", "Billing can't be reached at this time in en-US."],
  [
    "the name is of several",
    "pharmacy",
    "There are several: Pharmacy (Department), Pharmacy (contact). Say which.",
  ],
  ["nobody has the name", "surgery", 'The directory has no "surgery". Did you mean one of: '],
  [
    "the number is not in the directory",
    "+14155550177",
    "+14155550177 is not in the directory, and this agent transfers to nobody else.",
  ],
])("the model is told when %s, and goes on", async (_why, who, message) => {
  const { say } = await call("voice");
  const turn = await say(`transfer me to ${who}`);
  expect(turn).toMatchObject({ action: null, ended: false });
  expect(turn.messages[0]?.startsWith(`No: ${message}`)).toBe(true);
});

test("an agent that may dial any number reaches one that is not in the directory", async () => {
  const { say } = await call("voice", true);
  expect((await say("transfer me to +1 415 555 0177")).action).toMatchObject({
    action: "transfer",
    number: "+14155550177",
    member: null,
  });
});

test("nobody is transferred to what costs more than a call, however the agent was talked into it", async () => {
  const { say } = await call("voice", true);
  const turn = await say("transfer me to +1 900 555 1234");
  expect(turn).toMatchObject({ action: null, ended: false });
  expect(turn.messages).toEqual([
    "No: Nobody is transferred there: +19005551234 is a premium-rate number, and OUTREACH_ALLOW does not name it.",
  ]);
});

test("in a chat nobody is transferred", async () => {
  const { say } = await call("chat");
  expect(await say("transfer me to front desk")).toMatchObject({
    action: null,
    messages: ["No: Transfer is only available on voice."],
  });
});

import { beforeAll, describe, expect, test } from "vitest";
import { createAgent } from "../../harness/agent.ts";
import { createNumber, createSimulatedApp, eventually, type SimulatedApp } from "../../harness/simulated.ts";

let app: SimulatedApp;
let line: Awaited<ReturnType<typeof createNumber>>;
beforeAll(async () => {
  app = await createSimulatedApp({
    speed: 40,
    scenario: {
      people: [
        {
          number: "+151266635*",
          person: { name: "wants the night desk", otherwise: "The night desk.", call: { patience: 3 } },
        },
        {
          number: "+15126663*",
          person: { name: "wants a person", otherwise: "A human, please.", call: { patience: 3 } },
        },
      ],
    },
  });
  const { agent_id } = await createAgent(app, {
    script:
      'on /human/ -> call transfer {"destination": "Front desk"}\non /night/ -> call transfer {"destination": "Night desk"}\non /goodbye/ -> say "Bye." then call hangup {}\non /.*/ -> say "Noted."',
    systemTools: ["hangup", "transfer"],
    greeting: { type: "greeting", text: "Hello from the clinic." },
  });
  const extensions = [{ name: "work", numbers: [{ number: "+14155550101", rules: null }] }];
  const member = { name: "Front desk", type: "Operator", extensions };
  expect((await app.send("POST", "/api/v1/directory_members/", member)).status).toBe(200);
  const mailbox = [{ name: "work", numbers: [{ number: "+14155550104", rules: null }] }];
  await app.send("POST", "/api/v1/directory_members/", {
    name: "Night desk",
    type: "Operator",
    extensions: mailbox,
  });
  // Whether words come before the greeting or over it is the machine's to decide: they count in either case.
  const telephony = { passive_input_start: 0, transfer_leg_voicemail_detection_enabled: true };
  line = await createNumber(app, agent_id, { modes: ["voice"], telephony });
});

const sessionOf = (sid: string) =>
  app.db
    .selectFrom("sessions")
    .select(["id", "ended_at", "end_reason", "channel_manager_type", "source", "user_terminated"])
    .where("channel_manager_sid", "=", sid)
    .executeTakeFirst();
const wordsOf = async (session_id: number) =>
  (
    await app.db
      .selectFrom("session_messages")
      .select(["role", "text"])
      .where("session_id", "=", session_id)
      .orderBy("seq")
      .execute()
  ).map(({ role, text }) => `${role}: ${text}`);
const whenOver = (sid: string) =>
  eventually(
    () => sessionOf(sid),
    (found) => found?.ended_at != null,
  );

describe("a call that comes in", () => {
  test("is answered, talked through and ended", async () => {
    const sid = await app.simulator.call(line.account_sid, { from: "+15126660001", to: line.number });
    const session = await whenOver(sid);
    expect(session).toMatchObject({ channel_manager_type: "voice_twilio_v1", source: "+15126660001" });
    const words = await wordsOf(session!.id);
    expect(words[0]).toBe("agent: Hello from the clinic.");
    expect(words).toContain("agent: Noted.");
    // Its session is over before its line is closed.
    await expect.poll(() => app.simulator.callStatus(sid)).toBe("completed");
  });

  test("keeps of an interrupted sentence what was heard", async () => {
    const sid = await app.simulator.call(line.account_sid, { from: "+15126660008", to: line.number });
    const session = await whenOver(sid);
    const words = await wordsOf(session!.id);
    expect(words[0]?.length).toBeLessThan("agent: Hello from the clinic.".length);
  });
});

describe("people on the line", () => {
  test.each([
    ["06", "a call screener, who asks first", /^user: Hi\. If you record your name/],
    ["07", "a slow talker, whose sentences take long", /^user: /],
  ])("…%s: %s", async (ending, _who, opens) => {
    const from = `+151266610${ending}`;
    const sid = await app.simulator.call(line.account_sid, { from, to: line.number });
    const session = await whenOver(sid);
    const words = await wordsOf(session!.id);
    expect(words.find((each) => each.startsWith("user: "))).toMatch(opens);
  });

  test("somebody who hangs up at once ends the session as theirs", async () => {
    const sid = await app.simulator.call(line.account_sid, { from: "+15126661013", to: line.number });
    expect(await whenOver(sid)).toMatchObject({ user_terminated: true });
  });
});

test("what was said is recorded: the carrier's recording is fetched and can be listened to", async () => {
  const sid = await app.simulator.call(line.account_sid, { from: "+15126662013", to: line.number });
  const session = await whenOver(sid);
  const recorded = await eventually(
    () => app.db.selectFrom("recordings").select("id").where("session_id", "=", session!.id).execute(),
    (rows) => rows.length > 0,
  );
  expect(recorded).toHaveLength(1);
});

test("who wants a person is put through, and the session ends as a transfer that succeeded", async () => {
  const sid = await app.simulator.call(line.account_sid, { from: "+15126663001", to: line.number });
  const session = await whenOver(sid);
  expect(session).toMatchObject({ end_reason: "transfer" });
  const { rows } = await app.database.pool.query(
    "select attributes ->> 'outcome' as outcome from events where session_id = $1 and type = 'phone-transfer'",
    [String(session!.id)],
  );
  expect(rows).toEqual([{ outcome: "success" }]);
});

test("a mailbox that took the transfer is told by the carrier before the transfer's end, and marks the session", async () => {
  const sid = await app.simulator.call(line.account_sid, { from: "+15126663501", to: line.number });
  const session = await whenOver(sid);
  const { transfer_voicemail_detected } = await app.db
    .selectFrom("sessions")
    .select("transfer_voicemail_detected")
    .where("id", "=", session!.id)
    .executeTakeFirstOrThrow();
  expect(transfer_voicemail_detected).toBe(true);
  expect(await app.db.selectFrom("transfer_answerers").selectAll().execute()).toEqual([]);
});

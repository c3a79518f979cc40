import { beforeAll, describe, expect, test } from "vitest";
import { transferOutcome } from "../../../src/calls/call-transfer.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { createNumber, endOf, eventsOf, incoming, openPhone, pickUp } from "../../harness/phone.ts";

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
  const extensions = [{ name: "work", numbers: [{ number: "+14155550100", rules: null }] }];
  const member = { name: "Front desk", type: "Operator", extensions };
  expect((await app.send("POST", "/api/v1/directory_members/", member)).status).toBe(200);
});

const SCRIPT = `
  on "desk" -> say "I will put you through." then call transfer {"destination": "Front desk", "reason": "asked"}
  after transfer if result.outcome == "busy" -> say "The desk is busy. Can I help?"
  after transfer -> say "Never said."
  on "break" -> fail 500 "down"
  otherwise -> say "Go on."`;

async function transferred(more: object = {}) {
  const target = await createNumber(app, { script: SCRIPT, systemTools: ["transfer"], ...more });
  const call = incoming(target.number);
  const phone = await pickUp(app, call);
  phone.says("the desk, please");
  expect(await phone.hears(1)).toEqual(["I will put you through."]);
  return { phone, call, next: await phone.isLeft(), number: target.number };
}

const ended = (status: string, more: object = {}) => ({
  status,
  answered_by: null,
  duration_s: null,
  ...more,
});

test("the person is connected once the words before it were played; the end of that leg ends the session", async () => {
  const { phone, call, next, number } = await transferred();
  expect(next).toEqual({ action: "dial", number: "+14155550100", caller_id: number, detect_answerer: false });
  phone.does({ type: "closed" });
  app.clock.advance(60_000);
  expect(await app.voiceCalls.transferEnded(call.sid, ended("completed", { duration_s: 60 }), null)).toEqual({
    action: "hangup",
  });
  expect(await endOf(app, phone.session_id)).toMatchObject({
    end_reason: "transfer",
    user_terminated: false,
    duration: 60,
  });
  expect(await eventsOf(app, phone.session_id, "phone-transfer")).toMatchObject([
    { attributes: { name: "Front desk", contact_type: "Operator", outcome: "success", duration_s: 60 } },
  ]);
  // Told twice, nothing is done twice.
  expect(await app.voiceCalls.transferEnded(call.sid, ended("completed"), null)).toEqual({
    action: "hangup",
  });
});

test("when nobody is reached the agent goes on, and knows why", async () => {
  const { phone, call } = await transferred();
  phone.does({ type: "closed" });
  const next = await app.voiceCalls.transferEnded(call.sid, ended("busy"), null);
  if (next.action !== "reopen") throw new Error(JSON.stringify(next));
  // Told twice, the same line is offered.
  expect(await app.voiceCalls.transferEnded(call.sid, ended("busy"), null)).toEqual(next);
  const again = await openPhone(app, call, next);
  expect(await again.hears(1)).toEqual(["The desk is busy.", "Can I help?"]);
  again.says("yes");
  expect(await again.hears(1)).toEqual(["Go on."]);
  again.does({ type: "closed" });
  expect(await endOf(app, phone.session_id)).toMatchObject({ end_reason: "user" });
  expect(await eventsOf(app, phone.session_id, "phone-transfer")).toMatchObject([
    { attributes: { outcome: "busy" } },
  ]);
});

test("a transfer that a voicemail took is marked on the session, where its channel listens for that", async () => {
  const telephony = { transfer_leg_voicemail_detection_enabled: true };
  const { phone, call, next } = await transferred({ telephony });
  expect(next).toMatchObject({ detect_answerer: true });
  await app.voiceCalls.transferEnded(
    call.sid,
    ended("completed", { answered_by: "machine_start", duration_s: 9 }),
    null,
  );
  expect(await endOf(app, phone.session_id)).toMatchObject({
    end_reason: "transfer",
    transfer_voicemail_detected: true,
  });
});

test("an old leg's token opens no new line", async () => {
  const { call, number } = await transferred();
  const answered = await app.voiceCalls.answer(incoming(number, { sid: call.sid }));
  expect(answered).toBeNull();
});

describe("the fallback target", () => {
  test("is dialled after the apology when the model gives no answer", async () => {
    const target = await createNumber(app, { script: SCRIPT, fallback_target: "+14155550111" });
    const call = incoming(target.number);
    const phone = await pickUp(app, call);
    phone.says("break");
    expect((await phone.hears(1))[0]).toMatch(/^I'm sorry/);
    expect(await phone.isLeft()).toMatchObject({ action: "dial", number: "+14155550111" });
    await app.voiceCalls.transferEnded(call.sid, ended("no-answer"), null);
    expect(await endOf(app, phone.session_id)).toMatchObject({ end_reason: "error" });
    expect(await eventsOf(app, phone.session_id, "phone-transfer")).toMatchObject([
      { attributes: { reason: "fallback", outcome: "no-answer" } },
    ]);
  });

  test("is dialled for a number whose agent is gone; without one nobody answers", async () => {
    const target = await createNumber(app, { script: SCRIPT, fallback_target: "+14155550111" });
    const alone = await createNumber(app, { script: SCRIPT });
    await app.db
      .updateTable("agents")
      .set({ deleted_at: app.clock.now().toISOString() })
      .where("id", "in", [target.agent_id, alone.agent_id])
      .execute();
    expect(await app.voiceCalls.answer(incoming(target.number))).toEqual({ dial: "+14155550111" });
    expect(await app.voiceCalls.answer(incoming(alone.number))).toBeNull();
    expect(await app.voiceCalls.answer(incoming("+19995550000"))).toBeNull();
  });
});

test("a fallback target that the operator lets nobody reach is none, however it is spelled", async () => {
  for (const fallback_target of ["+19005551234", "1 (900) 555-1234"]) {
    const { number, agent_id, target_id } = await createNumber(app, { script: SCRIPT });
    // As one that was saved before the settings refused it.
    await app.db
      .updateTable("channel_targets")
      .set({ fallback_target })
      .where("id", "=", target_id)
      .execute();
    const deleted_at = app.clock.now().toISOString();
    await app.db.updateTable("agents").set({ deleted_at }).where("id", "=", agent_id).execute();
    expect(await app.voiceCalls.answer(incoming(number))).toBeNull();
  }
});

test.each([
  ["completed", null, "success"],
  ["answered", "human", "success"],
  ["completed", "machine_end_beep", "voicemail"],
  ["completed", "fax", "voicemail"],
  ["busy", null, "busy"],
  ["no-answer", null, "no-answer"],
  ["canceled", null, "no-answer"],
  ["failed", null, "failed"],
])("a leg that was %s, answered by %s, is a %s", (status, answered_by, outcome) => {
  expect(transferOutcome({ status, answered_by, duration_s: null })).toBe(outcome);
});

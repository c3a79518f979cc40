import { beforeAll, describe, expect, test, vi } from "vitest";
import { movedClock } from "../../../src/base/clock.ts";
import { createVoiceCalls } from "../../../src/calls/telephone.ts";
import type { ChannelStatus } from "../../../src/channels/channel-status.ts";
import { endSession } from "../../../src/turns/end-session.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { createNumber, endOf, incoming, openPhone, pickUp, transcriptOf } from "../../harness/phone.ts";
import { WAITING } from "../../harness/waiting.ts";

let app: TestApp;
let number: string;
const SCRIPT = `
  on "slow" -> wait 300ms then say "Here it is."
  on "break" -> fail 500 "down"
  otherwise -> say "You said {user.text}."`;
beforeAll(async () => {
  app = await createTestApp();
  ({ number } = await createNumber(app, { script: SCRIPT, greeting: { text: "Hello." } }));
});

/** No campaign places calls here. */
const NO_ATTEMPTS = { find: async () => null, sessionStarted: async () => {}, signal: async () => {} };

const signalOf = (sid: string, status: ChannelStatus) => ({
  key: null,
  sid,
  status,
  word: status.toLowerCase(),
  error_code: null,
  is_transient: null,
  at: app.clock.now(),
});

describe("a carrier that asks twice", () => {
  test("gets the same answer, also at the same moment, and there is one session", async () => {
    const call = incoming(number);
    const answers = await Promise.all([1, 2, 3].map(() => app.voiceCalls.answer(call)));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    const sessions = await app.db
      .selectFrom("sessions")
      .select("id")
      .where("channel_manager_sid", "=", call.sid)
      .execute();
    expect(sessions).toHaveLength(1);
  });

  test("opens a line once, and only with its own token", async () => {
    const call = incoming(number);
    const other = await app.voiceCalls.answer(incoming(number));
    const answered = await app.voiceCalls.answer(call);
    if (!answered || "dial" in answered || !other || "dial" in other) throw new Error("not answered");
    const line = { send: () => {}, close: () => {} };
    const { call_id, token } = answered;
    expect(await app.voiceCalls.open(call_id, other.token, line)).toBeNull();
    expect(await app.voiceCalls.open("999999", token, line)).toBeNull();
    expect(await app.voiceCalls.open("1; drop table calls", token, line)).toBeNull();
    const phone = await openPhone(app, call, answered);
    expect(await phone.hears(1)).toEqual(["Hello."]);
    expect(await app.voiceCalls.open(call_id, token, line)).toBeNull();
  });
});

test("the channel that a call comes over decides between numbers of the same name", async () => {
  const mine = await createNumber(app, { script: SCRIPT });
  const theirs = await app.createNeighbour();
  const channel = await theirs.send("POST", "/api/v1/channels/", {
    name: "Theirs",
    channel_service: "sip",
    config: {},
  });
  const answered = await app.voiceCalls.answer(incoming(mine.number, { channel_id: channel.body.id }));
  expect(answered).toBeNull();
  expect(await app.voiceCalls.answer(incoming(mine.number, { channel_id: mine.channel_id }))).not.toBeNull();
});

describe("the carrier's word that the call is over", () => {
  test("ends a call whose socket has not noticed yet", async () => {
    const call = incoming(number);
    const phone = await pickUp(app, call);
    await phone.hears(1);
    await app.voiceCalls.signal(signalOf(call.sid, "COMPLETED"), null);
    expect(await endOf(app, phone.session_id)).toMatchObject({ end_reason: "user", user_terminated: true });
    await app.voiceCalls.signal(signalOf(call.sid, "COMPLETED"), null);
  });

  test("ends a call whose line was never opened", async () => {
    const call = incoming(number);
    await app.voiceCalls.answer(call);
    await app.voiceCalls.signal(signalOf(call.sid, "FAILED"), null);
    const { session_id, state } = await app.db
      .selectFrom("calls")
      .select(["session_id", "state"])
      .where("sid", "=", call.sid)
      .executeTakeFirstOrThrow();
    expect(state).toBe("ended");
    expect(await endOf(app, session_id)).toMatchObject({ end_reason: "user" });
    expect(await app.voiceCalls.answer(call)).toBeNull();
  });

  const earlyEnd = async (sid: string) => {
    const { rows } = await app.database.pool.query(
      `delete from graphile_worker._private_jobs where payload->>'sid' = $1
       returning payload, (extract(epoch from run_at) * 1000)::float8 as run_at_ms`,
      [sid],
    );
    expect(rows.length).toBeLessThan(2);
    return rows[0] && { ...rows[0], wait_ms: rows[0].run_at_ms - app.clock.now().getTime() };
  };
  const lookAgain = async (payload: unknown) => {
    const early = app.jobs.find(({ job }) => job.name === "end-early-call");
    await early?.run(payload, {} as never);
  };

  test("ends a call that is answered only afterwards, within a second", async () => {
    const call = incoming(number);
    expect(await app.voiceCalls.signal(signalOf(call.sid, "COMPLETED"), null)).toBe(false);
    await app.voiceCalls.answer(call);
    const { payload, wait_ms } = await earlyEnd(call.sid);
    expect(wait_ms).toBe(1000);
    await lookAgain(payload);
    const { session_id } = await app.db
      .selectFrom("calls")
      .select("session_id")
      .where("sid", "=", call.sid)
      .executeTakeFirstOrThrow();
    expect(await endOf(app, session_id)).toMatchObject({ end_reason: "user", user_terminated: true });
    expect(await earlyEnd(call.sid)).toBeUndefined();
  });

  test("is kept for a minute where no call follows; an attempt that nobody answered never has one", async () => {
    await app.voiceCalls.signal(signalOf("CA-never", "CANCELED"), null);
    const waits: number[] = [];
    for (let next = await earlyEnd("CA-never"); next; next = await earlyEnd("CA-never")) {
      waits.push(next.wait_ms);
      await lookAgain(next.payload);
    }
    expect(waits).toEqual([1000, 5000, 15_000, 30_000]);
    await app.voiceCalls.signal({ ...signalOf("CA-busy", "BUSY"), key: "attempt-1" }, null);
    expect(await earlyEnd("CA-busy")).toBeUndefined();
  });

  test("by another channel's account is nothing", async () => {
    const other = await createNumber(app, { script: SCRIPT });
    const call = incoming(number);
    const phone = await pickUp(app, call);
    await phone.hears(1);
    await app.voiceCalls.signal(signalOf(call.sid, "COMPLETED"), other.channel_id);
    phone.says("Are you there?");
    expect(await phone.hears(1)).not.toEqual([]);
    phone.does({ type: "closed" });
    await endOf(app, phone.session_id);
  });

  test("of a call that never was is nothing", async () => {
    for (const status of ["COMPLETED", "HUMAN", "QUEUED"] as const) {
      await app.voiceCalls.signal(signalOf("CA-unknown", status), null);
    }
    expect(
      await app.voiceCalls.transferEnded(
        "CA-unknown",
        { status: "busy", answered_by: null, duration_s: null },
        null,
      ),
    ).toEqual({ action: "hangup" });
    await app.voiceCalls.recordingReady("CA-unknown", { url: "https://x.example/r" }, null);
  });
});

test("a person who hangs up while a turn runs ends the session once the turn has stopped; nothing is said any more", async () => {
  const phone = await pickUp(app, incoming(number));
  await phone.hears(1);
  phone.says("slow");
  phone.does({ type: "closed" });
  expect(await endOf(app, phone.session_id)).toMatchObject({ end_reason: "user" });
  expect(phone.outputs).toHaveLength(1);
});

test("a line that fails at a word costs that word, and the call goes on", async () => {
  const call = incoming(number);
  const answered = await app.voiceCalls.answer(call);
  if (!answered || "dial" in answered) throw new Error("not answered");
  let broken = true;
  const heard: string[] = [];
  const line = await app.voiceCalls.open(answered.call_id, answered.token, {
    send(output) {
      if (broken) throw new Error("broken pipe");
      if (output.type === "say") heard.push(output.text);
    },
    close: () => {},
  });
  line?.input({ type: "open", sid: call.sid });
  await vi.waitFor(() => expect(app.errors.join("")).toContain("the line of a call failed"), WAITING);
  broken = false;
  line?.input({ type: "played" });
  line?.input({ type: "speech", text: "hi", final: true, lang: null });
  await vi.waitFor(() => expect(heard.join("")).toContain("You said hi."), WAITING);
  line?.input({ type: "closed" });
});

test("a call lasts an hour at most, also where silence never ends it", async () => {
  const telephony = { pre_input_timeout: 0, overall_input_timeout: 0 };
  const patient = await createNumber(app, { script: SCRIPT, telephony });
  const phone = await pickUp(app, incoming(patient.number));
  phone.says("hi");
  await phone.hears(1);
  app.clock.advance(3_599_999);
  expect(phone.outputs).toHaveLength(1);
  app.clock.advance(1);
  expect(await phone.hears(1)).toEqual(["Goodbye."]);
  expect(await phone.isLeft()).toEqual({ action: "hangup" });
  expect(await endOf(app, phone.session_id)).toMatchObject({
    end_reason: "max-duration",
    user_terminated: false,
    duration: 3600,
  });
});

test("a line that opens while the platform is being stopped is told goodbye too", async () => {
  const voiceCalls = createVoiceCalls({
    voice_missing: null,
    engine: { ...app.engine, owner: "stopping at the wrong moment" },
    vault: app.vault,
    carriers: { of: async () => null },
    attempts: NO_ATTEMPTS,
    publicUrl: "http://x",
  });
  const call = incoming(number);
  const answered = await voiceCalls.answer(call);
  if (!answered || "dial" in answered) throw new Error("not answered");
  voiceCalls.stop();
  const phone = await openPhone({ db: app.db, voiceCalls }, call, answered);
  expect(await phone.hears(1)).toEqual(["Goodbye."]);
  expect(await phone.isLeft()).toEqual({ action: "hangup" });
  expect(await endOf(app, phone.session_id)).toMatchObject({ end_reason: "error" });
});

test("a process that is stopped tells whoever is on the line goodbye, and answers nobody", async () => {
  const stopped = createVoiceCalls({
    voice_missing: null,
    engine: { ...app.engine, owner: "stopping" },
    vault: app.vault,
    carriers: { of: async () => null },
    publicUrl: "https://parley.example",
    attempts: NO_ATTEMPTS,
  });
  const phone = await pickUp({ db: app.db, voiceCalls: stopped }, incoming(number));
  await phone.hears(1);
  stopped.stop();
  expect(await phone.hears(1)).toEqual(["Goodbye."]);
  expect(await endOf(app, phone.session_id)).toMatchObject({ end_reason: "error", user_terminated: false });
  expect(await stopped.answer(incoming(number))).toBeNull();
});

describe("a process that dies", () => {
  test("leaves calls that another one ends; what was said is kept, and the carrier is told to hang up", async () => {
    const hungUp: string[] = [];
    const part = (owner: string, clock = app.clock) =>
      createVoiceCalls({
        voice_missing: null,
        // A clock that stands still for good is a process that does nothing any more.
        engine: { ...app.engine, owner, clock },
        vault: app.vault,
        publicUrl: "https://parley.example",
        attempts: NO_ATTEMPTS,
        carriers: {
          of: async () => ({
            account: { channel_id: 0, credentials: {} },
            carrier: {
              name: "test carrier",
              simulated: true,
              calls: {
                place: () => Promise.reject(new Error("not here")),
                find: async () => null,
                hangUp: async (_account, sid) => void hungUp.push(sid),
                cancel: async () => undefined,
              },
            },
          }),
        },
      });
    const dead = part("dead", movedClock(app.clock.now()));
    const call = incoming(number);
    const phone = await pickUp({ db: app.db, voiceCalls: dead }, call);
    await phone.hears(1);
    phone.says("hi");
    await phone.hears(1);

    // Lines that tests before this left open are renewed in real time.
    await app.db
      .updateTable("calls")
      .set({ state: "ended", lease_owner: null, lease_expires_at: null })
      .where("sid", "!=", call.sid)
      .execute();
    const alive = part("alive");
    const own = await pickUp({ db: app.db, voiceCalls: alive }, incoming(number));
    await own.hears(1);
    app.clock.advance(3000);
    expect(await alive.settleAbandoned()).toBe(0);
    app.clock.advance(36_000);
    await app.db
      .updateTable("calls")
      .set({ lease_expires_at: new Date(app.clock.now().getTime() + 8000).toISOString() })
      .where("lease_owner", "=", "alive")
      .execute();
    expect(await alive.settleAbandoned()).toBe(1);
    expect(await endOf(app, phone.session_id)).toMatchObject({ end_reason: "error", user_terminated: false });
    expect(hungUp).toEqual([call.sid]);
    expect(await transcriptOf(app, phone.session_id)).toEqual([
      "agent: Hello.",
      "user: hi",
      "agent: You said hi.",
    ]);
    expect(await alive.settleAbandoned()).toBe(0);
  });
});

describe("what was heard and spoken on a call", () => {
  const jobs = (session_id: number) => [`index-session-${session_id}`];
  /** As the program does at once: what is due for a session is done, and no longer waits. */
  async function index(session_id: number) {
    const { rowCount } = await app.database.pool.query(
      "delete from graphile_worker._private_jobs where key = $1",
      jobs(session_id),
    );
    if (rowCount === 0) return;
    await app.jobs.find(({ job }) => job.name === "index-session")?.run({ session_id }, {} as never);
  }

  test("is in its session's cost also where that ended before its call did", async () => {
    const call = incoming(number);
    const answered = await app.voiceCalls.answer(call);
    if (!answered || "dial" in answered) throw new Error("not answered");
    const use = { hearing_ms: 5_000, speaking_ms: 3_000, cost_usd: 0.5 };
    const { session_id, hears } = await openPhone(app, call, answered, () => use);
    await hears(1);
    // As where a process dies between the two, or a recording takes its time.
    await endSession(app.engine, session_id, "agent");
    await index(session_id);

    await app.voiceCalls.signal(signalOf(call.sid, "COMPLETED"), null);
    await vi.waitFor(async () => {
      const { state } = await app.db
        .selectFrom("calls")
        .select("state")
        .where("session_id", "=", session_id)
        .executeTakeFirstOrThrow();
      expect(state).toBe("ended");
    }, WAITING);
    await index(session_id);
    const query = `search_fields=session_id&search_field_values=${session_id}`;
    const { items } = (await app.send("GET", `/api/v1/sessions/search?${query}`)).body;
    expect(items[0].cost_usd).toBe(0.5);
  });
});

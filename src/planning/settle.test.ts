import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rounds } from "../../test/harness/seed.ts";
import { CHANNEL_STATUSES, type ChannelStatus } from "../channels/channel-status.ts";
import { isUnderWay, REQUEST_STATUSES } from "../channels/request-status.ts";
import { isForward, REQUEST_STATUS } from "../channels/status-mapping.ts";
import { ATTEMPT_PHASES } from "./attempt-state.ts";
import { leadsFurther } from "./progress.ts";
import { type AttemptState, answeredBy, type RequestState, settle } from "./settle.ts";

const at = new Date("2026-11-18T12:00:00Z");
const context = {
  retry_count: 1,
  retry_interval: "10m",
  batch_goes_on: true,
  was_reached_before: false,
  call_back_at: null,
  earlier: [],
};
const attempt = (more: Partial<AttemptState> = {}): AttemptState => ({
  mode: "voice",
  attempt_number: 1,
  state: "PLACED",
  channel_status: "QUEUED",
  answerer: null,
  placed_at: "2026-11-18T11:59:00Z",
  voicemail_left: false,
  has_spoken: false,
  ...more,
});
const request = (more: Partial<RequestState> = {}): RequestState => ({
  request_status: "INITIATED",
  channel_status: "QUEUED",
  attempt_count: 1,
  call_back_after: null,
  ...more,
});
const word = (status: ChannelStatus) => ({ status, is_transient: null, at });

describe("a word about an attempt", () => {
  test("that it was answered connects its request", () => {
    expect(settle(attempt(), request(), word("IN-PROGRESS"), context)).toMatchObject({
      attempt: { ends: false },
      request: { request_status: "CONNECTED", channel_status: "IN-PROGRESS" },
    });
  });

  test("that ends it without the person sends the request back to wait, and keeps the status", () => {
    expect(settle(attempt(), request(), word("BUSY"), context)).toMatchObject({
      attempt: { ends: true },
      request: {
        request_status: "PENDING",
        channel_status: "BUSY",
        due_at: new Date("2026-11-18T12:10:00Z"),
      },
      decision: { kind: "retry", number: 1, of: 1 },
    });
  });

  test.each([
    [{ batch_goes_on: false }, "batch-over"],
    [{ was_reached_before: true }, "reached-before"],
    [{ retry_count: 0 }, "no-retries"],
  ])("is followed by no other attempt where %j", (more, why) => {
    expect(settle(attempt(), request(), word("BUSY"), { ...context, ...more })).toMatchObject({
      request: { request_status: "FAILED", due_at: null },
      decision: { kind: "given-up", why },
    });
  });

  test("that nobody knows the end of a call which a person answered is followed by no other attempt", () => {
    const answered = attempt({ channel_status: "HUMAN", answerer: "HUMAN" });
    const connected = request({ request_status: "CONNECTED", channel_status: "HUMAN" });
    expect(settle(answered, connected, word("NO_OUTCOME"), context)).toMatchObject({
      request: { request_status: "FAILED", channel_status: "NO_OUTCOME", due_at: null },
      decision: { kind: "given-up", why: "answered" },
    });
  });

  test("that a machine's call is over means MACHINE, unless a message was left", () => {
    const machine = attempt({ channel_status: "MACHINE", answerer: "MACHINE" });
    const connected = request({ request_status: "CONNECTED", channel_status: "MACHINE" });
    expect(settle(machine, connected, word("COMPLETED"), context).decision).toMatchObject({ kind: "retry" });
    for (const message of [{ voicemail_left: true }, { has_spoken: true }])
      expect(settle({ ...machine, ...message }, connected, word("COMPLETED"), context)).toMatchObject({
        request: { request_status: "COMPLETED", channel_status: "COMPLETED" },
        decision: { kind: "done" },
      });
    const last = { ...context, retry_count: 0 };
    expect(settle(machine, connected, word("COMPLETED"), last)).toMatchObject({
      request: { request_status: "COMPLETED", channel_status: "COMPLETED" },
      decision: { kind: "given-up", status: "MACHINE" },
    });
    expect(settle(machine, connected, word("FAILED"), context).decision).toMatchObject({ status: "FAILED" });
  });

  test("that says less than is known changes nothing", () => {
    const nothing = { attempt: null, request: null, decision: null };
    const answered = attempt({ channel_status: "HUMAN" });
    for (const status of ["QUEUED", "IN-PROGRESS", "MACHINE", "HUMAN"] as const) {
      expect(settle(answered, request(), word(status), context)).toEqual(nothing);
    }
  });

  test("that a call was canceled is no news of one that is over", () => {
    const nothing = { attempt: null, request: null, decision: null };
    for (const status of ["COMPLETED", "BUSY", "FAILED"] as const) {
      const over = attempt({ state: "ENDED", channel_status: status });
      expect(settle(over, request(), word("CANCELED"), context)).toEqual(nothing);
    }
  });

  test("that comes after we gave up waiting replaces our guess, and ends the retry that waits", () => {
    const given_up = attempt({ state: "ENDED", channel_status: "NO_OUTCOME" });
    const waits = request({ request_status: "PENDING", channel_status: "NO_OUTCOME" });
    expect(settle(given_up, waits, word("COMPLETED"), context)).toMatchObject({
      request: { request_status: "COMPLETED", due_at: null },
      decision: { kind: "done" },
    });
    expect(settle(given_up, waits, word("BUSY"), context)).toMatchObject({ request: null });
  });

  test("about an earlier attempt leaves the one under way alone", () => {
    const earlier = attempt({ state: "ENDED", channel_status: "NO_OUTCOME" });
    expect(settle(earlier, request({ attempt_count: 2 }), word("COMPLETED"), context).request).toBeNull();
  });

  test("that reached the person after all ends the wait for a third attempt", () => {
    const earlier = attempt({ state: "ENDED", channel_status: "NO_OUTCOME" });
    const waits = request({ request_status: "PENDING", channel_status: "BUSY", attempt_count: 2 });
    expect(settle(earlier, waits, word("COMPLETED"), context)).toMatchObject({
      request: { request_status: "COMPLETED", due_at: null },
      decision: { kind: "done" },
    });
  });

  test("that a mail was opened after it was delivered is kept, and decides nothing again", () => {
    const delivered = attempt({ mode: "email", state: "ENDED", channel_status: "DELIVERED" });
    const reached = request({ request_status: "COMPLETED", channel_status: "DELIVERED" });
    expect(settle(delivered, reached, word("OPENED"), context)).toMatchObject({
      request: { request_status: "COMPLETED", channel_status: "OPENED" },
      decision: null,
    });
  });
});

describe("a word about a call", () => {
  test("keeps who answered, whatever comes after", () => {
    const answers = settle(attempt(), request(), word("HUMAN"), context);
    expect(answers.attempt).toEqual({ channel_status: "HUMAN", answerer: "HUMAN", ends: false });
    const answered = attempt({ channel_status: "HUMAN", answerer: "HUMAN" });
    const connected = request({ request_status: "CONNECTED", channel_status: "HUMAN" });
    expect(settle(answered, connected, word("COMPLETED"), context)).toMatchObject({
      attempt: { channel_status: "COMPLETED", answerer: "HUMAN", ends: true },
      request: { request_status: "COMPLETED" },
    });
  });

  test("in which the person asked to be called again sends the request back until then, unless its batch is over", () => {
    const call_back_at = new Date("2026-11-19T09:00:00Z");
    const asked = { ...context, call_back_at };
    const connected = request({ request_status: "CONNECTED", channel_status: "IN-PROGRESS" });
    const talks = attempt({ channel_status: "IN-PROGRESS" });
    expect(settle(talks, connected, word("COMPLETED"), asked)).toMatchObject({
      request: { request_status: "PENDING", channel_status: "COMPLETED", due_at: call_back_at },
      decision: { kind: "call-back", at: call_back_at.toISOString() },
    });
    const machine = attempt({ channel_status: "MACHINE", answerer: "MACHINE" });
    expect(settle(machine, connected, word("COMPLETED"), asked)).toMatchObject({
      request: { request_status: "PENDING", channel_status: "COMPLETED" },
      decision: { kind: "call-back", status: "MACHINE" },
    });
    expect(settle(talks, connected, word("COMPLETED"), { ...asked, batch_goes_on: false })).toMatchObject({
      request: { request_status: "COMPLETED", due_at: null },
      decision: { kind: "done" },
    });
  });

  test("before the one that the person asked for does not call that off", () => {
    const waits = request({ request_status: "PENDING", channel_status: "NO_OUTCOME", call_back_after: 1 });
    const before = attempt({ state: "ENDED", channel_status: "NO_OUTCOME" });
    expect(settle(before, waits, word("COMPLETED"), context)).toMatchObject({
      attempt: { channel_status: "COMPLETED" },
      request: null,
      decision: null,
    });
  });

  test("that the person asked for is retried as often as if it were the first", () => {
    const asked = request({ attempt_count: 3, call_back_after: 2 });
    const settled = (attempt_number: number) =>
      settle(attempt({ attempt_number }), { ...asked, attempt_count: attempt_number }, word("BUSY"), context);
    expect(settled(3).decision).toMatchObject({ kind: "retry", number: 1, of: 1 });
    expect(settled(4).decision).toMatchObject({ kind: "given-up", why: "used-up" });
  });
});

describe("where the campaign has steps after its own, a word", () => {
  const sms = { mode: "sms" as const, source: "+15125550199", address: null, wait: "10m", after: null };
  const person = { target: "+15125550100", variables: {} };
  const steps = (...more: object[]) => ({
    ...context,
    retry_count: 0,
    cadence: { person, steps: more.map((one) => ({ ...sms, ...one })) },
  });

  test("that ends a call nobody answered leads to the next step, once no retry is left", () => {
    expect(settle(attempt(), request(), word("BUSY"), steps({}))).toMatchObject({
      request: {
        request_status: "PENDING",
        channel_status: "BUSY",
        due_at: new Date("2026-11-18T12:10:00Z"),
      },
      decision: { kind: "step", step: 2, of: 2, mode: "sms", status: "BUSY" },
      cadence: { next: { step: 1 }, skipped: [] },
    });
    const retried = { ...steps({}), retry_count: 1 };
    expect(settle(attempt(), request(), word("BUSY"), retried).decision).toMatchObject({ kind: "retry" });
    for (const more of [{ batch_goes_on: false }, { was_reached_before: true }])
      expect(settle(attempt(), request(), word("BUSY"), { ...steps({}), ...more }).cadence).toBeUndefined();
  });

  test("of a call that reached the person leads to none, and neither does a step that comes after something else", () => {
    const talks = attempt({ channel_status: "IN-PROGRESS" });
    const connected = request({ request_status: "CONNECTED", channel_status: "IN-PROGRESS" });
    for (const [state, of, status, rules] of [
      [talks, connected, "COMPLETED", steps({})],
      [talks, connected, "COMPLETED", steps({ after: ["VOICEMAIL_LEFT"] })],
      [attempt(), request(), "BUSY", steps({ after: ["NO-ANSWER"] })],
    ] as const)
      expect(settle(state, of, word(status), rules)).toMatchObject({
        request: { request_status: status === "BUSY" ? "FAILED" : "COMPLETED", due_at: null },
        cadence: { next: null },
      });
    const answered = attempt({ channel_status: "HUMAN", answerer: "HUMAN" });
    expect(settle(answered, connected, word("NO_OUTCOME"), steps({})).decision).toMatchObject({
      why: "answered",
    });
  });

  test("that a message was left on a machine leads to the step that follows messages", () => {
    const left = attempt({ channel_status: "MACHINE", answerer: "MACHINE", voicemail_left: true });
    const connected = request({ request_status: "CONNECTED", channel_status: "MACHINE" });
    const stepAfter = (...outcomes: string[]) =>
      settle(left, connected, word("COMPLETED"), steps({ after: outcomes })).cadence?.next?.step ?? null;
    expect([stepAfter("VOICEMAIL_LEFT"), stepAfter("BUSY")]).toEqual([1, null]);
    const failed = settle(
      { ...left, voicemail_left: false },
      connected,
      word("FAILED"),
      steps({ after: ["FAILED"] }),
    );
    expect(failed.cadence?.next?.step).toBe(1);
  });

  test("about a step that the next one waits behind ends the wait only where it reached the person", () => {
    const waits = request({ request_status: "PENDING", attempt_count: 2, step: 2 });
    const of = (mode: "voice" | "sms", channel_status: ChannelStatus, status: ChannelStatus) => {
      const before = attempt({ mode, attempt_number: 2, state: "ENDED", step: 1, channel_status });
      return settle(before, waits, word(status), steps({}, { mode: "email" }));
    };
    expect(of("sms", "SENT", "DELIVERED")).toMatchObject({ attempt: {}, request: null, decision: null });
    expect(of("voice", "NO_OUTCOME", "COMPLETED")).toMatchObject({
      request: { request_status: "COMPLETED", due_at: null },
      decision: { kind: "done" },
    });
    expect(of("voice", "NO_OUTCOME", "BUSY")).toMatchObject({ request: null, decision: null });
  });
});

test.each([
  [{ answerer: "HUMAN", channel_status: "COMPLETED" }, "HUMAN"],
  [{ answerer: "MACHINE", channel_status: "BUSY" }, "MACHINE"],
  [{ channel_status: "IN-PROGRESS" }, "UNKNOWN"],
  [{ channel_status: "COMPLETED" }, "UNKNOWN"],
  [{ channel_status: "NO-ANSWER" }, null],
  [{ mode: "sms", channel_status: "COMPLETED" }, null],
] as const)("whether somebody answered, and who, is what %j says: %s", (told, who) => {
  expect(answeredBy(attempt(told))).toBe(who);
});

describe("whatever is told of whatever attempt", () => {
  /** What is rare in life is rare here, too: of cases that are all unlikely none would come to a retry or a step. */
  const mostly = <T>(usual: T, ...others: T[]) =>
    fc.oneof({ weight: 5, arbitrary: fc.constant(usual) }, fc.constantFrom(...others));
  const some = fc.record<AttemptState>({
    mode: fc.constantFrom("voice", "sms", "email"),
    attempt_number: fc.integer({ min: 1, max: 3 }),
    state: fc.constantFrom(...ATTEMPT_PHASES),
    channel_status: fc.constantFrom(
      "PENDING",
      "QUEUED",
      "IN-PROGRESS",
      "SENT",
      "MACHINE",
      "NO_OUTCOME",
      "BUSY",
    ),
    answerer: fc.constantFrom(null, "HUMAN", "MACHINE"),
    placed_at: fc.constantFrom(null, "2026-11-18T11:59:00Z"),
    voicemail_left: fc.boolean(),
    has_spoken: fc.boolean(),
    step: fc.integer({ min: 0, max: 2 }),
  });
  const its = fc.record<RequestState>({
    request_status: fc.constantFrom(...REQUEST_STATUSES),
    channel_status: fc.constantFrom(...CHANNEL_STATUSES),
    attempt_count: fc.integer({ min: 1, max: 3 }),
    call_back_after: mostly(null, 1, 2),
    step: fc.integer({ min: 0, max: 2 }),
  });
  const sms = { mode: "sms" as const, source: "+15125550199", address: null, wait: "10m", after: null };
  const rules = fc.record({
    retry_count: fc.integer({ min: 0, max: 2 }),
    retry_interval: fc.constant("10m"),
    batch_goes_on: mostly(true, false),
    was_reached_before: mostly(false, true),
    call_back_at: mostly(null, new Date("2026-11-19T09:00:00Z")),
    earlier: fc.constant([]),
    cadence: fc.constantFrom(null, { steps: [sms, sms], person: { target: "+15125550100", variables: {} } }),
  });
  const ends = fc.constantFrom<ChannelStatus[]>("COMPLETED", "BUSY", "NO_OUTCOME", "DELIVERED");
  const told = fc.oneof(ends, fc.constantFrom(...CHANNEL_STATUSES));
  const forAll = (
    holds: (
      settled: ReturnType<typeof settle>,
      of: { attempt: AttemptState; request: RequestState; rules: Parameters<typeof settle>[3] },
    ) => void,
  ) =>
    fc.assert(
      fc.property(some, its, mostly(true, false), rules, told, (of, any, isLatest, context, status) => {
        const request = isLatest ? { ...any, attempt_count: of.attempt_number } : any;
        holds(settle(of, request, word(status), context), { attempt: of, request, rules: context });
      }),
      { numRuns: rounds(3_000) },
    );

  test("a request has a time for another try when, and only when, it waits for one, and its batch goes on", () =>
    forAll(({ request, decision }, { rules }) => {
      if (request) expect(request.due_at !== null).toBe(request.request_status === "PENDING");
      if (request?.due_at) expect([rules.batch_goes_on, decision === null]).toEqual([true, false]);
    }));

  test("an attempt that ends leaves its request waiting or over, with a decision", () =>
    forAll((settled, { attempt, request }) => {
      const isIts = attempt.attempt_number === request.attempt_count;
      if (!settled.attempt?.ends || !isIts || attempt.attempt_number <= (request.call_back_after ?? 0))
        return;
      expect(settled.decision).not.toBeNull();
      expect(settled.request?.request_status).not.toSatisfy(isUnderWay);
    }));

  test("what does not end an attempt takes its request nowhere back, and decides only what was not yet decided", () =>
    forAll((settled, { request: before }) => {
      if (settled.request === null || settled.attempt?.ends) return;
      expect(isForward(settled.request.request_status, before.request_status)).toBe(false);
      expect(settled.decision === null || isForward(before.request_status, "COMPLETED")).toBe(true);
    }));

  test("one that was followed by another, or was taken back, leaves alone what is under way or over", () =>
    forAll((settled, { attempt, request }) => {
      const isTakenBack = attempt.state === "ENDED" && attempt.placed_at === null;
      if (!isTakenBack && attempt.attempt_number === request.attempt_count) return;
      if (settled.request === null) return;
      expect(request.request_status).toBe("PENDING");
      expect(settled.request).toMatchObject({ request_status: "COMPLETED", due_at: null });
      expect(REQUEST_STATUS[settled.request.channel_status]).toBe("COMPLETED");
    }));

  test("who was reached after all is not tried again, unless a later step waits or a call was asked for", () =>
    forAll((settled, { attempt, request }) => {
      const isReached = settled.attempt && REQUEST_STATUS[settled.attempt.channel_status] === "COMPLETED";
      const waits = request.request_status === "PENDING" && request.call_back_after === null;
      if (!isReached || !waits || attempt.state !== "ENDED") return;
      if ((request.step ?? 0) > (attempt.step ?? 0)) return;
      expect(settled.request).toMatchObject({ request_status: "COMPLETED", due_at: null });
    }));

  test("the step that follows comes after the attempt's, and none before the one that its request is at", () => {
    let steps = 0;
    forAll(({ decision }, { attempt, request, rules }) => {
      if (decision?.kind !== "step") return;
      steps++;
      expect(decision.step).toBeGreaterThan((attempt.step ?? 0) + 1);
      expect(decision.step).toBeGreaterThan(request.step ?? 0);
      expect(decision.of).toBe(3);
      expect([request.call_back_after, rules.was_reached_before]).toEqual([null, false]);
    });
    expect(steps).toBeGreaterThan(rounds(15));
  });
});

test("no order and no repetition of words takes an attempt back", () => {
  const words = fc.array(fc.constantFrom(...CHANNEL_STATUSES), { maxLength: 12 });
  fc.assert(
    fc.property(words, (statuses) => {
      const state = attempt();
      const of = request();
      for (const status of statuses) {
        const before = { ...state };
        const settled = settle(state, of, word(status), context);
        if (settled.attempt) {
          expect(leadsFurther(before.channel_status, settled.attempt.channel_status)).toBe(true);
          Object.assign(state, settled.attempt, settled.attempt.ends && { state: "ENDED" });
        }
        if (settled.request) Object.assign(of, settled.request);
        expect(settle(state, of, word(status), context), "the same word again").toEqual({
          attempt: null,
          request: null,
          decision: null,
        });
      }
    }),
  );
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { rounds } from "../../test/harness/seed.ts";
import { asksAsMuchOfReplay, judgeReplayGate, outcomesOf, ReplayGate } from "./replay-gate.ts";

const gate = (most_regression: number, more: object = {}) => ReplayGate.parse({ most_regression, ...more });
const judged = (
  most_regression: number,
  counts: { both: number; first?: number; second?: number; failed?: number; skipped?: number },
) =>
  judgeReplayGate(gate(most_regression), 3, {
    id: 7,
    first: 0,
    second: 0,
    neither: 0,
    failed: 0,
    skipped: 0,
    reached: 1,
    ...counts,
  });

test("a draft passes once the whole interval lies within what is allowed; what can't be told holds back and says how many it takes", () => {
  expect(judged(0.05, { both: 100 })).toMatchObject({
    verdict: "passes",
    passes: true,
    pairs: 100,
    sessions_needed: null,
    says: "Replay 7: of 100 sessions at most 3.7 points fewer reach what was reached; 5 points are allowed.",
  });
  const few = judged(0.05, { both: 40 });
  expect(few).toMatchObject({ verdict: "can't tell", passes: false, sessions_needed: 73 });
  expect(few.says).toBe(
    "Replay 7: 40 sessions don't rule out a regression of 8.8 points; 5 points are allowed. About 73 sessions would be needed.",
  );
  expect(judged(0.05, { both: 73 }).passes).toBe(true);
  expect(judged(0.05, { both: 72 }).passes).toBe(false);
  const worse = judged(0.05, { both: 70, first: 30 });
  expect(worse).toMatchObject({
    verdict: "worse",
    passes: false,
    difference: expect.closeTo(-0.3, 9),
    sessions_needed: null,
  });
  expect(worse.says).toMatch(
    /^Replay 7: of 100 sessions at least 2\d(\.\d)? points fewer reach what was reached/,
  );
  // As many as are allowed: no number of sessions would show less.
  expect(judged(0.05, { both: 95, first: 5 })).toMatchObject({
    verdict: "can't tell",
    sessions_needed: null,
  });
});

test("conversations that could not be held count against the draft, and a replay cut short or without an outcome holds back", () => {
  expect(judged(0.05, { both: 200 }).passes).toBe(true);
  const broken = judged(0.05, { both: 170, failed: 30 });
  expect(broken).toMatchObject({ verdict: "worse", pairs: 200 });
  expect(broken.says).toContain("30 could not be held to the end and count as a regression.");
  expect(judged(0.05, { both: 200, skipped: 1 })).toMatchObject({ verdict: "missing", passes: false });
  expect(judgeReplayGate(gate(0.05), 3, null)).toMatchObject({
    verdict: "missing",
    passes: false,
    replay_id: null,
    says: "Replay: no replay of 100 sessions with this draft against version 3.",
  });
  expect(judgeReplayGate(gate(0.05), null, null).passes).toBe(true);
  const talk = outcomesOf([
    { status: "replayed", observed: lane(), baseline: lane(), candidate: lane() },
    { status: "error", observed: lane(), baseline: lane(), candidate: null },
  ]);
  expect(talk).toMatchObject({ both: 1, failed: 1, reached: 0 });
  expect(judgeReplayGate(gate(0.5), 3, { ...talk, failed: 0, id: 7 }).says).toContain(
    "Ask for a suite instead",
  );
});

const lane = () => ({
  ended_by: "agent" as const,
  turns: 3,
  tools: [],
  steps: [],
  cost_usd: 0,
  latency_ms: 1,
  checks: {},
  diverged: null,
  unanswered: [],
  failed_turns: 0,
  persona_cost_usd: 0,
});

test("for all replays: more losses never let a draft through, and a wider allowance never holds it back", () => {
  const count = fc.nat(300);
  fc.assert(
    fc.property(
      ...([count, count, count, fc.double({ min: 0, max: 1, noNaN: true })] as const),
      (both, first, second, allowed) => {
        const found = judged(allowed, { both: both + 1, first, second });
        if (!found.passes) expect(judged(allowed, { both, first: first + 1, second }).passes).toBe(false);
        if (found.passes)
          expect(judged(Math.min(1, allowed + 0.1), { both: both + 1, first, second }).passes).toBe(true);
        if (found.sessions_needed !== null)
          expect(found.sessions_needed).toBeGreaterThan(both + first + second);
      },
    ),
    { numRuns: rounds(300) },
  );
});

test("a gate that allows more, asks for fewer sessions or for other ones asks for less", () => {
  const was = gate(0.05, { sessions: 200, filter: { days: 7 } });
  expect(asksAsMuchOfReplay({ ...was, most_regression: 0.02, sessions: 300 }, was)).toBe(true);
  expect(asksAsMuchOfReplay(null, was)).toBe(false);
  expect(asksAsMuchOfReplay({ ...was, most_regression: 0.06 }, was)).toBe(false);
  expect(asksAsMuchOfReplay({ ...was, sessions: 100 }, was)).toBe(false);
  expect(asksAsMuchOfReplay({ ...was, filter: { days: 7, channel: "sms" } }, was)).toBe(false);
  expect(asksAsMuchOfReplay(was, null)).toBe(true);
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { rounds } from "../../test/harness/seed.ts";
import { CHANNEL_STATUSES } from "../channels/channel-status.ts";
import { ATTEMPT_PHASES, type AttemptPhase, FIRST_PHASE } from "../planning/attempt-state.ts";
import type { AttemptEvent } from "./attempt-event.ts";
import { type AttemptRow, type BatchContext, idOf, type RequestRow } from "./settled-rows.ts";
import { Settlement } from "./settlement.ts";

const START_ms = Date.parse("2026-11-18T12:00:00Z");

const attempt: AttemptRow = {
  key: "a",
  organization_id: 1,
  sub_organization_id: 1,
  campaign_id: 1,
  batch_key: 1,
  request_id: 1,
  reference_id: "r",
  attempt_number: 1,
  mode: "voice",
  source: "+15550001",
  target: "+15550002",
  state: FIRST_PHASE,
  channel_status: "PENDING",
  answerer: null,
  provider_status: null,
  error_code: null,
  sid: null,
  session_id: null,
  conversation_id: null,
  started_at: new Date(START_ms).toISOString(),
  counted_on: "2026-11-18",
  number_day: null,
  placed_at: null,
  ended_at: null,
  check_at: new Date(START_ms).toISOString(),
  checks: 0,
  handed_over_by: null,
  decision: null,
  hang_up_at: null,
  holds_slot: true,
  voicemail_left: false,
  has_spoken: false,
  call_back_at: null,
  earlier: [],
  was_reached_before: false,
  is_tried_elsewhere: false,
  step: 0,
};
const request: RequestRow = {
  batch_key: 1,
  request_id: 1,
  request_status: "INITIATED",
  channel_status: "PENDING",
  attempt_count: 1,
  refusals: 0,
  call_back_after: null,
  due_at: null,
  sent_at: null,
  sid: null,
  session_id: null,
  conversation_id: null,
  answered_by: null,
  voicemail_left: null,
  step: 0,
  step_target: null,
  step_log: null,
};

const key = "a";
const anyEvent: fc.Arbitrary<(at: Date) => AttemptEvent> = fc.oneof(
  fc
    .record({
      status: fc.constantFrom(...CHANNEL_STATUSES),
      is_transient: fc.constantFrom(true, false, null),
      sid: fc.constantFrom("sid", null),
      our_fault: fc.constantFrom(undefined, undefined, undefined, "account suspended"),
    })
    .map(
      (word) =>
        (at: Date): AttemptEvent => ({ kind: "status", key, at, ...word }),
    ),
  fc
    .constantFrom(null, "source" as const, "country" as const, "step" as const)
    .map((ours) => (): AttemptEvent => ({ kind: "not-taken", key, retry_after_s: null, why: "busy", ours })),
  fc
    .constantFrom("handing-over" as const, "asking" as const)
    .map((from) => (): AttemptEvent => ({ kind: "unknown", key, why: "no answer", from })),
  fc.boolean().map((is_shown) => (): AttemptEvent => ({ kind: "goes-on", key, is_shown })),
);

const aHistory = fc.record({
  mode: fc.constantFrom("voice" as const, "sms" as const, "email" as const),
  retry_count: fc.integer({ min: 0, max: 2 }),
  batch_status: fc.constantFrom("ACTIVE" as const, "PAUSED" as const, "CANCELED" as const),
  refusals: fc.constantFrom(0, 9),
  steps: fc.array(
    fc.record({ after_ms: fc.constantFrom(0, 1_000, 60_000, 25 * 3_600_000), event: anyEvent }),
    {
      minLength: 1,
      maxLength: 12,
    },
  ),
});

/** Where one event may lead. What was taken back may be revived and placed, or over, by the same event. */
const LEADS_TO: Record<AttemptPhase, AttemptPhase[]> = {
  CLAIMED: ["CLAIMED", "UNCERTAIN", "PLACED", "ENDED"],
  UNCERTAIN: ["UNCERTAIN", "PLACED", "ENDED"],
  PLACED: ["PLACED", "ENDED"],
  ENDED: ["ENDED"],
};
const REVIVED_LEADS_TO: AttemptPhase[] = ["ENDED", "UNCERTAIN", "PLACED"];

test("no history of an attempt leaves the table of its life, and one that ended holds nothing", () => {
  const seen = new Set<AttemptPhase>();
  fc.assert(
    fc.property(aHistory, ({ mode, retry_count, batch_status, refusals, steps }) => {
      const row = { ...attempt, mode };
      const asked = { ...request, refusals };
      const batches: BatchContext = {
        batch_id: "b",
        batch_status,
        expires_on: null,
        retry_count,
        retry_interval: "1m",
        by_outcome: null,
        preference: null,
        cadence: null,
      };
      let now_ms = START_ms;
      for (const { after_ms, event } of steps) {
        now_ms += after_ms;
        const now = new Date(now_ms);
        const before = row.state;
        const wasTakenBack = before === "ENDED" && row.placed_at === null;
        new Settlement(
          now,
          new Map([[key, row]]),
          new Map([[idOf(row), asked]]),
          new Map([[key, batches]]),
        ).take(event(now));
        seen.add(row.state);
        expect(wasTakenBack ? REVIVED_LEADS_TO : LEADS_TO[before]).toContain(row.state);
        expect(row.ended_at !== null).toBe(row.state === "ENDED");
        if (row.state === "ENDED") expect(row).toMatchObject({ holds_slot: false, check_at: null });
        if (row.state === "PLACED") expect(row.placed_at).not.toBeNull();
      }
    }),
    { numRuns: rounds(500) },
  );
  expect([...seen].sort()).toEqual([...ATTEMPT_PHASES].sort());
});

import { describe, expect, test } from "vitest";
import type { ChannelStatus } from "../channels/channel-status.ts";
import { decideRetry } from "./retry.ts";

const ended_at = new Date("2026-11-18T12:00:00Z");
const decide = (
  mode: "voice" | "sms" | "email",
  status: ChannelStatus,
  {
    is_transient = null,
    attempt_number = 1,
  }: { is_transient?: boolean | null; attempt_number?: number } = {},
  retry_count = 2,
) =>
  decideRetry(
    { mode, status, is_transient, attempt_number, ended_at },
    { retry_count, retry_interval: "30m" },
  );

describe("another attempt", () => {
  test.each<[string, Parameters<typeof decide>, string]>([
    ["a call that was busy", ["voice", "BUSY"], "retry"],
    ["a call nobody answered", ["voice", "NO-ANSWER"], "retry"],
    ["a machine on which nothing was left", ["voice", "MACHINE"], "retry"],
    ["a call that failed", ["voice", "FAILED"], "retry"],
    [
      "a call that failed for good by the carrier's word",
      ["voice", "FAILED", { is_transient: false }],
      "permanent",
    ],
    ["a person who declined", ["voice", "DECLINED"], "not-retryable"],
    ["a number that is none", ["voice", "SIP_NOT_FOUND"], "not-retryable"],
    ["a text whose carrier says it may help", ["sms", "UNDELIVERED", { is_transient: true }], "retry"],
    ["a text whose carrier doesn't say", ["sms", "UNDELIVERED"], "permanent"],
    ["a text that we failed at", ["sms", "UNEXPECTED_ERROR"], "retry"],
    ["a mail that bounced", ["email", "BOUNCED"], "not-retryable"],
    ["the last one", ["voice", "BUSY", { attempt_number: 3 }], "used-up"],
    ["a campaign without retries", ["voice", "BUSY", {}, 0], "no-retries"],
  ])("after %s: %s", (_what, given, expected) => {
    const decision = decide(...given);
    expect(decision.kind === "retry" ? "retry" : decision.why).toBe(expected);
  });

  test("comes an interval after the end of the one before", () => {
    expect(decide("voice", "BUSY", { attempt_number: 2 })).toEqual({
      kind: "retry",
      at: new Date("2026-11-18T12:30:00Z"),
      number: 2,
      of: 2,
    });
  });
});

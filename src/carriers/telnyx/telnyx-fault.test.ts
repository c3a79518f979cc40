import { expect, test } from "vitest";
import type { EgressOutcome } from "../../egress/egress.ts";
import { TELNYX_ERRORS, telnyxFault, telnyxTextFailure } from "./telnyx-fault.ts";

const answer = (status: number, error: object): EgressOutcome => ({
  kind: "response",
  status,
  headers: {},
  duration_ms: 1,
  body: Buffer.from(JSON.stringify({ errors: [error] })),
  truncated: false,
});
const faultOf = (status: number, error: object) => telnyxFault(answer(status, error), true, (words) => words);

test.each(Object.entries(TELNYX_ERRORS))(
  "error %s means what the table says, at any HTTP status",
  (code, meaning) => {
    for (const status of [400, 403, 422, 429]) {
      const fault = faultOf(status, { code, title: "x" });
      expect(fault).toMatchObject({ fate: meaning.fate, ours: meaning.ours });
      if (meaning.fate === "refused") expect(fault.status).toBe(meaning.status);
      else expect(fault.retry_after_s).toBe(meaning.after_s);
    }
  },
);

/** As https://developers.telnyx.com/docs/messaging/messages/error-codes words it. */
const STOP = {
  code: "40300",
  title: "Blocked due to STOP message",
  detail: "Messages cannot be sent due to an existing block rule.",
};

test.each([400, 403, 422])(
  "a person who wrote STOP to Telnyx is that person's, and no fault of our account (HTTP %i)",
  (status) => {
    const fault = faultOf(status, STOP);
    expect(fault).toMatchObject({ fate: "refused", status: "PRIOR_UNSUBSCRIBED", ours: null });
  },
);

test("an account without money loses nobody: what waits is sent once it has some", () => {
  expect(faultOf(402, { code: "20100", title: "Insufficient funds" })).toMatchObject({
    fate: "not-sent",
    ours: "source",
    retry_after_s: 300,
  });
});

test("a failed text of a number that is not registered fails because of us, one to a landline does not", () => {
  expect(telnyxTextFailure("UNDELIVERED", "40010")).toMatchObject({
    our_fault: expect.stringContaining("not registered"),
  });
  expect(telnyxTextFailure("UNDELIVERED", "40001")).toEqual({ error_code: "40001", is_transient: false });
  expect(telnyxTextFailure("UNDELIVERED", "40006")).toEqual({ error_code: "40006", is_transient: true });
  expect(telnyxTextFailure("DELIVERED", "40010")).not.toHaveProperty("our_fault");
  expect(telnyxTextFailure("UNDELIVERED", null)).toEqual({ error_code: null, is_transient: null });
});

const RESET = { kind: "failed", reason: "reset", connection_reset: true, nothing_sent: false } as const;
const REDIRECT = { kind: "redirect", status: 301, headers: {}, duration_ms: 1, location: null } as const;

test.each<[string, string, string, EgressOutcome]>([
  ["500", "unknown", "not-sent", answer(500, { code: "10007", title: "x" })],
  ["a timeout", "unknown", "not-sent", { kind: "timeout", after_ms: 10 }],
  ["a reset", "unknown", "not-sent", RESET],
  ["a redirect", "not-sent", "not-sent", REDIRECT],
])("%s: a change is %s, a question is %s, as with Twilio", (_what, change, question, outcome) => {
  expect(telnyxFault(outcome, true, (words) => words).fate).toBe(change);
  expect(telnyxFault(outcome, false, (words) => words).fate).toBe(question);
});

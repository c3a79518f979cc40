import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import example from "../../../test/fixtures/twilio/error.json" with { type: "json" };
import type { EgressOutcome } from "../../egress/egress.ts";
import { faultOf, TWILIO_ERRORS } from "./twilio-fault.ts";

const asked = { what: "POST Calls.json", changes: true };
const answer = (status: number, body: unknown = {}, headers: Record<string, string> = {}): EgressOutcome => ({
  kind: "response",
  status,
  headers,
  duration_ms: 1,
  body: Buffer.from(typeof body === "string" ? body : JSON.stringify(body)),
  truncated: false,
});

test("an error as documented names its code, its words and what it means", () => {
  expect(faultOf(answer(400, example.body), asked)).toMatchObject({
    fate: "refused",
    status: "INVALID",
    message: expect.stringMatching(/400 \(error 21211\): The 'To' number/),
  });
});

test.each(Object.entries(TWILIO_ERRORS))(
  "error %s means what the table says, at any HTTP status",
  (code, meaning) => {
    for (const status of [400, 429, 500]) {
      const fault = faultOf(answer(status, { code: Number(code), message: "x" }), asked);
      expect(fault.fate).toBe(meaning.fate);
      if (meaning.fate === "refused") expect(fault.status).toBe(meaning.status);
      else expect(fault.retry_after_s).toBe(meaning.after_s);
    }
  },
);

test.each<[string, number]>([
  ["7", 7],
  ["Sun, 29 Nov 2026 10:01:00 GMT", 60],
  ["1795945857", 86_400],
  ["999999999999999999", 86_400],
  ["Infinity", 1],
])("an overload that names the wait %j is asked again after %i s: a day at the most", (wait, after_s) => {
  const headers = { "retry-after": wait, date: "Sun, 29 Nov 2026 10:00:00 GMT" };
  expect(faultOf(answer(429, {}, headers), asked)).toMatchObject({
    fate: "not-sent",
    retry_after_s: after_s,
  });
});

test.each([13227, 21215, 32205, 21408])(
  "error %i holds the country of the number, and nobody else's",
  (code) => {
    const fault = faultOf(answer(400, { code, message: "Permission denied" }), asked);
    expect(fault).toMatchObject({ fate: "refused", ours: "country" });
  },
);

test("a number of ours that is refused is no matter of a country", () => {
  const fault = faultOf(answer(400, { code: 21212, message: "From" }), asked);
  expect(fault).toMatchObject({ ours: "source" });
});

test.each<[string, EgressOutcome, string, string]>([
  ["429", answer(429), "not-sent", "not-sent"],
  ["401", answer(401), "not-sent", "not-sent"],
  ["an unknown 4xx", answer(404, { code: 99999 }), "refused", "refused"],
  ["500", answer(500), "unknown", "not-sent"],
  ["503 in HTML", answer(503, "<html>"), "unknown", "not-sent"],
  ["a timeout", { kind: "timeout", after_ms: 10 }, "unknown", "not-sent"],
  [
    "a reset",
    { kind: "failed", reason: "x closed the connection", connection_reset: true, nothing_sent: false },
    "unknown",
    "not-sent",
  ],
  [
    "a refused connection",
    { kind: "failed", reason: "in words of any kind", connection_reset: false, nothing_sent: true },
    "not-sent",
    "not-sent",
  ],
  ["an address that is not allowed", { kind: "refused", reason: "private" }, "not-sent", "not-sent"],
  [
    "a redirect",
    { kind: "redirect", status: 301, headers: {}, duration_ms: 1, location: null },
    "not-sent",
    "not-sent",
  ],
])("%s: a change is %s, a question is %s", (_what, outcome, change, question) => {
  expect(faultOf(outcome, asked).fate).toBe(change);
  expect(faultOf(outcome, { ...asked, changes: false }).fate).toBe(question);
});

test("how long to wait is what the carrier says", () => {
  expect(faultOf(answer(429, {}, { "retry-after": "17" }), asked).retry_after_s).toBe(17);
  expect(faultOf(answer(429, {}, { "retry-after": "soon" }), asked).retry_after_s).toBe(1);
});

test("docs/channels.md says of each code what becomes of the request", () => {
  const page = readFileSync(path.resolve(import.meta.dirname, "../../../docs/channels.md"), "utf8");
  const rows = [
    ...page.slice(page.indexOf("## What Twilio's errors mean")).matchAll(/^\| (.*) \| (.*) \|$/gm),
  ];
  const said = (code: string) => rows.find(([, codes = ""]) => codes.match(/\d{5}/g)?.includes(code))?.[2];
  const wrong = Object.entries(TWILIO_ERRORS).filter(([code, meaning]) => {
    if (meaning.ours !== null) return !said(code)?.startsWith("it waits and keeps its attempts");
    return meaning.fate === "refused"
      ? !said(code)?.startsWith(`it ends as \`${meaning.status}\``)
      : !said(code)?.startsWith("not sent");
  });
  expect(wrong).toEqual([]);
});

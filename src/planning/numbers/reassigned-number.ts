import type { EligibilityIssue } from "../steps/request-step.ts";

/** What is known of whether a number was given to somebody else. `not-offered`: no carrier of the organization can tell. */
export type ReassignedAnswer = "yes" | "no" | "unknown" | "not-offered" | "failed";

/** An answer about the time from `since` (YYYY-MM-DD) to `at`. */
export type KnownReassignment = {
  since: string;
  answer: ReassignedAnswer;
  error_code: string | null;
  at: Date;
};

const HOUR_ms = 3600_000;
/**
 * How long an answer is used. A "no" protects what is sent within 24 hours of it
 * (https://www.twilio.com/docs/lookup/v2-api/reassigned-number). A "yes" stays true; who gets a new consent has a later date.
 */
const KEPT_ms: Readonly<Record<ReassignedAnswer, number>> = {
  yes: 30 * 24 * HOUR_ms,
  no: 24 * HOUR_ms,
  unknown: 24 * HOUR_ms,
  "not-offered": HOUR_ms,
  failed: 60_000,
};

/** The column of a request that says when its number was last known to be the person's. */
const LAST_VERIFIED = "last_verified";

/** The date to ask about, or why there is none. */
export type SinceDate = { date: string } | { date: null; why: string };

/**
 * The day of the person's consent (`consented_on`, null: none is on record), else that of the request's column. Pure; days
 * are of UTC.
 */
export function sinceDate(
  consented_on: string | null,
  variables: Readonly<Record<string, string>>,
  now: Date,
): SinceDate {
  const today = now.toISOString().slice(0, 10);
  if (consented_on !== null) return { date: consented_on < today ? consented_on : today };
  const text = (variables[LAST_VERIFIED] ?? variables[`vars.${LAST_VERIFIED}`] ?? "").trim();
  if (text === "")
    return { date: null, why: `there is neither a consent on record nor a column ${LAST_VERIFIED}` };
  if (!isDay(text)) return { date: null, why: `${LAST_VERIFIED} is no date such as 2026-01-02: ${text}` };
  if (text > today) return { date: null, why: `${LAST_VERIFIED} is in the future: ${text}` };
  return { date: text };
}

function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  try {
    return Temporal.PlainDate.from(text).toString() === text;
  } catch {
    return false;
  }
}

/** How a number stands that a campaign has checked before it reaches it first. `text` is a sentence for a person. */
export type NumberCheck =
  | { kind: "not-asked"; text: string }
  | { kind: "to-ask"; since: string; text: string }
  /** The carrier could not be asked just now. */
  | { kind: "failed"; since: string; text: string }
  | { kind: "answered"; answer: Exclude<ReassignedAnswer, "failed">; text: string };

/** Pure. `known`: what was learned last, however long ago. */
export function numberCheck(since: SinceDate, known: KnownReassignment | null, now: Date): NumberCheck {
  if (since.date === null)
    return {
      kind: "not-asked",
      text: `The carrier is not asked whether the number was given to somebody else: ${since.why}.`,
    };
  const { date } = since;
  const said = `the number was given to somebody else since ${date}`;
  if (known === null || !isUsable(known, date, now))
    return { kind: "to-ask", since: date, text: `Waiting: the carrier is asked whether ${said}.` };
  const code = known.error_code === null ? "" : ` (error ${known.error_code})`;
  const { answer } = known;
  switch (answer) {
    case "yes":
      return { kind: "answered", answer, text: `Skipped: ${said}, says the carrier.` };
    case "no":
      return {
        kind: "answered",
        answer,
        text: `The carrier says that the number was not given to somebody else since ${date}.`,
      };
    case "unknown":
      return { kind: "answered", answer, text: `The carrier does not know whether ${said}${code}.` };
    case "not-offered":
      return { kind: "answered", answer, text: `No carrier of the organization can tell whether ${said}.` };
    case "failed":
      return {
        kind: "failed",
        since: date,
        text: `Waiting: the carrier could not be asked whether ${said}${code}; it is asked again.`,
      };
  }
}

const isUsable = (known: KnownReassignment, date: string, now: Date): boolean =>
  now.getTime() - known.at.getTime() < KEPT_ms[known.answer] && covers(known, date);

/** What was given away since a later day was since an earlier one, too; what was not since an earlier one was not since. */
function covers({ answer, since }: KnownReassignment, date: string): boolean {
  switch (answer) {
    case "yes":
      return date <= since;
    case "no":
      return date >= since;
    case "unknown":
      return date === since;
    case "not-offered":
    case "failed":
      return true;
  }
}

/** Why a request is not tried, or not yet; null: nothing stands against it. */
export function reassignedIssue(check: NumberCheck | null): EligibilityIssue | null {
  switch (check?.kind) {
    case undefined:
    case "not-asked":
      return null;
    case "to-ask":
    case "failed":
      return { kind: "lookup", text: check.text };
    case "answered":
      return check.answer === "yes" ? { kind: "reassigned", status: "CANCELED", text: check.text } : null;
  }
}

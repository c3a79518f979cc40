import { z } from "zod";
import { unreachable } from "../../base/errors.ts";
import { tryParseJson } from "../../base/parse-json.ts";
import { CarrierFault } from "../../channels/carrier.ts";
import type { EgressOutcome } from "../../egress/egress.ts";
import { answeredFault } from "../answered-fault.ts";
import { country, type ErrorMeaning, notSent, ours, refused, textFailureBy } from "../error-meaning.ts";

/** An account that can't send is for the operator to mend; what waits is tried again until then. */
const ACCOUNT: ErrorMeaning = { fate: "not-sent", after_s: 300, ours: "source" };

/** By code: https://developers.telnyx.com/docs/messaging/messages/error-codes. */
export const TELNYX_ERRORS: Readonly<Record<string, ErrorMeaning>> = {
  // No key or permission, no money, not verified, or switched off.
  10009: ACCOUNT,
  10010: ACCOUNT,
  20002: ACCOUNT,
  20006: ACCOUNT,
  20012: ACCOUNT,
  20013: ACCOUNT,
  20014: ACCOUNT,
  20015: ACCOUNT,
  20016: ACCOUNT,
  20017: ACCOUNT,
  20100: ACCOUNT,
  10011: notSent(1),
  // The queue of this sender holds four hours of texts.
  40318: notSent(60),
  // The number was bought a moment ago.
  40320: ACCOUNT,

  // The person's number.
  10002: refused("INVALID"),
  10016: refused("INVALID"),
  90015: refused("INVALID"),
  40310: refused("INVALID"),

  // Our connection, number, profile or permission: the same for everybody, until somebody mends it.
  10015: ours("FAILED"),
  90018: ours("FAILED"),
  90043: ours("FAILED"),
  90044: ours("FAILED"),
  40010: ours("DELIVERY_FAILED"),
  40013: ours("DELIVERY_FAILED"),
  40100: ours("DELIVERY_FAILED"),
  40150: ours("DELIVERY_FAILED"),
  40151: ours("DELIVERY_FAILED"),
  40305: ours("DELIVERY_FAILED"),
  40306: ours("DELIVERY_FAILED"),
  40312: ours("DELIVERY_FAILED"),
  40314: ours("DELIVERY_FAILED"),
  40315: ours("DELIVERY_FAILED"),
  40321: ours("DELIVERY_FAILED"),
  40329: ours("DELIVERY_FAILED"),

  // The messaging profile does not allow the country of the person's number.
  40309: country("DELIVERY_FAILED"),

  // Our words to this person, or this pair of numbers.
  40301: refused("DELIVERY_FAILED"),
  40302: refused("DELIVERY_FAILED"),
  40319: refused("DELIVERY_FAILED"),
  40322: refused("DELIVERY_FAILED"),
};

/** They answered STOP to this profile before. Told with different HTTP statuses, and the code alone may mean something else. */
const STOPPED = { code: "40300", words: /\bSTOP\b|block rule/i };

/** Whether another try may meet something else, by the code a failed text carries; others don't say. */
const TRANSIENT_CODES: Readonly<Record<string, boolean>> = {
  40001: false,
  40002: true,
  40003: false,
  40005: true,
  40006: true,
  40009: false,
  40011: true,
  40012: false,
  40014: true,
  40015: false,
  // T-Mobile's limit of a day, AT&T's of a minute; and AT&T's filter.
  40016: true,
  40017: false,
  40018: true,
  40300: false,
  40322: false,
};

/** What Telnyx takes and refuses later because of us: the same for everybody, and no attempt of the person's. */
const OUR_FAULTS: Readonly<Record<string, string>> = {
  40010: "the number is not registered for texts to the US (A2P 10DLC)",
  40100: "the number is not enabled for texts",
  40150: "the toll-free number is not registered",
  40151: "the number is being enabled for texts by another provider",
  40312: "the messaging profile is disabled",
  40314: "texts are disabled on the account",
  40329: "the toll-free number is not verified",
};

/** What the code says that a failed text carries. */
export const telnyxTextFailure = textFailureBy({ transient: TRANSIENT_CODES, faults: OUR_FAULTS });

/** Why there is no answer to work with. `changes`: what was asked may have been done all the same. */
export function telnyxFault(
  outcome: EgressOutcome,
  changes: boolean,
  shown: (words: string) => string,
): CarrierFault {
  switch (outcome.kind) {
    case "refused":
      return new CarrierFault(`Telnyx can't be reached: ${outcome.reason}.`, "not-sent", {
        retry_after_s: 60,
      });
    case "timeout":
      return new CarrierFault(
        `Telnyx did not answer within ${outcome.after_ms} ms.`,
        changes ? "unknown" : "not-sent",
      );
    case "failed":
      return new CarrierFault(
        `Telnyx can't be reached: ${outcome.reason}.`,
        changes && !outcome.nothing_sent ? "unknown" : "not-sent",
      );
    case "redirect":
      return new CarrierFault("Telnyx redirected the request; TELNYX_BASE_URL may be wrong.", "not-sent");
    case "response":
      return faultOfAnswer(outcome, changes, shown);
    default:
      return unreachable(outcome);
  }
}

/** https://developers.telnyx.com/development/api-fundamentals/api-errors */
const Errors = z.object({
  errors: z.array(
    z.object({
      code: z
        .union([z.string(), z.number()])
        .transform((code) => String(code))
        .nullish(),
      title: z.string().nullish(),
      detail: z.string().nullish(),
    }),
  ),
});

function faultOfAnswer(
  { status, body, headers }: Extract<EgressOutcome, { kind: "response" }>,
  changes: boolean,
  shown: (words: string) => string,
): CarrierFault {
  const read = Errors.safeParse(tryParseJson(body));
  const [first] = read.success ? read.data.errors : [];
  const code = first?.code ?? null;
  const words = [first?.title, first?.detail].filter(Boolean).join(": ") || "no reason given";
  const message = shown(`Telnyx answered ${status}${code ? ` (${code})` : ""}: ${words}`.slice(0, 500));
  if (code === STOPPED.code && STOPPED.words.test(words))
    return new CarrierFault(message, "refused", { status: "PRIOR_UNSUBSCRIBED" });
  const meaning = code === null ? undefined : TELNYX_ERRORS[code];
  return answeredFault({ message, status, headers, meaning, changes });
}

import { unreachable } from "../../base/errors.ts";
import { tryParseJson } from "../../base/parse-json.ts";
import { CarrierFault } from "../../channels/carrier.ts";
import type { EgressOutcome } from "../../egress/egress.ts";
import { own } from "../../expressions/member.ts";
import { answeredFault } from "../answered-fault.ts";
import { country, type ErrorMeaning, notSent, ours, refused, textFailureBy } from "../error-meaning.ts";

/** An account that can't sign in is for the operator to mend; what waits is tried again until then. */
const ACCOUNT: ErrorMeaning = { fate: "not-sent", after_s: 300, ours: "source" };
const TOO_FAST = notSent(1);

/** By code: https://www.twilio.com/docs/api/errors. */
export const TWILIO_ERRORS: Readonly<Record<number, ErrorMeaning>> = {
  10001: ACCOUNT,
  20003: ACCOUNT,
  20005: ACCOUNT,
  20429: TOO_FAST,
  10004: TOO_FAST,
  14107: TOO_FAST,
  63018: TOO_FAST,
  // The queue of this sender holds four hours of texts.
  21611: notSent(60),

  // The person's number.
  13224: refused("INVALID"),
  21211: refused("INVALID"),
  21214: refused("INVALID"),
  21217: refused("INVALID"),
  21421: refused("INVALID"),
  21604: refused("INVALID"),
  21614: refused("INVALID"),
  21635: refused("INVALID"),
  63003: refused("INVALID"),
  63024: refused("INVALID"),
  // They answered STOP to this sender before.
  21610: refused("PRIOR_UNSUBSCRIBED"),

  // Our number, our permissions, our template: the same for everybody, until somebody mends it.
  21210: ours("FAILED"),
  21212: ours("FAILED"),
  21603: ours("DELIVERY_FAILED"),
  21606: ours("DELIVERY_FAILED"),
  21654: ours("DELIVERY_FAILED"),
  21655: ours("DELIVERY_FAILED"),
  21659: ours("DELIVERY_FAILED"),
  21660: ours("DELIVERY_FAILED"),
  63007: ours("DELIVERY_FAILED"),
  63016: ours("DELIVERY_FAILED"),
  63027: ours("DELIVERY_FAILED"),
  63040: ours("DELIVERY_FAILED"),
  63041: ours("DELIVERY_FAILED"),
  63042: ours("DELIVERY_FAILED"),

  // Our account's permissions for the person's country: of calls, SIP calls, numbers that cost more, and messages.
  13227: country("FAILED"),
  21215: country("FAILED"),
  32205: country("FAILED"),
  21408: country("DELIVERY_FAILED"),

  // Our words to this person, or this pair of numbers.
  21602: refused("DELIVERY_FAILED"),
  21612: refused("DELIVERY_FAILED"),
  21617: refused("DELIVERY_FAILED"),
};

/** Whether another try may meet something else, by the code a failed message carries; others don't say. */
const TRANSIENT_CODES: Readonly<Record<string, boolean>> = {
  30001: true,
  30002: false,
  30003: true,
  30004: false,
  30005: false,
  30006: false,
  30007: false,
  30010: false,
  30017: true,
  30022: true,
  30023: true,
  30034: false,
  63003: false,
  63016: false,
  63024: false,
};

/**
 * What Twilio takes and refuses later because of us, by the code of the failed message: the same for everybody until
 * somebody mends it, and no attempt of the person's (https://www.twilio.com/docs/api/errors).
 */
const OUR_FAULTS: Readonly<Record<string, string>> = {
  30002: "the account is suspended",
  30032: "the toll-free number is not verified",
  30034: "the number is not registered for texts to the US (A2P 10DLC)",
  63007: "the account has no such WhatsApp sender",
  63016: "WhatsApp opens a dialogue with an approved template only",
  63020: "the WhatsApp business account does not let messages go out",
  63027: "the WhatsApp template does not exist in this language",
  63040: "WhatsApp rejected the template",
  63041: "WhatsApp paused the template",
  63042: "WhatsApp disabled the template",
};

/** What the code says that a text carries, in a callback as in the carrier's own list. */
export const textFailure = textFailureBy({ transient: TRANSIENT_CODES, faults: OUR_FAULTS });

/** `changes`: the carrier was asked to do something; what became of it without a clear answer is unknown then. */
type AskedOfTwilio = {
  what: string;
  changes: boolean;
  /** Makes words of Twilio's fit to be shown; as they are when left out. */
  shown?: (words: string) => string;
};

/**
 * Why there is no answer to work with, as what it means for what was asked. A 5xx and a connection that broke may hide a
 * call that was placed; a name that doesn't resolve or a refused connection can't.
 */
export function faultOf(outcome: EgressOutcome, asked: AskedOfTwilio): CarrierFault {
  const { what } = asked;
  const unknown = asked.changes ? "unknown" : "not-sent";
  switch (outcome.kind) {
    case "response":
      return faultOfAnswer(outcome, asked);
    case "redirect":
      return new CarrierFault(`Twilio redirected ${what}; TWILIO_BASE_URL may be wrong.`, "not-sent");
    case "refused":
      return new CarrierFault(`Twilio can't be reached for ${what}: ${outcome.reason}`, "not-sent");
    case "timeout":
      return new CarrierFault(`Twilio did not answer ${what} within ${outcome.after_ms} ms.`, unknown);
    case "failed":
      return new CarrierFault(
        `${what} failed: ${outcome.reason}.`,
        outcome.nothing_sent ? "not-sent" : unknown,
      );
    default:
      return unreachable(outcome);
  }
}

function faultOfAnswer(
  { status, headers, body }: Extract<EgressOutcome, { kind: "response" }>,
  { what, changes, shown = (words) => words }: AskedOfTwilio,
): CarrierFault {
  const error = tryParseJson(body);
  const [told, said] = [own(error, "code"), own(error, "message")];
  const code = typeof told === "number" ? told : null;
  const words = typeof said === "string" ? shown(said).slice(0, 500) : "no reason given";
  const message = `Twilio answered ${what} with ${status}${code === null ? "" : ` (error ${code})`}: ${words}`;
  const meaning = code === null ? undefined : TWILIO_ERRORS[code];
  return answeredFault({ message, status, headers, meaning, changes });
}

import { storableText } from "../../base/storable.ts";
import type { CarrierSignal, OutgoingText } from "../../channels/carrier.ts";
import { ANSWERER_SIGNALS, MESSAGE_SIGNALS, SIP_SIGNALS } from "../../channels/status-signals.ts";
import type { OptOutKind } from "../../consent/opt-out-words.ts";
import { callStatus } from "./twilio-calls.ts";
import { textFailure } from "./twilio-fault.ts";
import type { TwilioForm } from "./twilio-signature.ts";
import { numberOf } from "./twilio-texts.ts";

/*
 * What Twilio's callbacks say, in our words; pure. A form without the field that its kind is about gives null: it is
 * signed, so it is Twilio's, but nothing we know.
 */

/** The one value of a field; Twilio sends none twice that is read here. */
export function field(form: TwilioForm, name: string): string {
  const value = form[name];
  return storableText((Array.isArray(value) ? value[0] : value) ?? "");
}

/** How a call stands (https://www.twilio.com/docs/voice/api/call-resource#statuscallback). */
export function callSignal(form: TwilioForm, key: string | null, now: Date): CarrierSignal | null {
  const word = field(form, "CallStatus");
  if (word === "") return null;
  const sip = SIP_SIGNALS[Number(field(form, "SipResponseCode"))];
  const ended = word === "failed" || word === "busy" || word === "no-answer";
  return {
    key,
    sid: field(form, "CallSid"),
    status: ended && sip ? sip : callStatus(word),
    word,
    error_code: field(form, "ErrorCode") || null,
    is_transient: null,
    at: stampOf(form, now),
  };
}

/** Who picked up (https://www.twilio.com/docs/voice/answering-machine-detection). */
export function answererSignal(form: TwilioForm, key: string, now: Date): CarrierSignal | null {
  const word = field(form, "AnsweredBy");
  if (word === "") return null;
  return {
    key,
    sid: field(form, "CallSid"),
    status: ANSWERER_SIGNALS[word] ?? "UNKNOWN",
    word,
    error_code: null,
    is_transient: null,
    at: stampOf(form, now),
  };
}

/** How a text stands (https://www.twilio.com/docs/messaging/guides/track-outbound-message-status). */
export function messageSignal(form: TwilioForm, key: string, now: Date): CarrierSignal | null {
  const word = field(form, "MessageStatus") || field(form, "SmsStatus");
  if (word === "") return null;
  const status = MESSAGE_SIGNALS[word] ?? "DELIVERY_UNKNOWN";
  const failure = textFailure(status, field(form, "ErrorCode") || null);
  return { key, sid: field(form, "MessageSid"), status, word, ...failure, at: now };
}

export type IncomingText = {
  sid: string;
  medium: OutgoingText["medium"];
  from: string;
  to: string;
  text: string;
  media: { type: string; url: string }[];
  /** What the carrier took it for and has answered itself; null: nothing of the kind. */
  answered_as: OptOutKind | null;
};

const MOST_MEDIA = 10;

/** Advanced Opt-Out (https://www.twilio.com/docs/messaging/tutorials/advanced-opt-out): `OptOutType`. */
const OPT_OUT_TYPES: Record<string, OptOutKind> = { STOP: "stop", START: "start", HELP: "help" };

/** A text somebody sent us (https://www.twilio.com/docs/messaging/guides/webhook-request). */
export function incomingText(form: TwilioForm): IncomingText | null {
  const sid = field(form, "MessageSid");
  const from = numberOf(field(form, "From"));
  const to = numberOf(field(form, "To"));
  if (sid === "" || from.number === "" || to.number === "") return null;
  const count = Math.min(Number(field(form, "NumMedia")) || 0, MOST_MEDIA);
  const media = Array.from({ length: count }, (_, n) => ({
    type: field(form, `MediaContentType${n}`),
    url: field(form, `MediaUrl${n}`),
  }));
  return {
    sid,
    medium: to.medium,
    from: from.number,
    to: to.number,
    text: [field(form, "Body"), locationIn(form)].filter((part) => part !== "").join("\n"),
    media: media.filter(({ url }) => url !== ""),
    answered_as: OPT_OUT_TYPES[field(form, "OptOutType").toUpperCase()] ?? null,
  };
}

/** A place that was shared by WhatsApp comes without a body; its name and address are sent where they are known. */
function locationIn(form: TwilioForm): string {
  const latitude = field(form, "Latitude");
  const longitude = field(form, "Longitude");
  if (latitude === "" || longitude === "") return "";
  const parts = [field(form, "Label"), field(form, "Address"), latitude, longitude];
  return `[location: ${parts.filter((part) => part !== "").join(", ")}]`;
}

/** How a call to another number ended (https://www.twilio.com/docs/voice/twiml/dial#action). */
type TwilioTransferResult = {
  sid: string;
  /** completed | answered | busy | no-answer | failed | canceled */
  word: string;
  duration_s: number | null;
};

export function transferResult(form: TwilioForm): TwilioTransferResult | null {
  const word = field(form, "DialCallStatus");
  if (word === "") return null;
  return { sid: field(form, "CallSid"), word, duration_s: numberIn(form, "DialCallDuration") };
}

/** A recording the carrier holds ready (https://www.twilio.com/docs/voice/api/recording#recordingstatuscallback). */
type ReadyRecording = {
  sid: string;
  url: string;
  duration_s: number | null;
};

export function readyRecording(form: TwilioForm): ReadyRecording | null {
  const url = field(form, "RecordingUrl");
  if (url === "" || field(form, "RecordingStatus") !== "completed") return null;
  return {
    sid: field(form, "CallSid"),
    url,
    duration_s: numberIn(form, "RecordingDuration"),
  };
}

function numberIn(form: TwilioForm, name: string): number | null {
  const text = field(form, name);
  return text === "" || Number.isNaN(Number(text)) ? null : Number(text);
}

/** `Timestamp` is RFC 2822; a callback without one is of now. */
function stampOf(form: TwilioForm, now: Date): Date {
  const at = new Date(field(form, "Timestamp"));
  return Number.isNaN(at.getTime()) ? now : at;
}

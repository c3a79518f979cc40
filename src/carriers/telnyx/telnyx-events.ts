import { createPublicKey, verify } from "node:crypto";
import { z } from "zod";
import { storableText } from "../../base/storable.ts";
import type { ChannelStatus } from "../../channels/channel-status.ts";
import { SIP_SIGNALS } from "../../channels/status-signals.ts";
import { readState, type TelnyxCallState } from "./telnyx-state.ts";

/*
 * What Telnyx posts to us of calls (https://developers.telnyx.com/api-reference/callbacks/call-hangup and its
 * neighbours), and how it is signed (https://developers.telnyx.com/docs/development/sdk/node/webhooks). Pure.
 */

/** Telnyx signs the moment, and sends again what was not taken for some minutes. */
const LONGEST_AGE_S = 300;
/** The beginning of an Ed25519 key in DER form (RFC 8410); Telnyx shows the 32 bytes behind it. */
const SPKI = Buffer.from("302a300506032b6570032100", "hex");

/** null: Telnyx signed this body for this account. Else why not. */
export function whyNotTelnyxs(
  public_key: string | undefined,
  given: { signature: unknown; timestamp: unknown; body: Buffer },
  now: Date,
): string | null {
  const { signature, timestamp, body } = given;
  if (typeof signature !== "string" || typeof timestamp !== "string") return "no signature";
  if (!public_key) return "no such channel, or it has no public key";
  if (!/^\d{1,12}$/.test(timestamp)) return "its timestamp is none";
  const age_s = now.getTime() / 1000 - Number(timestamp);
  if (Math.abs(age_s) > LONGEST_AGE_S) return `signed ${Math.round(age_s)} s ago`;
  try {
    const der = Buffer.concat([SPKI, Buffer.from(public_key, "base64")]);
    const key = createPublicKey({ key: der, format: "der", type: "spki" });
    const signed = Buffer.concat([Buffer.from(`${timestamp}|`), body]);
    return verify(null, signed, key, Buffer.from(signature, "base64")) ? null : "wrong signature";
  } catch {
    return "wrong signature";
  }
}

const Event = z.object({
  data: z.object({
    event_type: z.string(),
    occurred_at: z.string().nullish(),
    payload: z.object({
      call_control_id: z.string().min(1).max(500).transform(storableText),
      client_state: z.string().max(4000).nullish(),
      direction: z.string().nullish(),
      from: z.string().max(500).default(""),
      to: z.string().max(500).default(""),
      hangup_cause: z.string().max(100).nullish(),
      sip_hangup_cause: z.union([z.string(), z.number()]).nullish(),
      start_time: z.string().nullish(),
      end_time: z.string().nullish(),
      failure_reason: z.string().max(300).nullish(),
    }),
  }),
});

export type TelnyxCallEvent = { sid: string; state: TelnyxCallState } & (
  | { type: "incoming"; from: string; to: string }
  | { type: "answered"; from: string; to: string }
  | { type: "bridged" }
  | { type: "hangup"; status: ChannelStatus; cause: string; duration_s: number | null }
  | { type: "stream_ended" }
);

/** null: nothing that concerns a call. */
export function readTelnyxEvent(given: unknown): TelnyxCallEvent | null {
  const read = Event.safeParse(given);
  if (!read.success) return null;
  const { event_type, payload } = read.data.data;
  const of = { sid: payload.call_control_id, state: readState(payload.client_state) };
  const { from, to } = payload;
  switch (event_type) {
    case "call.initiated":
      return payload.direction === "incoming" ? { ...of, type: "incoming", from, to } : null;
    case "call.answered":
      return { ...of, type: "answered", from, to };
    case "call.bridged":
      return { ...of, type: "bridged" };
    case "call.hangup": {
      const cause = payload.hangup_cause ?? "unspecified";
      const status = hangupStatus(cause, Number(payload.sip_hangup_cause ?? Number.NaN));
      const ms = Date.parse(payload.end_time ?? "") - Date.parse(payload.start_time ?? "");
      return {
        ...of,
        type: "hangup",
        status,
        cause,
        duration_s: Number.isNaN(ms) ? null : Math.round(ms / 1000),
      };
    }
    case "streaming.stopped":
    case "streaming.failed":
      return { ...of, type: "stream_ended" };
    default:
      return null;
  }
}

const HANGUP_CAUSES: Readonly<Record<string, ChannelStatus>> = {
  normal_clearing: "COMPLETED",
  time_limit: "COMPLETED",
  user_busy: "BUSY",
  call_rejected: "DECLINED",
  no_answer: "NO-ANSWER",
  timeout: "NO-ANSWER",
  originator_cancel: "CANCELED",
  not_found: "SIP_NOT_FOUND",
};

const hangupStatus = (cause: string, sip: number): ChannelStatus =>
  HANGUP_CAUSES[cause] ?? SIP_SIGNALS[sip] ?? "FAILED";

/** What became of a transfer's leg, in the words that `transferEnded` knows. */
export const transferWord = (status: ChannelStatus): string =>
  ({
    BUSY: "busy",
    DECLINED: "busy",
    "NO-ANSWER": "no-answer",
    CANCELED: "no-answer",
    COMPLETED: "completed",
  })[status as string] ?? "failed";

import { z } from "zod";
import type { CarrierAccount, CarrierCalls, OutgoingCall, Taken } from "../../channels/carrier.ts";
import type { ChannelStatus } from "../../channels/channel-status.ts";
import { CALL_SIGNALS } from "../../channels/status-signals.ts";
import { oursOf } from "./twilio-alike.ts";
import { accountPath, type TwilioApi, type TwilioFields } from "./twilio-api.ts";
import type { TwilioUrls } from "./twilio-urls.ts";

/** https://www.twilio.com/docs/voice/api/call-resource */
const CallResource = z.object({
  sid: z.string().min(1),
  status: z.string(),
  /** RFC 2822. */
  date_created: z.string().nullish(),
});

export function twilioCalls(api: TwilioApi, urls: (channel_id: number) => TwilioUrls): CarrierCalls {
  return {
    async place(account, call) {
      const fields = placement(call, urls(account.channel_id));
      const path = `${accountPath(account)}/Calls.json`;
      return taken(await api.post(account, { path, fields, answer: CallResource }));
    },

    /**
     * Twilio shows nothing of ours with a call: it is found by its two numbers and when it was made (`oursOf`). The
     * newest come first; a filter by when calls started might leave out those that have not.
     */
    async find(account, { from, to }, since, others) {
      const { calls } = await api.get(account, {
        path: `${accountPath(account)}/Calls.json`,
        fields: { To: to, From: from, PageSize: 50 },
        answer: z.object({ calls: z.array(CallResource) }),
      });
      const found = await oursOf(calls, since, others);
      return found && taken(found);
    },

    /** "completed" also ends a call that still rings; one that is over stays as it is (error 21220). */
    async hangUp(account, sid) {
      const path = `${callPath(account, sid)}.json`;
      await api.post(account, { path, fields: { Status: "completed" }, answer: z.unknown() });
    },

    /** "canceled" ends a call that is queued or rings, and does nothing to one that was answered. */
    async cancel(account, sid) {
      const path = `${callPath(account, sid)}.json`;
      await api.post(account, { path, fields: { Status: "canceled" }, answer: z.unknown() });
    },
  };
}

const callPath = (account: CarrierAccount, sid: string): string =>
  `${accountPath(account)}/Calls/${encodeURIComponent(sid)}`;

const taken = ({ sid, status }: z.infer<typeof CallResource>): Taken => ({ sid, status: callStatus(status) });

export const callStatus = (word: string): ChannelStatus => CALL_SIGNALS[word] ?? "UNKNOWN";

/** Pure: the form that places a call. */
export function placement(call: OutgoingCall, urls: TwilioUrls): TwilioFields {
  const { answer, status, answerer } = urls.call(call.key);
  const detection = call.answerer_detection;
  return {
    From: call.from,
    To: call.to,
    ...(call.caller_id && { CallerId: call.caller_id }),
    Url: answer,
    StatusCallback: status,
    // That it was initiated and rings is what the answer to this said; "completed" tells of every end.
    StatusCallbackEvent: ["answered", "completed"],
    Timeout: within(call.ring_timeout_s, 5, 600),
    TimeLimit: within(call.longest_s, 60, 14_400),
    ...(detection && {
      // Listens on for the beep, while the conversation may begin.
      MachineDetection: "DetectMessageEnd",
      AsyncAmd: "true",
      AsyncAmdStatusCallback: answerer,
      MachineDetectionTimeout: within(detection.timeout_s, 3, 59),
      MachineDetectionSpeechThreshold: within(detection.speech_threshold_s * 1000, 1000, 6000),
      MachineDetectionSpeechEndThreshold: within(detection.speech_end_threshold_s * 1000, 500, 5000),
      MachineDetectionSilenceTimeout: within(detection.silence_timeout_s * 1000, 2000, 10_000),
    }),
  };
}

/** Twilio refuses the whole call for a number out of its bounds. */
const within = (value: number, least: number, most: number): number =>
  Math.round(Math.min(most, Math.max(least, value)));

import {
  type AnswererDetection,
  CarrierFault,
  type Carriers,
  type OutgoingCall,
} from "../channels/carrier.ts";
import { carrierOfChannel } from "../channels/channel-carrier.ts";
import { type Outreach, type OutreachSender, requireGo, type SentOutreach } from "../channels/outreach.ts";
import { detectionSeconds } from "../channels/voicemail-detection.ts";
import type { Db } from "../db/database.ts";

/** People are called this long, and talk at most this long. */
const RING_TIMEOUT_S = 40;
const LONGEST_S = 3600;

type Parts = {
  db: Db;
  carriers: Carriers;
  /** Of these sids, those of tries to reach this person other than the one with this key. */
  otherAttemptSids(outreach: Outreach, sids: readonly string[]): Promise<ReadonlySet<string>>;
};

/** Calls people. The session begins when somebody picks up: the carrier asks then what to do with the call. */
export function voiceSender(parts: Parts): OutreachSender {
  const callsOf = async (channel_id: number) => {
    const found = await carrierOfChannel(parts, channel_id);
    if (found?.carrier.calls) return { calls: found.carrier.calls, account: found.account };
    throw new CarrierFault("This installation has no carrier for the channel's calls.", "refused", {
      status: "UNEXPECTED_ERROR",
      ours: "source",
    });
  };
  const reached = (taken: Pick<SentOutreach, "sid" | "status">): SentOutreach => ({
    ...taken,
    session_id: null,
    conversation_id: null,
  });

  return {
    async send(outreach, mayGo) {
      const { calls, account } = await callsOf(outreach.channel_id);
      await requireGo(mayGo);
      return reached(await calls.place(account, outgoingCall(outreach)));
    },
    async find(outreach, since) {
      const { calls, account } = await callsOf(outreach.channel_id);
      const others = (sids: readonly string[]) => parts.otherAttemptSids(outreach, sids);
      const taken = await calls.find(account, outgoingCall(outreach), since, others);
      return taken && reached(taken);
    },
    async cancel(outreach, sid) {
      const { calls, account } = await callsOf(outreach.channel_id);
      await calls.cancel(account, sid).catch((error) => {
        // The carrier refuses to cancel a call that is over.
        if (!(error instanceof CarrierFault && error.fate === "refused")) throw error;
      });
    },
  };
}

const outgoingCall = (outreach: Outreach): OutgoingCall => ({
  key: outreach.key,
  from: outreach.source,
  to: outreach.target,
  caller_id: outreach.caller_id,
  answerer_detection: answererDetection(outreach.voicemail_detection),
  ring_timeout_s: RING_TIMEOUT_S,
  longest_s: LONGEST_S,
});

/**
 * How the carrier listens for a mailbox. In mode v2 the agent itself finds out, and the carrier need
 * not listen. Pure; exported for its test.
 */
export function answererDetection(config: Record<string, unknown> | null): AnswererDetection | null {
  if (config === null || config.mode === "v2") return null;
  return {
    timeout_s: detectionSeconds(config, "overall_timeout"),
    speech_threshold_s: detectionSeconds(config, "speech_threshold"),
    speech_end_threshold_s: detectionSeconds(config, "post_speech_timeout"),
    silence_timeout_s: detectionSeconds(config, "pre_speech_timeout"),
  };
}

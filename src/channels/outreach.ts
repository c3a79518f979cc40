import type { Tx } from "../db/database.ts";
import { CarrierFault, type CarrierSignal, type Taken } from "./carrier.ts";

/**
 * Between campaigns, which decide when somebody is tried, and channels, which know how. One try to reach one person, all
 * that a channel has to know of it. Variables carry their `vars.` names.
 */
export type Outreach = {
  key: string;
  sub_organization_id: number;
  mode: "voice" | "sms" | "whatsapp" | "email";
  campaign_id: number;
  agent_id: number;
  channel_id: number;
  channel_target_id: number;
  /** Ours, and what the recipient sees where that differs. */
  source: string;
  caller_id: string | null;
  /** The person's. */
  target: string;
  variables: Record<string, string>;
  /** The campaign's settings by the specification; null: nobody listens for machines. */
  voicemail_detection: Record<string, unknown> | null;
  /** Minutes a text dialogue stays open without a word; null: the platform's. */
  sms_session_ttl: number | null;
  is_test: boolean;
};

export type SentOutreach = Taken & {
  /** Known at once where the first message opens the session; a call's comes when it is answered. */
  session_id: number | null;
  conversation_id: number | null;
};

/**
 * A carrier may not show at once what it took; what it doesn't know so long after it can have been handed over at the
 * latest never got through.
 */
export const SHOWN_AFTER_ms = 6_500;

export type MayGo = () => boolean | Promise<boolean>;

/**
 * The person withdrew, was put on a list, or their hours or WhatsApp's closed after the attempt was claimed: nothing was
 * sent, and nothing counts.
 */
export class Withdrawn extends CarrierFault {
  constructor(why = "The person may not be reached any more.") {
    super(why, "not-sent");
    this.name = "Withdrawn";
  }
}

/** How one mode reaches people. `send` throws a `CarrierFault`. No transaction is open while either runs. */
export type OutreachSender = {
  /**
   * `mayGo` is asked at the last moment before the carrier is: whoever was held up until others may have taken the try
   * over sends nothing (`requireGo`). It throws `Withdrawn` where the person may not be reached any more.
   */
  send(outreach: Outreach, mayGo?: MayGo): Promise<SentOutreach>;
  /** What became of a `send` of unknown fate; null: it never got through, and trying again is safe. */
  find(outreach: Outreach, since: Date): Promise<SentOutreach | null>;
  /**
   * Ends an attempt that nobody has answered yet, as far as the carrier can; what was answered goes on, and what was sent
   * is sent. Never throws for one that is over.
   */
  cancel(outreach: Outreach, sid: string): Promise<void>;
};

/** Throws unless a try may still be handed to its carrier. */
export async function requireGo(mayGo: MayGo | undefined): Promise<void> {
  if ((await mayGo?.()) === false)
    throw new CarrierFault("held up until others may have taken it over", "not-sent");
}

export type Senders = Record<Outreach["mode"], OutreachSender>;

/** What channels tell campaigns, which stand to their right; the composition root hands it in. */
export type AttemptReports = {
  /** The try behind a key that a carrier's callback carries; null for one that never was. */
  find(key: string): Promise<Outreach | null>;
  /** In the transaction that opens its session. */
  sessionStarted(
    tx: Tx,
    key: string,
    session: { session_id: number; conversation_id: number },
  ): Promise<void>;
  /** Safe with signals that come twice, late, out of order or for unknown keys; settled when it resolves. */
  signal(signals: CarrierSignal[]): Promise<void>;
};

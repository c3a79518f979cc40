import { PublicError } from "../base/errors.ts";
import type { ChannelStatus } from "./channel-status.ts";
import type { Credentials } from "./credentials/channel-credentials.ts";

/**
 * What a carrier does for us, as we need it. Each carrier is one file that fulfils the parts it has; nothing else knows
 * its words. Numbers are E.164, times are real instants, durations are seconds.
 *
 * `key` is ours: chosen before the carrier is asked, sent along where the carrier keeps such a thing, and part of the
 * addresses that its callbacks come to. What was placed or sent is known by it for ever.
 */
export type Carrier = {
  name: string;
  /** Nobody is really reached; said wherever this carrier's name is shown. */
  simulated: boolean;
  /**
   * Signs in to the account and changes nothing. Resolves with what is known of it, a sentence; throws a `CarrierFault`.
   * Left out by the simulators, which take every account.
   */
  check?(account: CarrierAccount): Promise<string>;
  /** Whether this address is the carrier's own, so that an account's secrets may be told there; left out: none is. */
  isOwnAddress?(url: string): boolean;
  numbers?: CarrierNumbers;
  calls?: CarrierCalls;
  texts?: CarrierTexts;
  mail?: CarrierMail;
  lookup?: NumberLookup;
};

/** A channel's account with its carrier. */
export type CarrierAccount = { channel_id: number; credentials: Credentials };

/** The account is the operator's, which organizations share: `numbers` are all of it, for the operator's own eyes. */
export type SharedAccount = { numbers: CarrierNumbers };

/** The carrier behind a channel, and how it is signed in to; null where this installation has none for it. */
export type Carriers = {
  of(channel: {
    id: number;
    channel_service: string;
  }): Promise<{ carrier: Carrier; account: CarrierAccount; shared?: SharedAccount } | null>;
};

/**
 * What a fault of ours lies in, and whom it keeps from being reached: our account, number or template, and all whom it
 * reaches; our account's permission for the person's country; or the campaign's step, which has no words to send.
 */
export type OurFault = "source" | "country" | "step";

/**
 * A carrier is asked again within a day, whatever wait it names: some name a moment, in seconds since 1970, and the person
 * would never be reached.
 */
const LONGEST_RETRY_AFTER_s = 86_400;

/**
 * A carrier did not do what was asked. `fate` says what may have come of it: "refused", it never will, `status` says
 * why; "not-sent", it did not take it, another try is safe (after `retry_after_s`, where it told); "unknown", it may have
 * taken it: before another try it has to be asked (`find`). `ours`: the fault is
 * ours and not the person's; once that is mended the same try goes well.
 */
export class CarrierFault extends PublicError {
  readonly fate: "refused" | "not-sent" | "unknown";
  readonly status: ChannelStatus | null;
  readonly retry_after_s: number | null;
  readonly ours: OurFault | null;

  constructor(
    message: string,
    fate: CarrierFault["fate"],
    more: {
      status?: ChannelStatus;
      retry_after_s?: number;
      ours?: OurFault | null;
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause: more.cause });
    this.name = "CarrierFault";
    this.fate = fate;
    this.status = more.status ?? null;
    this.retry_after_s =
      more.retry_after_s === undefined ? null : Math.min(more.retry_after_s, LONGEST_RETRY_AFTER_s);
    this.ours = more.ours ?? null;
  }
}

/** What a carrier has taken on, and how it stood then; `failure`: where it had failed by then, as the carrier shows why. */
export type Taken = { sid: string; status: ChannelStatus; failure?: FailureReason };

/** Something a carrier tells later of what it took on. It may come twice, late, out of order, or for an unknown key. */
export type CarrierSignal = {
  key: string | null;
  sid: string;
  status: ChannelStatus;
  /** The carrier's own word, and its code of an error. */
  word: string;
  error_code: string | null;
  /** False: the carrier says that another try meets the same. Null: it doesn't say. */
  is_transient: boolean | null;
  /** What it took before and refuses now is our account, number or template: in words, why. Left out: nothing of ours. */
  our_fault?: string;
  at: Date;
};

/** Whether another try may go better, and whose fault it was, by the carrier's code. */
export type FailureReason = Pick<CarrierSignal, "error_code" | "is_transient" | "our_fault">;

export type OutgoingCall = {
  key: string;
  from: string;
  to: string;
  /** What the person's telephone shows, where it is not `from`. */
  caller_id: string | null;
  /** Listen for who answers, without holding the conversation up; seconds as the campaign has them. */
  answerer_detection: AnswererDetection | null;
  ring_timeout_s: number;
  longest_s: number;
};

export type AnswererDetection = {
  timeout_s: number;
  speech_threshold_s: number;
  speech_end_threshold_s: number;
  silence_timeout_s: number;
};

/**
 * Which of these sids are known to be of other calls or texts of ours. What a carrier keeps no key of is found by what it
 * looks like, and of two that look alike each has to be found for its own.
 */
export type OthersSids = (sids: readonly string[]) => Promise<ReadonlySet<string>>;

export type CarrierCalls = {
  place(account: CarrierAccount, call: OutgoingCall): Promise<Taken>;
  /** The call that was placed under a key, whatever became of it; null when there is none. */
  find(
    account: CarrierAccount,
    call: Pick<OutgoingCall, "key" | "from" | "to">,
    since: Date,
    others: OthersSids,
  ): Promise<Taken | null>;
  hangUp(account: CarrierAccount, sid: string): Promise<void>;
  /** Ends a call that was not answered yet; one that was goes on. */
  cancel(account: CarrierAccount, sid: string): Promise<void>;
};

export type OutgoingText = {
  key: string;
  medium: "sms" | "whatsapp";
  from: string;
  to: string;
  text: string;
  /** A text WhatsApp has approved, by the carrier's name of it: it alone may open a dialogue there. */
  template: { sid: string; variables: Record<string, string> } | null;
};

export type CarrierTexts = {
  send(account: CarrierAccount, text: OutgoingText): Promise<Taken>;
  find(account: CarrierAccount, text: OutgoingText, since: Date, others: OthersSids): Promise<Taken | null>;
  /** How a text stands that the carrier took: its own word may have been lost. */
  look(account: CarrierAccount, sid: string): Promise<Taken>;
};

export type OutgoingMail = {
  /** Also the left part of its Message-ID. */
  key: string;
  from: { name: string | null; address: string };
  reply_to: string | null;
  /** Where reports of its delivery go; null: to the sender. */
  return_path: string | null;
  to: string;
  subject: string;
  text: string;
  html: string | null;
  in_reply_to: string | null;
  references: string[];
  /** RFC 8058: where one click takes the recipient off the list. */
  unsubscribe_url: string | null;
};

export type CarrierMail = {
  /** As a carrier's. */
  check(account: CarrierAccount): Promise<string>;
  /**
   * `handingOver` is awaited at the last moment at which the carrier can't have the mail yet: what is stored there tells,
   * after a crash, a mail that may be sent again from one that may have been taken. When it throws, nothing is sent.
   */
  send(account: CarrierAccount, mail: OutgoingMail, handingOver: () => Promise<void>): Promise<Taken>;
};

const LOOKUP_FIELDS = ["line_type", "carrier", "caller_name"] as const;
export type LookupField = (typeof LOOKUP_FIELDS)[number];

/** What is known of a number, in the words of the specification's enrichment; null where the carrier has none. */
export type NumberFacts = {
  line_type: string | null;
  carrier_name: string | null;
  mcc: string | null;
  mnc: string | null;
  error_code: string | null;
  caller_name: string | null;
  caller_type: string | null;
};

export type NumberLookup = {
  /** Only the packages asked for; each costs. `cost` in US dollars by the carrier's public price, null if unknown. */
  lookup(
    account: CarrierAccount,
    number: string,
    fields: LookupField[],
  ): Promise<{ facts: NumberFacts; cost: number | null }>;
  /**
   * Whether the number was given to somebody else since a day (YYYY-MM-DD); left out where the carrier can't tell of any
   * number. Throws what keeps it from telling for now.
   */
  reassigned?(account: CarrierAccount, number: string, since: string): Promise<Reassignment>;
};

/** `unknown`: the carrier has no data on this number, or none of that day; `error_code` is its own. */
export type Reassignment = {
  answer: "yes" | "no" | "unknown";
  error_code: string | null;
  cost: number | null;
};

export type CarrierNumber = {
  /** The carrier's own name of the number. */
  sid: string;
  phone_number: string;
  friendly_name: string;
  /** The trunk its calls come in by; empty when it has none. */
  trunk_sid: string;
};

/** The telephone numbers of a carrier account. */
export type CarrierNumbers = {
  list(account: CarrierAccount): Promise<CarrierNumber[]>;
  /** Rents a number of the area and sends what comes in on it to us. */
  buy(account: CarrierAccount, wish: { area_code: string; friendly_name: string }): Promise<CarrierNumber>;
  /** Sends what comes in on a number the account has to us. */
  attach(account: CarrierAccount, number: { sid: string; friendly_name: string }): Promise<CarrierNumber>;
  /** Gives a number back: nothing is paid for it any more, and somebody else may get it. */
  release(account: CarrierAccount, sid: string): Promise<void>;
  /**
   * Whether US carriers deliver texts from this number: it stands on a messaging service whose brand is approved and
   * whose campaign is verified, in the same registration.
   */
  isA2pApproved(account: CarrierAccount, phone_number: string): Promise<boolean>;
};

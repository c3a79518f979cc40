import type { Credentials } from "./channel-credentials.ts";

/**
 * What a carrier does for us, as we need it; each carrier is one file that fulfils this. An adapter throws a `Fault` of
 * kind "unavailable" when the carrier does not answer and "refused", with the carrier's own words, when it won't.
 */
export type CarrierNumber = {
  /** The carrier's own name of the number. */
  sid: string;
  /** E.164 */
  phone_number: string;
  friendly_name: string;
  /** The trunk its calls come in by; empty when it has none. */
  trunk_sid: string;
};

/** The telephone numbers of a carrier account. */
export type CarrierNumbers = {
  list(account: Credentials): Promise<CarrierNumber[]>;
  /** Rents a number of the area and sends what comes in on it to us. */
  buy(account: Credentials, wish: { area_code: string; friendly_name: string }): Promise<CarrierNumber>;
  /** Sends what comes in on a number the account has to us. */
  attach(account: Credentials, number: { sid: string; friendly_name: string }): Promise<CarrierNumber>;
  /**
   * Whether US carriers deliver texts from this number: it stands on a messaging service whose brand is approved and
   * whose campaign is verified, in the same registration.
   */
  isA2pApproved(account: Credentials, phone_number: string): Promise<boolean>;
};

/** What this installation can talk with, by channel service. */
export type Carriers = { numbers?: Partial<Record<string, CarrierNumbers>> };

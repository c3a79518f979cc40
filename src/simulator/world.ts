import { randomUUID } from "node:crypto";
import type { Clock } from "../base/clock.ts";
import { SIMULATED_MARK } from "../channels/simulated.ts";
import type { Callbacks } from "./callbacks.ts";
import type { People } from "./people.ts";
import type { RelayHandlers, RelayLine } from "./relay-line.ts";
import type { SimulatedTime } from "./schedule.ts";

/** What the simulated carrier knows and works with. All of it lies in memory and is forgotten when the program stops. */
export type World = {
  clock: Clock;
  /** Where the platform reaches this carrier. */
  base: string;
  people: People;
  schedule: SimulatedTime;
  callbacks: Callbacks;
  openRelay(url: string, auth_token: string, handlers: RelayHandlers): RelayLine;
  /** The token of an account; whoever signs in with another is turned away. */
  tokenOf(account_sid: string): string;
  /** Where calls and texts to an account's numbers go that nobody has set otherwise. */
  numberUrls(account_sid: string): NumberUrls | null;
  calls: Bounded<SimulatedCall>;
  messages: Bounded<SimulatedMessage>;
  numbers: Map<string, SimulatedNumber[]>;
  /** How often an address was refused with 429, and how far a dialogue of texts has come. */
  counts: Bounded<number>;
};

export type NumberUrls = { voice: string; status: string; messages: string };

export type SimulatedCall = {
  sid: string;
  account_sid: string;
  from: string;
  to: string;
  direction: "outbound-api" | "inbound";
  status: "queued" | "ringing" | "in-progress" | "completed" | "busy" | "no-answer" | "failed" | "canceled";
  created: Date;
  answered: Date | null;
  ended: Date | null;
  /** What the platform asked for when it placed the call, by Twilio's names. */
  asked: Record<string, string>;
  recording: { sid: string; callback: string } | null;
  sequence: number;
  /** Callbacks of one call go out one after the other. */
  told: Promise<unknown>;
  line: RelayLine | null;
};

export type SimulatedMessage = {
  sid: string;
  account_sid: string;
  from: string;
  to: string;
  body: string;
  status: string;
  error_code: number | null;
  created: Date;
};

export type SimulatedNumber = {
  sid: string;
  phone_number: string;
  friendly_name: string;
  voice_url: string | null;
  status_callback: string | null;
  sms_url: string | null;
};

/** The newest of something, by name; the oldest is forgotten for a new one. */
type Bounded<T> = Map<string, T> & { readonly most: number };

class BoundedMap<T> extends Map<string, T> {
  readonly most: number;
  constructor(most: number) {
    super();
    this.most = most;
  }
  override set(name: string, value: T): this {
    if (!this.has(name) && this.size >= this.most) this.delete(this.keys().next().value as string);
    return super.set(name, value);
  }
}

export const bounded = <T>(most: number): Bounded<T> => new BoundedMap<T>(most);

/**
 * An id as the carrier's look: two letters and 32 hexadecimal digits, the mark of the simulator first. Never one that an
 * earlier start gave.
 */
export const newSid = (prefix: string): string =>
  `${prefix}${SIMULATED_MARK}${randomUUID().replaceAll("-", "").slice(SIMULATED_MARK.length)}`;

/** As Twilio writes a moment. */
export const rfc2822 = (at: Date): string => at.toUTCString().replace("GMT", "+0000");

export const secondsBetween = (from: Date, to: Date): number =>
  Math.max(0, Math.round((to.getTime() - from.getTime()) / 1000));

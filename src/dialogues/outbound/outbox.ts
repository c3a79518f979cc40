import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { CarrierFault, type Taken } from "../../channels/carrier.ts";
import type { ChannelStatus } from "../../channels/channel-status.ts";
import { type MayGo, requireGo } from "../../channels/outreach.ts";
import {
  ageOf,
  type Fate,
  fateOf,
  type GivenUp,
  isLost,
  nextStep,
  type OutboundRules,
  tooLate,
  type WaitingMessage,
} from "./outbound-message.ts";

/** A carrier, as it is asked about one message. */
export type MessageCarrier = {
  is_simulated: boolean;
  /**
   * `handingOver` is awaited at the last moment at which the carrier can't have the message yet; when it throws, nothing
   * is sent.
   */
  send(handingOver: () => Promise<void>): Promise<Taken>;
  /** What it has taken of it since then; left out where it can't be asked. */
  find?(since: Date): Promise<Taken | null>;
};

/** What is stored of a message while it is handed over. */
export type Handing<M> = {
  rules: OutboundRules;
  log: Log;
  /** What names it in the log. */
  about(message: M): Record<string, unknown>;
  /** Stores that its carrier may have it from now on; false: somebody else hands it over. */
  asked(message: M): Promise<boolean>;
  keep(message: M, fate: Fate | GivenUp): Promise<void>;
};

/** What a medium does for its messages that wait to go out. */
export type Outbox<M> = Handing<M> & {
  clock: Clock;
  waiting(message: M): WaitingMessage;
  /** Why this person must not be written to; undefined where nothing stands against it. */
  prior(message: M): Promise<ChannelStatus | undefined>;
  carrierOf(message: M): Promise<MessageCarrier | null>;
};

/**
 * Hands a message to its carrier, once, and keeps what came of it. What may be at a carrier is stored before the carrier
 * can have it, so that a message found in `handing` by anybody else is never simply sent again.
 */
export async function handOver<M>(
  { rules, log, about, asked, keep }: Handing<M>,
  message: M,
  carrier: MessageCarrier,
  mayGo?: MayGo,
): Promise<Taken> {
  let isOthers = false;
  try {
    const taken = await carrier.send(async () => {
      isOthers = !(await asked(message));
      if (isOthers) throw new Error("somebody else sends this message");
      await requireGo(mayGo);
    });
    await keep(message, { kind: "taken", taken, is_simulated: carrier.is_simulated });
    return taken;
  } catch (error) {
    if (isOthers) throw new CarrierFault("Somebody else sends this message.", "unknown", { cause: error });
    if (error instanceof CarrierFault) {
      log.warn({ ...about(message), fate: error.fate, status: error.status }, error.message);
      await keep(message, fateOf(error, rules));
    }
    throw error;
  }
}

/**
 * Brings one waiting message on its way. Resolves with the moment to try again at, where its carrier did not take it or
 * doesn't show it yet; throws where the carrier may have it and can be asked, so that the job comes back and asks.
 */
async function bringOn<M>(outbox: Outbox<M>, message: M): Promise<Date | null> {
  const { rules, clock, keep } = outbox;
  const waiting = outbox.waiting(message);
  const isPastHelp = isLost(waiting, rules);
  const prior = isPastHelp ? null : ((await outbox.prior(message)) ?? null);
  const carrier = isPastHelp || prior ? null : await outbox.carrierOf(message);
  for (let is_absent = false; ; is_absent = true) {
    const step = nextStep(waiting, { prior, carrier, is_absent }, clock.now(), rules);
    if (step.kind === "wait") return step.until;
    if (step.kind === "find") {
      const taken = await step.carrier.find?.(step.since);
      if (!taken) continue;
      await keep(message, { kind: "taken", taken, is_simulated: step.carrier.is_simulated });
      return null;
    }
    if (is_absent) await keep(message, { kind: "not-taken", why: "The carrier shows nothing of it." });
    if (step.kind === "send") return sendOrWait(outbox, message, step.carrier);
    await keep(message, step);
    return null;
  }
}

/** Brings waiting messages on their way in their order: those behind one that has to wait, wait too. */
export async function bringAllOn<M>(outbox: Outbox<M>, messages: readonly M[]): Promise<Date | null> {
  for (const message of messages) {
    const again = await bringOn(outbox, message);
    if (again) return again;
  }
  return null;
}

async function sendOrWait<M>(outbox: Outbox<M>, message: M, carrier: MessageCarrier): Promise<Date | null> {
  const { rules, clock, keep } = outbox;
  try {
    await handOver(outbox, message, carrier);
    return null;
  } catch (error) {
    if (!(error instanceof CarrierFault)) throw error;
    const { kind } = fateOf(error, rules);
    if (kind === "to-be-asked") throw error;
    if (kind !== "not-taken") return null;
    const now = clock.now();
    const wait_ms = rules.wait_ms(ageOf(outbox.waiting(message), now), error.retry_after_s);
    if (wait_ms !== null) return new Date(now.getTime() + wait_ms);
    await keep(message, tooLate(rules));
    return null;
  }
}

import { Agent } from "undici";
import type { Clock, MovedClock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { callIn } from "./call.ts";
import { createCallbacks } from "./callbacks.ts";
import { type PersonsText, textIn } from "./message.ts";
import { peopleOf, type Scenario } from "./people.ts";
import { openRelay } from "./relay-line.ts";
import { answerRest } from "./rest.ts";
import type { RestAnswer, RestRequest } from "./rest-answer.ts";
import { createSchedule } from "./schedule.ts";
import { bounded, type NumberUrls, newSid, type SimulatedCall, type World } from "./world.ts";

/**
 * A carrier that reaches nobody: it answers Twilio's REST API, plays the people behind the numbers, and tells the
 * platform what happens by signed callbacks and ConversationRelay sockets over real HTTP, so that the very adapter runs
 * that talks with Twilio. It is what a platform without a carrier telephones with.
 */
export type Simulator = {
  answer(request: RestRequest): RestAnswer;
  /** Somebody calls a number of this account; `from` says who they are. Resolves once the platform has answered. */
  call(account_sid: string, call: { from: string; to: string }): Promise<string>;
  /** Somebody writes to a number of this account. */
  text(account_sid: string, text: PersonsText): Promise<string>;
  /** How a call stands by the carrier's word; null: forgotten, or never was. */
  callStatus(sid: string): string | null;
  /** Moves a test's clock on through all that happens until then. Only at speed "moved". */
  advance(clock: MovedClock, ms: number): Promise<void>;
  /** Resolves once nothing that was begun is under way; what is planned for later still waits. */
  quiet(): Promise<void>;
  /** Nobody says, writes or waits to do anything. */
  isIdle(): boolean;
  close(): Promise<void>;
};

type SimulatorOptions = {
  clock: Clock;
  log: Log;
  scenario: Scenario;
  /** How many times as fast as life; "moved": a test moves the clock. */
  speed: number | "moved";
  tokenOf(account_sid: string): string;
  /** Where the platform reaches this carrier. */
  base: string;
  numberUrls(account_sid: string): NumberUrls | null;
  /** Where an origin of the platform's is really reached. */
  reach(origin: string): string;
};

/** So much is remembered; the oldest call is forgotten for a new one. */
const MOST_CALLS = 100_000;
const MOST_MESSAGES = 100_000;
const MOST_DIALOGUES = 100_000;
/** Before a callback is tried again, in real time. */
const PAUSE_MS = 100;

export function createSimulator(options: SimulatorOptions): Simulator {
  const { clock, log, scenario, speed, base, tokenOf, numberUrls, reach } = options;
  const schedule = createSchedule({
    clock,
    speed,
    onError: (error) => log.error({ err: error }, "the carrier simulator failed at something"),
  });
  const callbacks = createCallbacks({
    reach,
    pause_ms: PAUSE_MS,
    log: (problem) => log.warn(problem, "the carrier simulator's callback was not taken"),
  });
  const agent = new Agent();
  const world: World = {
    clock,
    base,
    people: peopleOf(scenario),
    schedule,
    callbacks,
    openRelay: (url, auth_token, handlers) => openRelay({ url, reach, auth_token, agent, handlers }),
    tokenOf,
    numberUrls,
    calls: bounded(MOST_CALLS),
    messages: bounded(MOST_MESSAGES),
    numbers: new Map(),
    counts: bounded(MOST_DIALOGUES),
  };

  return {
    answer: (request) => answerRest(world, request),
    async call(account_sid, { from, to }) {
      const number = world.numbers.get(account_sid)?.find((each) => each.phone_number === to);
      const urls = numberUrls(account_sid);
      const status = number?.status_callback ?? urls?.status;
      const call: SimulatedCall = {
        sid: newSid("CA"),
        account_sid,
        from,
        to,
        direction: "inbound",
        status: "queued",
        created: clock.now(),
        answered: null,
        ended: null,
        asked: status ? { StatusCallback: status } : {},
        recording: null,
        sequence: 0,
        told: Promise.resolve(),
        line: null,
      };
      world.calls.set(call.sid, call);
      const voice_url = number?.voice_url ?? urls?.voice;
      if (voice_url) await schedule.track(callIn(world, call, voice_url));
      return call.sid;
    },
    text: (account_sid, text) => textIn(world, account_sid, text),
    callStatus: (sid) => world.calls.get(sid)?.status ?? null,
    advance: (moved, ms) => schedule.advance(moved, ms),
    quiet: () => schedule.quiet(),
    isIdle: () => schedule.isIdle,
    async close() {
      schedule.stop();
      for (const call of world.calls.values()) call.line?.close();
      await callbacks.close();
      await agent.destroy();
    },
  };
}

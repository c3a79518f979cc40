import { setTimeout as sleep } from "node:timers/promises";
import { Fault } from "../base/errors.ts";
import type { Engine } from "../sessions/engine.ts";
import { releaseLease } from "../sessions/lease.ts";

const LOOK_MS = 20;

/**
 * For a stop of the process: waits for running turns and aborts those that still run after `within_ms`. Their messages are
 * stored and their leases released, so a client that sends such a message again is answered at once, by any process.
 * Resolves with the number of aborted turns.
 */
export async function finishTurns(engine: Engine, within_ms: number): Promise<number> {
  const deadline = performance.now() + within_ms;
  while (engine.held.size > 0 && performance.now() < deadline) await sleep(LOOK_MS);
  const cut = engine.held.giveUp();
  // The lease is released first: an aborted turn would apologize, and without the lease that apology can't be stored.
  await Promise.all(cut.map((session) => releaseLease(engine, session).catch(() => {})));
  engine.held.cutOff(stopping());
  return cut.length;
}

const stopping = (): Fault =>
  new Fault("unavailable", "Parley is being restarted. Please send that again in a moment.", {
    retry_after_s: 5,
  });

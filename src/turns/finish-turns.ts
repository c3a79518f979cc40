import { setTimeout as sleep } from "node:timers/promises";
import { Fault } from "../base/errors.ts";
import type { Engine } from "../sessions/engine.ts";
import { releaseLease } from "../sessions/lease.ts";

const LOOK_MS = 20;

/**
 * For a stop: waits for the turns that run here, and after `within_ms` cuts off those that still do. Their messages are
 * stored and their leases given back, so whoever sends such a message again is answered at once, here or elsewhere.
 * Resolves with how many were cut off.
 */
export async function finishTurns(engine: Engine, within_ms: number): Promise<number> {
  const deadline = performance.now() + within_ms;
  while (engine.held.size > 0 && performance.now() < deadline) await sleep(LOOK_MS);
  const cut = engine.held.giveUp();
  // The lease first: a turn whose model is cut off apologizes, and without it that apology can't be stored as its answer.
  await Promise.all(cut.map((session) => releaseLease(engine, session).catch(() => {})));
  engine.held.cutOff(stopping());
  return cut.length;
}

const stopping = (): Fault =>
  new Fault("unavailable", "Parley is being restarted. Please send that again in a moment.", {
    retry_after_s: 5,
  });

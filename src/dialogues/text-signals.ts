import type { CarrierSignal } from "../channels/carrier.ts";
import type { Engine } from "../sessions/engine.ts";
import { applySignals } from "./text-store.ts";

type TextSignal = CarrierSignal & { key: string; channel_id: number };

/** So many are written by one statement. */
const MOST = 500;

/**
 * Writes what carriers tell of texts, many at once: while one statement runs, those that come meanwhile gather for the
 * next. `add` resolves when its signal is stored, so that a callback is acknowledged only then; with false where the
 * channel has sent no text of that key.
 */
export function textSignals({ db, clock, log }: Pick<Engine, "db" | "clock" | "log">): {
  add(signal: TextSignal): Promise<boolean>;
} {
  type Waiting = { signal: TextSignal; settle: PromiseWithResolvers<boolean> };
  let gathered: Waiting[] = [];
  let writing = false;

  /** One that can't be stored must not keep those beside it from being. */
  const store = async (batch: Waiting[]): Promise<void> => {
    try {
      const signals = batch.map(({ signal }) => signal);
      const unknown = new Set<string>();
      for (const { channel_id, key } of await applySignals(db, signals, clock.now())) {
        log.info({ channel_id, key }, "a status is of no text that we sent");
        unknown.add(`${channel_id} ${key}`);
      }
      for (const { signal, settle } of batch)
        settle.resolve(!unknown.has(`${signal.channel_id} ${signal.key}`));
    } catch (error) {
      if (batch.length === 1) batch[0]?.settle.reject(error);
      else for (const each of batch) await store([each]);
    }
  };

  const write = async (): Promise<void> => {
    writing = true;
    while (gathered.length > 0) {
      const batch = gathered.slice(0, MOST);
      gathered = gathered.slice(MOST);
      await store(batch);
    }
    writing = false;
  };

  return {
    add(signal) {
      const settle = Promise.withResolvers<boolean>();
      gathered.push({ signal, settle });
      if (!writing) void write();
      return settle.promise;
    },
  };
}

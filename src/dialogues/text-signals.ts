import { type Gather, gather } from "../base/gather.ts";
import type { CarrierSignal } from "../channels/carrier.ts";
import type { Engine } from "../sessions/engine.ts";
import { applySignals } from "./outbound/text-out-store.ts";

type TextSignal = CarrierSignal & { key: string; channel_id: number };

/** So many are written by one statement. */
const MOST = 500;

/**
 * Writes what carriers tell of texts, many at once. `add` resolves when its signal is stored, so that a callback is
 * acknowledged only then; with false where the channel has sent no text of that key.
 */
export function textSignals({
  db,
  clock,
  log,
}: Pick<Engine, "db" | "clock" | "log">): Gather<TextSignal, boolean> {
  return gather({
    most: MOST,
    async write(signals) {
      const unknown = new Set<string>();
      for (const { channel_id, key } of await applySignals(db, signals, clock.now())) {
        log.info({ channel_id, key }, "a status is of no text that we sent");
        unknown.add(`${channel_id} ${key}`);
      }
      return signals.map(({ channel_id, key }) => !unknown.has(`${channel_id} ${key}`));
    },
  });
}

import { type Gather, gather } from "../base/gather.ts";
import type { CarrierSignal } from "../channels/carrier.ts";
import type { Engine } from "../sessions/engine.ts";
import { applySignals } from "./outbound/text-out-store.ts";
import { tellUndelivered } from "./outbound/undelivered.ts";

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
      const now = clock.now();
      const applied = await db.transaction().execute(async (tx) => {
        const applied = await applySignals(tx, signals, now);
        await tellUndelivered(tx, applied.undelivered, now);
        return applied;
      });
      for (const { channel_id, key } of applied.unknown) {
        log.info({ channel_id, key }, "a status is of no text that we sent");
        unknown.add(`${channel_id} ${key}`);
      }
      return signals.map(({ channel_id, key }) => !unknown.has(`${channel_id} ${key}`));
    },
  });
}

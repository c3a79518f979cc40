import type { Outreach } from "../../src/channels/outreach.ts";
import { createAttempts } from "../../src/dialing/attempts.ts";
import { createDialer, type DialerParts } from "../../src/dialing/dialer.ts";
import { createSettleQueue } from "../../src/dialing/settle-queue.ts";
import type { TestApp } from "./app.ts";
import { type Plan, plannedWorld } from "./planned-sender.ts";

let dialers = 0;

/** A dialer of the app's database, in a world that does as planned; ticks only when told to. */
export function createTestDialer(
  app: TestApp,
  plan: (outreach: Outreach, tries: number) => Plan,
  more: Partial<DialerParts> = {},
) {
  const { db, clock, log } = app;
  const world = plannedWorld(clock.now, plan);
  const queue = createSettleQueue({ db, clock, prices: app.config.carrier_prices });
  const attempts = createAttempts({ db, queue });
  const limits = { per_source: 20, per_organization: 100, kept_for_callers: 0.3 };
  const owner = `dialer-${++dialers}`;
  const dialer = createDialer({
    db,
    clock,
    log,
    owner,
    senders: world.senders,
    carriers: app.carriers ?? { of: async () => null },
    limits,
    destinations: app.config.destinations,
    queue,
    ...more,
  });
  const settle = async () => attempts.signal(world.tell());
  return {
    ...dialer,
    world,
    attempts,
    settle,
    /** Moves the clock on, step by step; each time what is due is tried, and what the carrier tells is taken in. */
    async pass(minutes: number, step_ms = 60_000) {
      for (let step = 0; step < (minutes * 60_000) / step_ms; step++) {
        app.clock.advance(step_ms);
        await dialer.tick();
        await settle();
      }
    },
  };
}

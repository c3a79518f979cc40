import { storableText } from "../base/storable.ts";
import { publish } from "../events/event.ts";
import type { Engine } from "../sessions/engine.ts";
import type { WrittenTarget } from "./written-target.ts";

const LONGEST_ADDRESS = 320;

/** A mail that can't be read is refused for good, so the people it was for are told that it came. */
export async function tellUnreadable(
  { db, clock, log }: Pick<Engine, "db" | "clock" | "log">,
  targets: readonly Pick<WrittenTarget, "sub_organization_id" | "target">[],
  envelope_from: string | null,
  why: string,
): Promise<void> {
  const from = envelope_from && storableText(envelope_from.slice(0, LONGEST_ADDRESS));
  log.warn({ from, to: targets.map(({ target }) => target), why }, "a mail was refused for good");
  for (const { sub_organization_id, target: to } of targets) {
    const event = {
      at: clock.now(),
      source: "api" as const,
      source_id: null,
      category: "mail" as const,
      type: "mail-refused" as const,
      description: `A mail to ${to} can't be read and was refused for good`,
      user_id: from,
      attributes: { from, to, why },
    };
    await db.transaction().execute((tx) => publish(tx, sub_organization_id, [event]));
  }
}

import type { OutgoingText, Taken } from "../../channels/carrier.ts";
import { enqueueGoOn, enqueueHeld } from "../text-dialogue.ts";
import { insertText, type Medium, type NewText } from "../text-store.ts";
import type { Correspondence } from "../written-target.ts";
import { keepCarrierOptOut } from "./carrier-opt-out.ts";
import { type Fate, type GivenUp, TEXTS } from "./outbound-message.ts";
import type { Handing } from "./outbox.ts";
import { followingKey, giveUpTry, markTaken } from "./text-out-store.ts";
import { LONGEST_CODE, type TextParts } from "./text-outbox.ts";

/** A campaign's first text to somebody, and the words that didn't fit into it. */
export type TextTry = {
  key: string;
  target: NewText["target"];
  medium: Medium;
  source: string;
  session_id: number;
  first: string;
  template: OutgoingText["template"];
  following: string[];
};

/**
 * What is stored of a try's text while it is handed over. Its row is written as one that the carrier may have, and with it
 * those that are to follow it. Not taken it has failed: what is tried again is a try of its own, under another key.
 */
export function tryHanding({ engine }: TextParts): Handing<TextTry> {
  const { db, clock, log, vault } = engine;
  /** Of the text, once it is stored. */
  let id: number | undefined;
  let written_at = "";

  const refused = ({ target, source: address, session_id }: Omit<TextTry, "key">, said: string) => {
    const { sub_organization_id } = target;
    return { sub_organization_id, address, session_id, written_at, said };
  };

  const write = async ({ first, template, following, key, ...common }: TextTry): Promise<boolean> => {
    const now = clock.now();
    written_at = now.toISOString();
    const text = { ...common, direction: "out", status: "PENDING" } as const;
    id = await db.transaction().execute(async (tx) => {
      const row = { ...text, purpose: "outreach", key, text: first, template, asked_at: now } as const;
      const id = await insertText(tx, vault, row, now);
      if (id === undefined || following.length === 0) return id;
      for (const [n, words] of following.entries()) {
        const next = { key: followingKey(key, n + 1), text: words };
        await insertText(tx, vault, { ...text, purpose: "answer", ...next }, now);
      }
      // Should this process die before it can say that they may go.
      await enqueueHeld(tx, dialogueOf(common), now);
      return id;
    });
    return id !== undefined;
  };

  const keep = async ({ key, ...text }: TextTry, fate: Fate | GivenUp): Promise<void> => {
    if (id === undefined) return;
    const row = { id, key, ...dialogueOf(text) };
    const now = clock.now();
    switch (fate.kind) {
      case "taken":
        return taken(row.id, text, fate.taken);
      case "refused":
      case "not-taken": {
        const status = fate.kind === "refused" ? fate.status : TEXTS.statuses.refused;
        return db.transaction().execute(async (tx) => {
          await giveUpTry(tx, row, { status, error_code: fate.why.slice(0, LONGEST_CODE) }, now);
          if (status === "PRIOR_UNSUBSCRIBED") await keepCarrierOptOut(tx, refused(text, fate.why), now);
        });
      }
      default:
      // It waits to be asked for, by whoever runs the try.
    }
  };

  const taken = (id: number, text: Omit<TextTry, "key">, taken: Taken): Promise<void> =>
    db.transaction().execute(async (tx) => {
      await markTaken(tx, id, taken, clock.now());
      // The session goes by the carrier's name of its first text, as one that comes in does.
      await tx
        .updateTable("sessions")
        .set({ channel_manager_sid: taken.sid })
        .where("id", "=", text.session_id)
        .execute();
      if (text.following.length > 0) await enqueueGoOn(tx, dialogueOf(text));
    });

  const about = ({ key, session_id }: TextTry) => ({ key, session_id });
  return { rules: TEXTS, log, about, asked: write, keep };
}

const dialogueOf = ({ target, source }: Pick<TextTry, "target" | "source">): Correspondence => ({
  channel_target_id: target.id,
  source,
});

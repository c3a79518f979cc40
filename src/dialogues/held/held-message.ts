import type { Caller } from "../../api/caller.ts";
import { Fault } from "../../base/errors.ts";
import { suppressed } from "../../consent/suppression.ts";
import type { Tx } from "../../db/database.ts";
import { optedOutSince } from "../mail-opt-out.ts";
import { mailById, mailTargetById, type StoredMail } from "../mail-store.ts";
import { type Medium, textTargetById } from "../text-store.ts";
import type { WrittenTarget } from "../written-target.ts";
import type { HoldReason } from "./loop-guard.ts";

/** A message that waits for a person, locked, and who answers there. */
type Held = { id: number; held_in: number; held: HoldReason; target: WrittenTarget };
export type HeldText = Held & {
  text: {
    medium: Medium;
    source: string;
    key: string;
    text: string;
    media: { type: string; url: string }[];
  };
};
export type HeldMail = Held & { mail: StoredMail };

type Named = { id: number; held_in: number };

/** Undefined where it is not held any more, or never was in this session. */
export async function lockHeldText(
  tx: Tx,
  { sub_organization_id }: Caller,
  { id, held_in }: Named,
): Promise<HeldText | undefined> {
  const found = await tx
    .selectFrom("text_messages")
    .select(["held", "medium", "channel_target_id", "source", "key", "text", "media"])
    .where("id", "=", id)
    .where("held_in", "=", held_in)
    .where("sub_organization_id", "=", sub_organization_id)
    .where("held", "is not", null)
    .$narrowType<{ medium: Medium; media: { type: string; url: string }[]; held: HoldReason }>()
    .forUpdate()
    .executeTakeFirst();
  if (!found) return undefined;
  const { held, channel_target_id, ...text } = found;
  const target = await textTargetById(tx, channel_target_id);
  if (!target) throw nobodyAnswers();
  if ((await suppressed(tx, sub_organization_id, text.medium, [text.source])).has(text.source)) {
    throw wantsNoMore();
  }
  return { id, held_in, held, target, text };
}

export async function lockHeldMail(
  tx: Tx,
  { sub_organization_id }: Caller,
  { id, held_in }: Named,
): Promise<HeldMail | undefined> {
  const found = await tx
    .selectFrom("mail_messages")
    .select("held")
    .where("id", "=", id)
    .where("held_in", "=", held_in)
    .where("sub_organization_id", "=", sub_organization_id)
    .where("held", "is not", null)
    .$narrowType<{ held: HoldReason }>()
    .forUpdate()
    .executeTakeFirst();
  if (!found) return undefined;
  const mail = await mailById(tx, id);
  const target = await mailTargetById(tx, mail.channel_target_id);
  if (!target) throw nobodyAnswers();
  if (await optedOutSince(tx, mail)) throw wantsNoMore();
  return { id, held_in, held: found.held, target, mail };
}

const wantsNoMore = () => new Fault("blocked", "This person wants no more messages, so none is sent");
const nobodyAnswers = () => new Fault("blocked", "No agent answers this address any more");

import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import { Fault, notFound } from "../base/errors.ts";
import { suppressed } from "../consent/suppression.ts";
import type { Db, Tx } from "../db/database.ts";
import { findSession, sessionNumber } from "../sessions/session.ts";
import { enqueueGoOn as goOnWithMails } from "./mail-dialogue.ts";
import { mailTargetById, updateMail } from "./mail-store.ts";
import { enqueueGoOn as goOnWithTexts } from "./text-dialogue.ts";
import { type Medium, textTargetById, updateText } from "./text-store.ts";

/** As `held` names it: text-12, mail-7. */
const MESSAGE_NAME = /^(text|mail)-(\d{1,15})$/;

const Released = z.object({ session_id: z.string(), message_id: z.string() }).meta({ id: "ReleasedMessage" });

/** A person has looked at a message that was held: the agent answers it. */
export function heldMessageRoutes(api: Api, { db, clock }: { db: Db; clock: Clock }): void {
  api.post(
    "/api/v1/sessions/:session_id/held_messages/:message_id/release",
    {
      summary: "Let the agent answer a message that was held",
      description:
        "For a text or mail that looked like an automatic reply and was not answered (`held` in the transcript and the timeline). The agent answers it as if it had just come in; further messages of that person are judged as before.",
      tag: "sessions",
      permission: "channels_write",
      params: z.object({ session_id: z.string(), message_id: z.string() }),
      response: Released,
    },
    async ({ caller, params: { session_id, message_id } }) => {
      const number = sessionNumber(session_id);
      const [, kind, id] = MESSAGE_NAME.exec(message_id) ?? [];
      await db.transaction().execute(async (tx) => {
        const session = await findSession(tx, caller, number);
        if (kind === undefined) throw notFound("Held message", message_id);
        const held = { id: Number(id), held_in: session.id };
        const words = await (kind === "text" ? releaseText : releaseMail)(tx, caller, held, clock.now());
        if (words === undefined) throw notFound("Held message", message_id);
        await api.audit(tx, caller, {
          action: "update",
          resource: "held_messages",
          resource_id: message_id,
          before: { held: words.held },
          after: { held: null, session_id: session.id },
        });
      });
      return { session_id, message_id };
    },
  );
}

type Held = { id: number; held_in: number };

async function releaseText(
  tx: Tx,
  { sub_organization_id }: Caller,
  { id, held_in }: Held,
  now: Date,
): Promise<{ held: string | null } | undefined> {
  const text = await tx
    .selectFrom("text_messages")
    .select(["held", "medium", "channel_target_id", "source"])
    .where("id", "=", id)
    .where("held_in", "=", held_in)
    .where("sub_organization_id", "=", sub_organization_id)
    .where("held", "is not", null)
    .$narrowType<{ medium: Medium }>()
    .forUpdate()
    .executeTakeFirst();
  if (!text) return undefined;
  const { source, medium, channel_target_id } = text;
  if (channel_target_id === null || !(await textTargetById(tx, channel_target_id))) throw nobodyAnswers();
  if ((await suppressed(tx, sub_organization_id, medium, [source])).has(source)) {
    throw new Fault("blocked", "This person wants no more messages, so none is sent");
  }
  await updateText(tx, id, { status: "RECEIVED", held: null, held_in: null, released: true }, now);
  await goOnWithTexts(tx, { channel_target_id, source });
  return text;
}

async function releaseMail(
  tx: Tx,
  { sub_organization_id }: Caller,
  { id, held_in }: Held,
): Promise<{ held: string | null } | undefined> {
  const mail = await tx
    .selectFrom("mail_messages")
    .select(["held", "channel_target_id", "from_address"])
    .where("id", "=", id)
    .where("held_in", "=", held_in)
    .where("sub_organization_id", "=", sub_organization_id)
    .where("held", "is not", null)
    .forUpdate()
    .executeTakeFirst();
  if (!mail) return undefined;
  const { from_address: source, channel_target_id } = mail;
  if (channel_target_id === null || !(await mailTargetById(tx, channel_target_id))) throw nobodyAnswers();
  const answered = { state: "received", note: null, held: null, held_in: null, released: true } as const;
  await updateMail(tx, id, answered, "ignored");
  await goOnWithMails(tx, { channel_target_id, source });
  return mail;
}

const nobodyAnswers = () => new Fault("blocked", "No agent answers this address any more");

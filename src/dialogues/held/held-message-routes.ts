import { z } from "zod";
import type { Caller } from "../../api/caller.ts";
import type { Api } from "../../api/server.ts";
import type { Clock } from "../../base/clock.ts";
import type { Vault } from "../../base/crypto.ts";
import { notFound } from "../../base/errors.ts";
import type { Db, Tx } from "../../db/database.ts";
import { findSession, sessionNumber } from "../../sessions/session.ts";
import { enqueueGoOn as goOnWithMails } from "../mail-dialogue.ts";
import { updateMail } from "../mail-store.ts";
import { enqueueGoOn as goOnWithTexts } from "../text-dialogue.ts";
import { updateText } from "../text-store.ts";
import { requireOpenWindow } from "../whatsapp-window.ts";
import { answerMail, answerText } from "./answer-by-hand.ts";
import { type HeldMail, type HeldText, lockHeldMail, lockHeldText } from "./held-message.ts";

/** As `held` names it: text-12, mail-7. */
const MESSAGE_NAME = /^(text|mail)-(\d{1,15})$/;
const LONGEST_ANSWER = 10_000;

const Named = z.object({ session_id: z.string(), message_id: z.string() });
const Released = Named.meta({ id: "ReleasedMessage" });
const Answer = z
  .object({ text: z.string().trim().min(1).max(LONGEST_ANSWER).describe("Sent as it stands.") })
  .meta({ id: "HeldMessageAnswer" });

/** A person has looked at a message that was held: the agent answers it, or they do. */
export function heldMessageRoutes(
  api: Api,
  { db, clock, vault }: { db: Db; clock: Clock; vault: Vault },
): void {
  type Settle = { text(tx: Tx, held: HeldText): Promise<void>; mail(tx: Tx, held: HeldMail): Promise<void> };

  const settle = async (
    { caller, params }: { caller: Caller; params: z.output<typeof Named> },
    { text, mail }: Settle,
    after: object,
  ) => {
    const { session_id, message_id } = params;
    const number = sessionNumber(session_id);
    const [, kind, id] = MESSAGE_NAME.exec(message_id) ?? [];
    await db.transaction().execute(async (tx) => {
      const session = await findSession(tx, caller, number);
      const named = { id: Number(id), held_in: session.id };
      const heldText = kind === "text" ? await lockHeldText(tx, caller, named) : undefined;
      const heldMail = kind === "mail" ? await lockHeldMail(tx, caller, named) : undefined;
      if (heldText) await text(tx, heldText);
      else if (heldMail) await mail(tx, heldMail);
      else throw notFound("Held message", message_id);
      await api.audit(tx, caller, {
        action: "update",
        resource: "held_messages",
        resource_id: message_id,
        before: { held: (heldText ?? heldMail)?.held },
        after: { held: null, session_id: session.id, ...after },
      });
    });
    return { session_id, message_id };
  };

  api.post(
    "/api/v1/sessions/:session_id/held_messages/:message_id/release",
    {
      summary: "Release a held message to the agent",
      description:
        "For a text or mail that looked like an automatic reply and was not answered (`held` in the transcript and the timeline). The agent answers it as if it had just come in; further messages of that person are judged as before.",
      tag: "sessions",
      permission: "channels_write",
      params: Named,
      response: Released,
    },
    (call) => settle(call, { text: releaseText(clock), mail: releaseMail }, {}),
  );

  api.post(
    "/api/v1/sessions/:session_id/held_messages/:message_id/answer",
    {
      summary: "Answer a held message yourself",
      description:
        "Sends your own words in the agent's place, by the channel the message came by. The transcript shows who wrote them (`written_by`), and the agent reads them as what its side said for as long as the session is open.",
      tag: "sessions",
      permission: "channels_write",
      params: Named,
      body: Answer,
      response: Released,
    },
    (call) => {
      const { caller, body } = call;
      const now = clock.now();
      return settle(
        call,
        {
          text: (tx, held) => answerText(tx, vault, caller, held, body.text, now),
          mail: (tx, held) => answerMail(tx, vault, caller, held, body.text, now),
        },
        { answered_by_hand: true },
      );
    },
  );
}

const releaseText =
  (clock: Clock) =>
  async (tx: Tx, { id, target, text }: HeldText): Promise<void> => {
    const now = clock.now();
    const dialogue = { channel_target_id: target.id, source: text.source };
    await requireOpenWindow(tx, { medium: text.medium, ...dialogue }, now);
    await updateText(tx, id, { status: "RECEIVED", held: null, held_in: null, released: true }, now);
    await goOnWithTexts(tx, dialogue);
  };

async function releaseMail(tx: Tx, { id, target, mail }: HeldMail): Promise<void> {
  const answered = { state: "received", note: null, held: null, held_in: null, released: true } as const;
  await updateMail(tx, id, answered, "ignored");
  await goOnWithMails(tx, { channel_target_id: target.id, source: mail.from_address });
}

import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import { recordId } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import type { Vault } from "../base/crypto.ts";
import { Fault } from "../base/errors.ts";
import { type Db, isUniqueViolation, type Tx } from "../db/database.ts";
import { tellWords } from "../sessions/live/live-words.ts";
import { lockSession, requireTakeover, takeOver } from "../sessions/live/takeover.ts";
import { findSession } from "../sessions/session.ts";
import { addTurnByHand } from "../sessions/written-by-hand.ts";
import { enqueueGoOn } from "./text-dialogue.ts";
import { splitText } from "./text-split.ts";
import { insertText, type Medium, textTargetById } from "./text-store.ts";
import { requireOpenWindow } from "./whatsapp-window.ts";

/** An answer that the agent has begun is finished first; so long do a person's words wait for it. */
const PATIENCE_MS = 5_000;
const LOOK_MS = 250;

const TakeoverWords = z
  .object({
    text: z.string().trim().min(1).max(4_000).describe("Sent as it stands."),
    id: z.string().min(1).max(100).describe("Your own ID of the message: sent twice, it is delivered once."),
  })
  .meta({ id: "TakeoverWords" });

const SaidByHand = z
  .object({ session_id: z.int(), id: z.string(), written_by: z.string() })
  .meta({ id: "SaidByHand" });

/** A person who has taken over a conversation writes in it. */
export function takeoverWordsRoutes(
  api: Api,
  { db, clock, vault }: { db: Db; clock: Clock; vault: Vault },
): void {
  api.post(
    "/api/v1/sessions/:session_id/takeover/messages",
    {
      summary: "Write to the person in a conversation that you have taken over",
      description:
        "The transcript shows who wrote it, and the agent later reads it as what its side said. An answer that the agent had begun is finished first; while that takes longer than a few seconds, the call is refused with 429.",
      tag: "sessions",
      permission: "sessions_intervene",
      params: z.object({ session_id: recordId() }),
      body: TakeoverWords,
      response: SaidByHand,
    },
    async ({ caller, params: { session_id }, body }) => {
      const deadline = performance.now() + PATIENCE_MS;
      for (;;) {
        try {
          await db
            .transaction()
            .execute((tx) => say({ api, vault }, tx, caller, session_id, body, clock.now()));
          break;
        } catch (error) {
          if (isUniqueViolation(error, "session_messages_client")) break;
          const waits = error instanceof Fault && error.kind === "too-many";
          if (!waits || performance.now() > deadline) throw error;
          await sleep(LOOK_MS);
        }
      }
      return { session_id, id: body.id, written_by: caller.email };
    },
  );
}

async function say(
  { api, vault }: { api: Api; vault: Vault },
  tx: Tx,
  caller: Caller,
  session_id: number,
  { text, id }: z.output<typeof TakeoverWords>,
  now: Date,
): Promise<void> {
  const { email } = caller;
  await findSession(tx, caller, session_id);
  const { channel } = await lockSession(tx, session_id);
  await requireTakeover(tx, session_id, email, now);
  // Index: the same number twice, of one person or of several, is one message.
  const words = { heard: null, answer: text, answer_id: `by-hand-${id}`, written_by: email };
  const { seq } = await addTurnByHand(tx, vault, session_id, words, now);
  await takeOver(tx, session_id, email, now);
  if (channel === "chat") await tellWords(tx, session_id);
  else await sendText(tx, vault, session_id, channel as Medium, { seq, text }, now);
  await api.audit(tx, caller, {
    action: "write",
    resource: "sessions",
    resource_id: session_id,
    after: { written_by: email },
  });
}

/** As the agent's answers go out, in the same order. */
async function sendText(
  tx: Tx,
  vault: Vault,
  session_id: number,
  medium: Medium,
  { seq, text }: { seq: number; text: string },
  now: Date,
): Promise<void> {
  const dialogue = await tx
    .selectFrom("text_sessions")
    .select(["channel_target_id", "source"])
    .where("session_id", "=", session_id)
    .executeTakeFirst();
  const target = dialogue && (await textTargetById(tx, dialogue.channel_target_id));
  // A test conversation of a text channel is held in the console: nobody is to be sent anything.
  if (!dialogue || !target) return;
  await requireOpenWindow(tx, { medium, ...dialogue }, now);
  const out = { target, medium, direction: "out", purpose: "answer", status: "PENDING" } as const;
  for (const [n, words] of splitText(text, medium).entries()) {
    const key = `by-hand-${session_id}-${seq}-${n}`;
    await insertText(tx, vault, { ...out, source: dialogue.source, key, text: words, session_id }, now);
  }
  await enqueueGoOn(tx, dialogue);
}

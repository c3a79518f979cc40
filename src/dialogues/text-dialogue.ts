import type { IncomingText } from "../carriers/twilio/twilio-callback.ts";
import { handleOptOut } from "../consent/opt-out.ts";
import { readOptOut } from "../consent/opt-out-words.ts";
import { optOutsOf } from "../consent/suppression.ts";
import type { Db, Tx } from "../db/database.ts";
import type { JobHandler } from "../jobs/define-job.ts";
import { redactForGood } from "../redaction/policy.ts";
import type { Engine } from "../sessions/engine.ts";
import { sessionLanguage } from "../sessions/session-language.ts";
import { loadAnswer, turnOfMessage } from "../turns/stored-answer.ts";
import { dialogueJob, endIdleJob } from "./dialogue-job.ts";
import { hearMessage } from "./heard-message.ts";
import { isHeld, isLoopOfWords, type LoopMessage, type LoopWords } from "./held/held-loop.ts";
import { TEXT_PACE } from "./held/loop-guard.ts";
import { isTooLate, TEXTS } from "./outbound/outbound-message.ts";
import { isFollowing } from "./outbound/text-out-store.ts";
import { priorStatusOf, sendTexts, type TextParts } from "./outbound/text-outbox.ts";
import { isKeptReaction } from "./text-reaction.ts";
import { endIdleTexts, newestTextSession, openTextSession, startTextSession } from "./text-session.ts";
import { splitText } from "./text-split.ts";
import {
  findNumberOwner,
  findTextTarget,
  heardBefore,
  insertText,
  openText,
  type StoredText,
  textTargetById,
  updateText,
  waitingTexts,
} from "./text-store.ts";
import { NO_TEXT, wordsOf } from "./text-words.ts";
import type { Correspondence, WrittenTarget } from "./written-target.ts";

/**
 * Dialogues of texts. What comes in is stored with the job that goes on with its dialogue, and the carrier is answered at
 * once; the job, one at a time for each dialogue, has the agent answer what waits and sends what is to go out. Each step
 * is stored before the next begins, so the job may die and be repeated anywhere:
 *
 *     RECEIVED → session known → turn (answered once, by the text's id) → answers PENDING, text ANSWERED, in one commit
 *     PENDING → asked_at → the carrier is asked → sid and status        (asked_at without sid: the carrier is asked for it)
 */
const job = dialogueJob("texts");

export const textJobs = (parts: TextParts): JobHandler[] => [
  job.handle((dialogue) => goOnWith(parts, dialogue)),
  endIdleJob("texts", "* * * * *", () => endIdleTexts(parts.engine)),
];

export const enqueueGoOn = (tx: Tx, dialogue: Correspondence, run_at?: Date): Promise<void> =>
  job.enqueue(tx, dialogue, { ...(run_at && { run_at }) });

/** Words that follow a try's first text are looked at again so long after that was not known to be sent. */
const HELD_MS = 60_000;

export const enqueueHeld = (tx: Tx, dialogue: Correspondence, now: Date): Promise<void> =>
  job.enqueue(tx, dialogue, { key: "held", run_at: new Date(now.getTime() + HELD_MS) });

/** How a text that came in was taken. */
export type Received = "new" | "known" | "nobody";

/**
 * Stores a text that came in, once, and decides before any model whether it is an opt-out word; who was called from a
 * number may write STOP to it, whether or not an agent answers texts there. "nobody": no agent answers this number.
 */
export async function receiveText(
  { engine }: TextParts,
  channel_id: number,
  text: IncomingText,
): Promise<Received> {
  const answering = await findTextTarget(engine.db, channel_id, text.to, text.medium);
  const isWord = text.answered_as !== null || readOptOut(text.text) !== null;
  const target = answering ?? (isWord ? await findNumberOwner(engine.db, channel_id, text.to) : undefined);
  if (!target) return "nobody";
  const now = engine.clock.now();
  const dialogue = { channel_target_id: target.id, source: text.from };
  return engine.db.transaction().execute(async (tx) => {
    const common = { target, medium: text.medium, source: text.from, session_id: null } as const;
    const id = await insertText(
      tx,
      engine.vault,
      {
        ...common,
        direction: "in",
        purpose: "answer",
        key: text.sid,
        text: text.text.trim() === "" && text.media.length === 0 ? NO_TEXT : text.text,
        media: text.media,
        status: "RECEIVED",
      },
      now,
    );
    if (id === undefined) return "known";
    const session_id = isWord ? await openTextSession(tx, dialogue, now) : null;
    const isSaidAgain = isWord && (await hasOptedOut(tx, target, text.from));
    const optOut = await handleOptOut(
      tx,
      {
        sub_organization_id: target.sub_organization_id,
        medium: text.medium,
        address: text.from,
        text: await redactForGood(tx, engine.vault, { ...target, now }, text.text),
        answered_as: text.answered_as,
        at: now,
        session_id,
        message_id: text.sid,
        language: await sessionLanguage(tx, session_id),
        sender_name: target.agent_name,
      },
      now,
    );
    const isAnswered =
      optOut !== null || !answering || (await isKeptReaction(tx, { ...dialogue, id }, text, now));
    if (isAnswered) await updateText(tx, id, { status: "ANSWERED" }, now);
    const reply = optOut?.reply ?? null;
    const isConfirmed = optOut?.effect === "suppressed" && isSaidAgain;
    const isReplied =
      reply !== null &&
      !isConfirmed &&
      !(await isLoopOfWords(tx, target, word(tx, { ...dialogue, id }, text.text, now), session_id));
    if (isReplied) {
      const out = { direction: "out", purpose: "opt-out", status: "PENDING" } as const;
      await insertText(tx, engine.vault, { ...common, ...out, key: `re-${id}-0`, text: reply }, now);
    }
    await enqueueGoOn(tx, dialogue);
    return "new";
  });
}

const word = (tx: Tx, text: Correspondence & { id: number }, words: string, at: Date): LoopWords => ({
  category: "text",
  person: text.source,
  words,
  at,
  pace: TEXT_PACE,
  earlier: () => heardBefore(tx, { ...text, at }),
});

/** Whether a text of theirs has put the person on the list, which they were told then. */
const hasOptedOut = async (
  tx: Tx,
  { sub_organization_id }: WrittenTarget,
  person: string,
): Promise<boolean> =>
  (await optOutsOf(tx, sub_organization_id, person)).some(
    ({ scope, through }) => scope === "all" && through === "text",
  );

/** Everything that a dialogue waits for: answers first, then what is to be sent, each in its order. */
export async function goOnWith(parts: TextParts, dialogue: Correspondence): Promise<void> {
  const { engine } = parts;
  for (const text of await waitingTexts(engine.db, dialogue, "in")) await answer(parts, dialogue, text);
  await sendWaiting(parts, dialogue);
}

async function sendWaiting(parts: TextParts, dialogue: Correspondence): Promise<void> {
  const { engine } = parts;
  const waiting = await waitingTexts(engine.db, dialogue, "out");
  // A campaign's first text is in the hands of whoever runs that try, and asked for by them.
  const now = engine.clock.now();
  const tries = waiting.filter((text) => text.purpose === "outreach" && !isTooLate(text, now, TEXTS));
  const isBehind = (text: StoredText) => tries.some((first) => isFollowing(text, first));
  if (waiting.some(isBehind)) {
    await engine.db.transaction().execute((tx) => enqueueHeld(tx, dialogue, now));
  }
  const ours = waiting.filter((text) => text.purpose !== "outreach" && !isBehind(text));
  const again = await sendTexts(parts, ours);
  if (again) await engine.db.transaction().execute((tx) => enqueueGoOn(tx, dialogue, again));
}

async function answer(parts: TextParts, dialogue: Correspondence, text: StoredText): Promise<void> {
  const { engine } = parts;
  const target = await textTargetById(engine.db, dialogue.channel_target_id);
  if (target && (await isHeld(engine, target, waitingText(engine, dialogue, text)))) return;
  const isAnswered =
    target && (!(await priorStatusOf(parts, text)) || (await isOptOut(engine.db, text.session_id, text)));
  const answers = isAnswered ? await answersTo(parts, target, dialogue, text) : [];
  await engine.db.transaction().execute(async (tx) => {
    await updateText(tx, text.id, { status: "ANSWERED" }, engine.clock.now());
    if (target) await insertAnswers(tx, engine, target, text, answers);
  });
}

function waitingText({ db, clock }: Engine, dialogue: Correspondence, text: StoredText): LoopMessage {
  const at = new Date(text.created_at);
  return {
    category: "text",
    person: text.source,
    words: wordsOf(text),
    at,
    released: text.released,
    pace: TEXT_PACE,
    earlier: () => heardBefore(db, { ...text, at }),
    session: async () =>
      text.session_id ?? (await openTextSession(db, dialogue, at)) ?? (await newestTextSession(db, dialogue)),
    hold: (tx, held, held_in) => updateText(tx, text.id, { status: "ANSWERED", held, held_in }, clock.now()),
  };
}

type Answer = { session_id: number; words: string };

/** Whether it was in this text, heard in that session, that the person asked to be left alone: in words for the agent. */
async function isOptOut(
  db: Db,
  session_id: number | null,
  { sub_organization_id, source, key }: StoredText,
): Promise<boolean> {
  const asked = await optOutsOf(db, sub_organization_id, source);
  return asked.some((one) => one.session_id === session_id && one.message_id === key);
}

/** By the place of each among the answers, so that those which were stored before are known. */
async function insertAnswers(
  tx: Tx,
  { vault, clock }: Engine,
  target: WrittenTarget,
  text: StoredText,
  answers: Answer[],
): Promise<void> {
  const { id, medium, source } = text;
  const session_id = answers.at(-1)?.session_id ?? null;
  // An opt-out is confirmed, although the person is not to be written to any more.
  const purpose = answers.length > 0 && (await isOptOut(tx, session_id, text)) ? "opt-out" : "answer";
  const out = { target, medium, source, direction: "out", purpose, status: "PENDING" } as const;
  for (const [n, { session_id, words }] of answers.entries()) {
    await insertText(tx, vault, { ...out, key: `re-${id}-${n}`, text: words, session_id }, clock.now());
  }
}

async function answersTo(
  parts: TextParts,
  target: WrittenTarget,
  dialogue: Correspondence,
  text: StoredText,
): Promise<Answer[]> {
  const { engine } = parts;
  const { session_id, greeting } = await sessionOf(engine, target, text);
  /** All that is stored of the answer so far. */
  const soFar = async (): Promise<Answer[]> => {
    const heard = await turnOfMessage(engine, session_id, text.key);
    const said = heard === null ? [] : await loadAnswer(engine, session_id, heard);
    return [...greeting, ...said]
      .flatMap((words) => splitText(words, text.medium))
      .map((words) => ({ session_id, words }));
  };
  // What is said before a slow call is sent before it. One after the other, each with all that is stored by then.
  let sending = Promise.resolve();
  const sendSoFar = async () => {
    const answers = await soFar();
    await engine.db.transaction().execute((tx) => insertAnswers(tx, engine, target, text, answers));
    await sendWaiting(parts, dialogue);
  };
  const onWords = () => {
    sending = sending.then(sendSoFar).catch((error) => {
      engine.log.warn({ err: error, session_id }, "words before a call could not be sent yet");
    });
  };
  const message = { text: wordsOf(openText(engine.vault, text)), client_message_id: text.key };
  const heard = await hearMessage(engine, session_id, message, onWords);
  await sending;
  if (heard !== null) return soFar();
  // The dialogue's session ended between this text's coming and its turn: the text opens the next one.
  await updateText(engine.db, text.id, { session_id: null }, engine.clock.now());
  return answersTo(parts, target, dialogue, { ...text, session_id: null });
}

/** The session that this text is said in, and what the agent says first where the text opened it. */
async function sessionOf(
  engine: Engine,
  target: WrittenTarget,
  text: StoredText,
): Promise<{ session_id: number; greeting: string[] }> {
  const { db } = engine;
  const now = engine.clock.now();
  const dialogue = { channel_target_id: target.id, source: text.source };
  if (text.session_id !== null) {
    const opened = await db
      .selectFrom("text_sessions")
      .select("session_id")
      .where("session_id", "=", text.session_id)
      .where("opened_by", "=", text.key)
      .executeTakeFirst();
    const greeting = opened ? await loadAnswer(engine, text.session_id, 0) : [];
    return { session_id: text.session_id, greeting };
  }
  // However long it has waited for its turn, it came when it came.
  const open = await openTextSession(db, dialogue, new Date(text.created_at));
  if (open !== null) {
    await updateText(db, text.id, { session_id: open }, now);
    return { session_id: open, greeting: [] };
  }
  const { medium, source, key } = text;
  const opening = { target, medium, source, sid: key, opened_by: key, is_outbound: false };
  const { session_id } = await startTextSession(engine, opening, (tx, session) =>
    updateText(tx, text.id, { session_id: session.session_id }, now),
  );
  return { session_id, greeting: await loadAnswer(engine, session_id, 0) };
}

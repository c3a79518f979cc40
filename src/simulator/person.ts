import { z } from "zod";

/**
 * A person the simulator plays: what calling them, texting them and asking about their number meets. Times are in
 * seconds of simulated time. Keys that nothing reads are refused: with `rings_s` for `ring_s` they would ring as others do.
 */
const seconds = (otherwise: number) => z.number().min(0).max(86_400).default(otherwise);

/** Answers what the agent says: the first rule whose pattern is found in it speaks. */
const Reply = z.strictObject({
  /** A regular expression, letter case aside. */
  when: z.string().max(300).refine(isPattern, "Input should be a regular expression"),
  say: z.string().max(1600),
  /** Hangs up, or writes no more, after it. */
  then_leaves: z.boolean().default(false),
});
export type Reply = z.infer<typeof Reply>;

function isPattern(text: string): boolean {
  try {
    new RegExp(text, "i");
    return true;
  } catch {
    return false;
  }
}

const CALL_OUTCOMES = ["answers", "busy", "no-answer", "declined", "failed"] as const;

export const Person = z.strictObject({
  name: z.string().max(100),
  call: z
    .strictObject({
      outcome: z.enum(CALL_OUTCOMES).default("answers"),
      ring_s: seconds(3),
      /** Told with a call that failed (RFC 3261). */
      sip_code: z.int().nullable().default(null),
      /** Who picks up, as listening to the first seconds finds. */
      answered_by: z.enum(["human", "machine", "fax", "unknown"]).default("human"),
      /** Said without being spoken to: by a mailbox or a call screener first of all. */
      opening: z.string().max(1000).nullable().default(null),
      opening_s: seconds(4),
      /** Between the end of the agent's words and the person's. */
      thinks_s: seconds(1),
      /** How long a sentence takes; partial words are told every so often. */
      speaks_s: seconds(1.5),
      /** Speaks over the agent's first words after so many seconds. */
      interrupts_after_s: z.number().min(0).nullable().default(null),
      /** Keys pressed in answer to the first words. */
      presses: z
        .string()
        .regex(/^[0-9*#]*$/)
        .default(""),
      /** Hangs up this long after picking up, whatever goes on. */
      hangs_up_after_s: z.number().min(0).nullable().default(null),
      /** Turns until they say goodbye. */
      patience: z.int().min(0).max(50).default(8),
      language: z.string().max(20).default("en-US"),
    })
    .prefault({}),
  text: z
    .strictObject({
      /** How a text to them ends. */
      outcome: z.enum(["delivered", "undelivered", "failed", "unconfirmed"]).default("delivered"),
      error_code: z.int().nullable().default(null),
      /** null: they never write back. */
      replies_after_s: z.number().min(0).max(604_800).nullable().default(5),
    })
    .prefault({}),
  replies: z.array(Reply).max(50).default([]),
  /** What they say where no rule speaks. */
  otherwise: z.string().max(1600).default("Yes, please."),
  lookup: z
    .strictObject({
      line_type: z.string().nullable().default("mobile"),
      carrier_name: z.string().nullable().default("Simulated Mobile"),
      caller_name: z.string().nullable().default(null),
      caller_type: z.string().nullable().default("CONSUMER"),
      /** The day since which the number is theirs, when somebody else had it before; null: it always was. */
      theirs_since: z
        .string()
        .regex(/^\d{4}-\d{2}-\d{2}$/)
        .nullable()
        .default(null),
    })
    .prefault({}),
  /** What the carrier's own interface does when it is asked to reach them. */
  api: z
    .strictObject({
      /** An error by Twilio's code, instead of taking it on. */
      error_code: z.int().nullable().default(null),
      /** Answers 429 so many times first. */
      too_many_times: z.int().min(0).default(0),
      /** Answers 500, or not at all, having taken it on or not. */
      trouble: z.enum(["none", "500-taken", "500-not-taken", "silent-taken"]).default("none"),
      callbacks: z.enum(["once", "twice", "reordered", "late", "lost"]).default("once"),
    })
    .prefault({}),
});
export type Person = z.infer<typeof Person>;

/** A person by what is remarkable about them. */
export const person = (remarkable: z.input<typeof Person>): Person => Person.parse(remarkable);

/** Of somebody whose patience is at its end. */
export const LAST_WORDS = "Thank you, goodbye.";

/** What they say to it; null where they have nothing more to say. `turn` counts what they said before. */
export function replyTo(who: Person, heard: string, turn: number): Reply | null {
  if (turn >= who.call.patience) return null;
  const found = who.replies.find(({ when }) => new RegExp(when, "i").test(heard));
  if (found) return found;
  const last = turn === who.call.patience - 1;
  return last
    ? { when: "", say: LAST_WORDS, then_leaves: true }
    : { when: "", say: who.otherwise, then_leaves: false };
}

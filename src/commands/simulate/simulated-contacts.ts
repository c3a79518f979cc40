import { PEOPLE, peopleOf } from "../../simulator/people.ts";
import { LAST_WORDS, type Person, replyTo } from "../../simulator/person.ts";

export type ChannelKind = "call" | "texts" | "mails";

/** One simulated person and how they come in. */
export type Contact = { kind: ChannelKind; who: Person; from: string; opening: string };

/** One who gets what they came for, one who wants no more, a wrong number, and one who speaks Spanish. */
const CALLERS = ["01", "09", "10", "18"];
/** Somebody who writes STOP would stay on the suppression list. */
const WRITERS = ["01", "10", "18"];
const OPENING = "Hello, I need an appointment.";

/** `run` keeps the people of one run apart from those of others: two digits of their numbers. */
export function contactsOf(seed: number, run: string): Contact[] {
  const number = (digits: string, ending: string) => `+1512555${digits.slice(0, 2)}${ending}`;
  const drawnAs = String(50 + (seed % 50));
  const drawn = peopleOf({ seed, people: [] })(number(run, drawnAs));
  const talks = drawn.call.outcome === "answers" && drawn.call.answered_by === "human";
  const other = String((Number(run) + 1) % 100).padStart(2, "0");
  const named = (ending: string) => PEOPLE[ending] as Person;
  const opening = (who: Person) =>
    who.name === "answers and books" ? OPENING : (replyTo(who, "", 0)?.say ?? OPENING);
  return [
    ...CALLERS.map((ending) => ({ kind: "call" as const, who: named(ending), from: number(run, ending) })),
    ...(talks ? [{ kind: "call" as const, who: drawn, from: number(run, drawnAs) }] : []),
    ...WRITERS.map((ending) => ({ kind: "texts" as const, who: named(ending), from: number(other, ending) })),
    ...WRITERS.map((ending) => ({
      kind: "mails" as const,
      who: named(ending),
      from: `person.${run}+${ending}@people.example`,
    })),
  ].map((contact) => ({ ...contact, opening: contact.kind === "call" ? "" : opening(contact.who) }));
}

/**
 * Whether this person has said their last word: what they leave after was said, or they have no answer to what they heard
 * last.
 */
export function hasLeft(who: Person, lines: readonly { role: string; text: string }[]): boolean {
  const said = lines.filter(({ role }) => role === "user");
  const leaving = [...who.replies.filter(({ then_leaves }) => then_leaves).map(({ say }) => say), LAST_WORDS];
  if (said.some(({ text }) => leaving.some((words) => text.includes(words)))) return true;
  const heard = lines.at(-1);
  return heard?.role === "agent" && said.length > 0 && replyTo(who, heard.text, said.length - 1) === null;
}

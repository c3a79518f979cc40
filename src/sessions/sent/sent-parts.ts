import { hash } from "node:crypto";

/*
 * Each round sends the conversation again, with instructions and tools that seldom change. So a message or a list of tools
 * is stored once for a session, under the hash of its content, and a round names its parts by what differs from the round
 * before it.
 */

/** The parts of a round by their keys. */
export type SentParts = { messages: readonly string[]; tools: string | null };

/** A part by its key, or so many messages of the round before, from this place on. */
type PartRef = string | [from: number, count: number];

/** `sum` tells whether the round before is the one that was meant. */
export type SentRefs = { messages: PartRef[]; tools?: string | null; same_tools?: true; sum: string };

/** What a session has stored so far: all keys, and the parts of its last round. */
export type SentSoFar = { known: ReadonlySet<string>; last: SentParts | null };

export const NOTHING_SENT: SentSoFar = { known: new Set(), last: null };

/** 132 bits: two parts of a session never share one. */
const KEY_LENGTH = 22;
const SUM_LENGTH = 8;

export const partKey = (part: unknown): string =>
  hash("sha256", JSON.stringify(part), "base64url").slice(0, KEY_LENGTH);

const sumOf = ({ messages, tools }: SentParts): string =>
  hash("sha256", [tools ?? "", ...messages].join(), "base64url").slice(0, SUM_LENGTH);

export function refsOf(parts: SentParts, before: SentParts | null): SentRefs {
  const places = new Map(before?.messages.map((key, place) => [key, place]));
  const messages: PartRef[] = [];
  for (const key of parts.messages) {
    const run = messages.at(-1);
    const place = places.get(key);
    if (Array.isArray(run) && before?.messages[run[0] + run[1]] === key) run[1]++;
    else messages.push(place === undefined ? key : [place, 1]);
  }
  const same = before !== null && before.tools === parts.tools;
  return {
    messages,
    ...(same ? { same_tools: true } : { tools: parts.tools }),
    sum: sumOf(parts),
  };
}

/** null: the round before is not the one that these refer to, because it was deleted or never stored. */
export function partsOf(refs: SentRefs, before: SentParts | null): SentParts | null {
  const messages = refs.messages.flatMap((ref) =>
    typeof ref === "string" ? [ref] : (before?.messages.slice(ref[0], ref[0] + ref[1]) ?? []),
  );
  const parts = { messages, tools: refs.same_tools ? (before?.tools ?? null) : (refs.tools ?? null) };
  return sumOf(parts) === refs.sum ? parts : null;
}

/** `rounds`: the references of a session's rounds after those that are known, in their order. */
export function sentSoFar(rounds: readonly SentRefs[] | null, before: SentSoFar = NOTHING_SENT): SentSoFar {
  if (!rounds || rounds.length === 0) return before;
  const known = new Set(before.known);
  let { last } = before;
  for (const refs of rounds) {
    for (const ref of [...refs.messages, refs.tools]) if (typeof ref === "string") known.add(ref);
    last = partsOf(refs, last);
  }
  return { known, last };
}

import { type LocalMoment, type RuledExtension, reachedNumber } from "./directory-rules.ts";

/** Of a directory member what a transfer needs. */
export type Reachable = { id: number; name: string; type: string; extensions: readonly RuledExtension[] };

export type Destination =
  /** `member` is null for a number that is not in the directory. */
  | { kind: "reached"; number: string; member: Reachable | null }
  /** None of the member's numbers holds now, in this language. */
  | { kind: "closed"; member: Reachable }
  | { kind: "ambiguous"; members: Reachable[] }
  /** `closest`: names that may have been meant, best first. */
  | { kind: "unknown"; closest: string[] }
  /** A number that is nobody's in the directory, where only the directory may be reached. */
  | { kind: "not-allowed" };

/** How alike a misheard name has to be. */
const LIKE_ENOUGH = 0.85;
const MAX_CLOSEST = 5;

/** A telephone number in E.164, however it is grouped, or a SIP address. */
const NUMBER = /^(sips?:\S+|\+[0-9][0-9().\s-]{5,24})$/i;

/**
 * Whom a transfer reaches: the member of that name, or of a name like it, through the same rules as the directory's test
 * operation; a number of a member; any other number only where the agent may dial any. Pure.
 */
export function transferDestination(
  wanted: string,
  members: readonly Reachable[],
  moment: LocalMoment,
  { any_number }: { any_number: boolean },
): Destination {
  const text = wanted.trim();
  if (NUMBER.test(text)) {
    const number = dialled(text);
    const member = members.find(({ extensions }) => numbersOf(extensions).has(number)) ?? null;
    return member || any_number ? { kind: "reached", number, member } : { kind: "not-allowed" };
  }
  const named = membersNamed(text, members);
  const [member] = named;
  if (!member) return { kind: "unknown", closest: closestNames(text, members) };
  if (named.length > 1) return { kind: "ambiguous", members: named };
  const number = reachedNumber(member.extensions, moment);
  return number === null ? { kind: "closed", member } : { kind: "reached", number: dialled(number), member };
}

/** One by its whole name, in letters of any case; else by its name and type; else all that are most like it. */
function membersNamed(wanted: string, members: readonly Reachable[]): Reachable[] {
  const plain = plainName(wanted);
  for (const spelled of [(member: Reachable) => member.name, nameWithType]) {
    const exact = members.filter((member) => plainName(spelled(member)) === plain);
    if (exact.length > 0) return exact;
  }
  const scored = members.map((member) => ({ member, score: likeness(plain, plainName(member.name)) }));
  const best = scored.reduce((most, { score }) => Math.max(most, score), 0);
  if (best < LIKE_ENOUGH) return [];
  return scored.filter(({ score }) => score === best).map(({ member }) => member);
}

export const nameWithType = ({ name, type }: Reachable): string => `${name} (${type})`;

function closestNames(wanted: string, members: readonly Reachable[]): string[] {
  const plain = plainName(wanted);
  return members
    .map(({ name }) => {
      const other = plainName(name);
      const within = plain !== "" && (other.includes(plain) || plain.includes(other));
      return { name, score: within ? 1 : likeness(plain, other) };
    })
    .toSorted((a, b) => b.score - a.score || a.name.localeCompare(b.name))
    .slice(0, MAX_CLOSEST)
    .map(({ name }) => name);
}

/** Of a name that a model made up, however long, no more is compared with every member's. */
const MOST_COMPARED = 500;

const plainName = (name: string): string =>
  name
    .slice(0, MOST_COMPARED)
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

/** 1 for the same, 0 for nothing in common: the share of letters that need no change (Levenshtein). */
export function likeness(a: string, b: string): number {
  const longest = Math.max(a.length, b.length);
  if (longest === 0) return 1;
  let above = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const changed = (above[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(changed, (above[j] as number) + 1, (row[j - 1] as number) + 1));
    }
    above = row;
  }
  return 1 - (above[b.length] as number) / longest;
}

const numbersOf = (extensions: readonly RuledExtension[]): Set<string> =>
  new Set(extensions.flatMap(({ numbers }) => (numbers ?? []).map(({ number }) => dialled(number))));

/** As a carrier takes it: without what people put between digits. */
const dialled = (number: string): string =>
  /^sips?:/i.test(number) ? number : number.replace(/[().\s-]/g, "");

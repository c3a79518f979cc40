/** What a tool's result offers to choose from, and which of it the user chose. */
import { timeIn } from "./scripted-dates.ts";
import { ordinalIn } from "./scripted-extract.ts";
import { isRecord } from "./scripted-history.ts";
import { spoken } from "./scripted-template.ts";
import { heardIn, mentions, shortened, stem, stemsOf, wordsOf } from "./scripted-words.ts";

export type Option = {
  value: unknown;
  label: string;
  /** It stands alone, not in a list: there is nothing to choose. */
  sure: boolean;
};

/**
 * The values a result holds for a parameter that names one of its things: for `slot_id` the `slot_id` of every item, or the
 * `id` (or the text) of every item under `slots`. The latest result with any wins.
 */
export function optionsFor(name: string, noun: string, results: readonly unknown[]): Option[] {
  for (const result of results.toReversed()) {
    const found = search(result, name, noun, null, 0);
    if (found.length > 0) return found;
  }
  return [];
}

function search(value: unknown, name: string, noun: string, under: string | null, depth: number): Option[] {
  if (depth > 3) return [];
  const named = under !== null && sameThing(under, noun);
  if (Array.isArray(value)) {
    return value.flatMap((item): Option[] => {
      if (isRecord(item)) {
        const id = item[name] ?? (named || under === null ? item.id : undefined);
        return id === undefined || id === null
          ? []
          : [{ value: id, label: labelOf(item, value), sure: false }];
      }
      return named && (typeof item === "string" || typeof item === "number")
        ? [{ value: item, label: String(item), sure: false }]
        : [];
    });
  }
  if (!isRecord(value)) return [];
  const own = value[name] ?? (named ? value.id : undefined);
  if (typeof own === "string" || typeof own === "number")
    return [{ value: own, label: labelOf(value), sure: true }];
  for (const [key, item] of Object.entries(value)) {
    const found = search(item, name, noun, key, depth + 1);
    if (found.length > 0) return found;
  }
  return [];
}

const sameThing = (key: string, noun: string): boolean =>
  stem(wordsOf(key).at(-1) ?? "") === stem(wordsOf(noun).at(-1) ?? "");

/**
 * An item as people see it: its plain values without the ids and without what all its siblings share (the day of a list of
 * times), or all of them when that leaves nothing.
 */
export function labelOf(item: Record<string, unknown>, siblings: readonly unknown[] = []): string {
  const entries = Object.entries(item).filter(([, value]) => value !== null && value !== "");
  const shared = (key: string) =>
    siblings.length > 1 && siblings.every((other) => isRecord(other) && other[key] === item[key]);
  const shown = entries.filter(([key]) => !/(^|_)(id|uuid)$|Id$/.test(key) && !shared(key));
  const parts = (shown.length > 0 ? shown : entries).map(([, value]) => spoken(value));
  return shortened(parts.join(", "), 80);
}

/** A result that holds lists, all of them empty. */
export function isEmptyList(result: unknown): boolean {
  const lists = (isRecord(result) ? Object.values(result) : [result]).filter(Array.isArray);
  return lists.length > 0 && lists.every((list) => list.length === 0);
}

/** The option that is named by its id, its words or its time. */
export function optionNamed(options: readonly Option[], text: string): unknown {
  const heard = heardIn(text);
  const exact = options.find((option) => mentions(heard, spoken(option.value)));
  return (exact ?? best(options, text))?.value;
}

/** The option the user means who was asked to choose, so that a place in the list or a yes will do. */
export function optionIn(options: readonly Option[], text: string): unknown {
  const named = optionNamed(options, text);
  if (named !== undefined) return named;
  const place = ordinalIn(text, options.length);
  if (place !== null) return options[place]?.value;
  const agreed = /\b(yes|yeah|sure|ok|okay|fine|good|please|that one|any|either)\b/i.test(text);
  return agreed && (options.length === 1 || /\b(any|either)\b/i.test(text)) ? options[0]?.value : undefined;
}

/** "Half past two" chooses 14:30 as well as 02:30; only "am" or "pm" tells them apart. */
function sameTime(text: string, time: string, label: string): boolean {
  const offered = timeIn(label);
  if (offered === time || offered === null) return offered === time;
  const twelve = (clock: string) => `${Number(clock.slice(0, 2)) % 12}${clock.slice(2)}`;
  return !/\d\s?[ap]\.?m\b/i.test(text) && twelve(offered) === twelve(time);
}

/**
 * The one option that shares most words with what was said; none when two do equally. Who names a time of day means an
 * option of that time: "9:45" is not 14:45 for sharing a number with it.
 */
function best(all: readonly Option[], text: string): Option | null {
  const said = stemsOf(text);
  const time = timeIn(text);
  const timed = time !== null && all.some((option) => timeIn(option.label) !== null);
  const options = timed ? all.filter((option) => sameTime(text, time, option.label)) : all;
  const scored = options
    .map((option) => {
      const shared = [...stemsOf(option.label)].filter((word) => said.has(word)).length;
      return { option, score: shared + (timed ? 3 : 0) };
    })
    .toSorted((a, b) => b.score - a.score);
  const [first, second] = scored;
  return first && first.score > 0 && first.score > (second?.score ?? 0) ? first.option : null;
}

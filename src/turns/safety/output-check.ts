import type { OutputRule, SafetyRules } from "../../accounts/safety-rules.ts";
import type { Snapshot } from "../../agents/snapshot.ts";
import { BoundedCache } from "../../base/bounded-cache.ts";
import { compilePattern, type Pattern } from "../../base/pattern.ts";
import { JOINED } from "../../base/writing/scripts.ts";
import { spaced } from "../../base/writing/words.ts";
import { findContacts } from "./contacts.ts";

/*
 * What an agent is about to say, sentence by sentence. The sentence that breaks a rule and all that follows are withheld,
 * and the rule's sentence is said. What comes out depends on the text and where it paused, not on the pieces in which it streamed.
 */

export type CheckedWords = { text: string; withheld: string | null };

/** A pattern is searched in a sentence and so many characters before it, which were said already. */
const LOOK_BACK = 200;
/** A sentence without an end is checked in parts of this length. */
const LONGEST_PART = 1_000;

type CompiledRule = Omit<OutputRule, "pattern" | "phrases"> & { pattern: Pattern | null; phrases: string[] };

/** Where an author's words are. */
type Written = Pick<Snapshot, "prompt" | "tools">;

/** What is known of the session when an address or number is about to be said. */
type KnownTexts = () => readonly string[];

export class OutputCheck {
  readonly #rules: CompiledRule[];
  readonly #settings: SafetyRules;
  readonly #knownTexts: KnownTexts;
  readonly #written: Written;
  /** Read once for a turn, and only where a contact is about to be said. */
  #known: ReadonlySet<string> | null = null;
  #last: { text: string; checked: CheckedWords } | null = null;

  constructor(settings: SafetyRules, snapshot: Written, known: KnownTexts) {
    this.#settings = settings;
    this.#knownTexts = known;
    this.#rules = settings.output_rules.map(({ pattern, phrases, ...rule }) => ({
      ...rule,
      pattern: pattern === null ? null : compilePattern(pattern, { ignoreCase: true }),
      phrases: phrases.map(plain),
    }));
    this.#written = snapshot;
  }

  /** Null where nothing is checked. */
  static of(snapshot: Snapshot, known: KnownTexts): OutputCheck | null {
    const { safety } = snapshot;
    if (!safety) return null;
    const { output_rules, withhold_unknown_contacts, withhold_prompt_words } = safety;
    if (output_rules.length === 0 && !withhold_unknown_contacts && withhold_prompt_words === null)
      return null;
    return new OutputCheck(safety, snapshot, known);
  }

  /** All of a text at once. */
  check(text: string): CheckedWords {
    if (this.#last?.text === text) return this.#last.checked;
    const stream = this.stream(() => {});
    stream.feed(text);
    return stream.end();
  }

  /** A text as it comes; `pass` gets what may be said. */
  stream(pass: (text: string) => void): {
    feed(delta: string): void;
    pause(): void;
    end(): CheckedWords;
  } {
    let whole = "";
    let passed = 0;
    let broken: { name: string; say: string | null } | null = null;
    /** As many of the words that were passed as a run of the prompt may have begun with. */
    let said: string[] = [];
    const take = (end: number) => {
      if (broken) return;
      const part = whole.slice(passed, end);
      const run = this.#settings.withhold_prompt_words;
      const words = run === null ? [] : [...said, ...plainWords(part)];
      broken = this.#broken(whole.slice(0, end), passed, words);
      if (broken) return;
      pass(part);
      passed = end;
      said = words.slice(-(run ?? 1));
    };
    return {
      feed: (delta) => {
        whole += delta;
        for (let end = nextPart(whole, passed); end > 0 && !broken; end = nextPart(whole, passed)) take(end);
      },
      pause: () => {
        if (passed < whole.length) take(whole.length);
      },
      end: () => {
        if (passed < whole.length) take(whole.length);
        const said = whole.slice(0, passed);
        const { say } = broken ?? { say: null };
        const instead = broken ? `${/\S$/.test(said) ? " " : ""}${say ?? this.#settings.withheld_say}` : "";
        if (instead !== "") pass(instead);
        const checked = { text: said + instead, withheld: broken?.name ?? null };
        this.#last = { text: whole, checked };
        return checked;
      },
    };
  }

  /** The rule that the words from `from` on break. `said`: these and those before them, as words. */
  #broken(text: string, from: number, said: readonly string[]): { name: string; say: string | null } | null {
    const start = lookBackFrom(text, from);
    const near = text.slice(start);
    const words = plain(near);
    for (const { name, say, phrases, pattern } of this.#rules) {
      if (phrases.some((phrase) => words.includes(phrase))) return { name, say };
      if (pattern && matchesPast(pattern, near, from - start)) return { name, say };
    }
    if (this.#settings.withhold_unknown_contacts) {
      const contacts = findContacts(near);
      if (contacts.length > 0) {
        this.#known ??= new Set(this.#knownTexts().flatMap(findContacts));
        const known = this.#known;
        if (contacts.some((contact) => !isKnown(contact, known)))
          return { name: "unknown contact", say: null };
      }
    }
    const run = this.#settings.withhold_prompt_words;
    if (run !== null) {
      const prompt = promptRuns(run, this.#written);
      if (runsOf(said, run).some((found) => prompt.has(found)))
        return { name: "words of the prompt", say: null };
    }
    return null;
  }
}

/** At a blank: the rest of a word or of an address is another one. */
function lookBackFrom(text: string, from: number): number {
  const cut = Math.max(0, from - LOOK_BACK);
  const blank = cut === 0 ? -1 : text.slice(cut, from).search(/\s/);
  return Math.max(cut, cut + blank);
}

/** Whether a match ends past what was said already. */
function matchesPast({ program }: Pattern, text: string, said: number): boolean {
  const matcher = program.matcher(text);
  while (matcher.find()) if (matcher.end() > said) return true;
  return false;
}

/** Where the next part ends, past its blanks; 0 while it goes on. A dot after a digit may go on as a number. */
function nextPart(text: string, from: number): number {
  const rest = text.slice(from, from + LONGEST_PART);
  const end = /(?:[。！？]["'”’）」』]*\s*|(?<!\d)[\p{Sentence_Terminal}…]+["'”’»)\]]*\s+|\n\s*)(?=\S)/u.exec(
    rest,
  );
  if (end) return from + end.index + end[0].length;
  if (rest.length < LONGEST_PART) return 0;
  // Not within a word, an address or a number.
  return from + (/^.*(?<!\d)(?=\s)/s.exec(rest)?.[0].length || LONGEST_PART);
}

const JOINED_LETTER = new RegExp(JOINED, "gv");

const betweenSigns = (text: string): string[] =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, " ")
    .trim()
    .split(" ")
    .filter((word) => word !== "");

/** Where no blanks stand between words, a sentence would be one. */
const plainWords = (text: string): string[] => betweenSigns(spaced(text.normalize("NFKC")));

/** Letters of scripts without blanks are words of their own, so that a phrase is found within a sentence of these. */
const plain = (text: string): string =>
  ` ${betweenSigns(text.normalize("NFKC").replaceAll(JOINED_LETTER, " $& ")).join(" ")} `;

const runsOf = (words: readonly string[], length: number): string[] =>
  Array.from({ length: Math.max(0, words.length - length + 1) }, (_, at) =>
    words.slice(at, at + length).join(" "),
  );

/** A number is known by its last digits, however it is written. */
const isKnown = (contact: string, known: ReadonlySet<string>): boolean =>
  known.has(contact) ||
  (!contact.includes("@") &&
    [...known].some((one) => !one.includes("@") && (one.endsWith(contact) || contact.endsWith(one))));

/** Of the prompts that were spoken with lately. */
const runsOfPrompts = new BoundedCache<ReadonlySet<string>>(50);

/** The runs of words in the prompt and in tools' descriptions. */
function promptRuns(length: number, { prompt, tools }: Written): ReadonlySet<string> {
  const texts = [
    prompt.context ?? "",
    ...tools.map(({ definition }) => definition.tool.function.description),
  ];
  return runsOfPrompts.get(JSON.stringify([length, texts]), () => {
    return new Set(texts.flatMap((text) => runsOf(plainWords(text), length)));
  });
}

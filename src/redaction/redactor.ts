import type { Vault } from "../base/crypto.ts";
import { compilePattern } from "../base/pattern.ts";
import { isSealedHere, sealText, type TextKey } from "../base/sealed-text.ts";
import {
  findValues,
  MOST_PAIRS,
  REDACTION_KINDS,
  type RedactionKind,
  type Sought,
  TooLongToSearch,
} from "./find-values.ts";
import { type JudgedValue, type JudgeRules, wordSearch } from "./judged-values.ts";

/** What is taken out of words before they are stored; a session keeps the one that it began with. */
export type RedactionRules = {
  kinds: readonly RedactionKind[];
  patterns: readonly { name: string; pattern: string }[];
  /** Days after a session's end for which its originals stay, sealed; 0: an hour. */
  originals_days: number;
  /** What a model looks for once the session is over. */
  judge?: JudgeRules | null;
  /** What a model found. */
  words?: readonly JudgedValue[];
  /** What is stored is sealed with this key, where the organization wants it. */
  seal_key?: SealKey | null;
};

/** An organization's key, itself sealed by the installation's. */
export type SealKey = { id: number; sealed_key: string };

/** A value that was taken out, to be stored beside the words. */
export type SealedValue = { token: string; kind: string; sealed: string };

/** `[card: bcdfghjklm]` stands for a value. Tokens hold no digit and no vowel, so they are no finding and no word. */
const PLACEHOLDER = /\[[a-z][a-z\d _-]{0,29}: ([bcdfghjklmnpqrstvwz]{10})\]/g;
const LETTERS = "bcdfghjklmnpqrstvwz";
const TOKEN_LENGTH = 10;
/** The name of what could not be searched. */
const UNSEARCHED = "too long to search";
const MOST_DEPTH = 120;

/**
 * Takes values out of words before they are stored, and puts them back for the model while the session lasts. Each value
 * has one token in its scope (a session), made from a key of the installation: two processes give it the same one.
 */
export class Redactor {
  readonly rules: RedactionRules | null;
  readonly #sought: Sought | null;
  readonly #scope: string;
  readonly #vault: Vault;
  readonly #known: Map<string, string>;
  readonly #opened = new Map<string, string | number>();
  readonly #text_key: TextKey | null;
  #new: SealedValue[] = [];

  constructor(
    rules: RedactionRules | null,
    of: { scope: string; vault: Vault; year: number; sealed?: Readonly<Record<string, string>> | null },
  ) {
    this.rules = rules;
    this.#sought =
      rules && (rules.kinds.length > 0 || rules.patterns.length > 0 || rules.words?.length)
        ? soughtBy(rules, of.year)
        : null;
    const seal_key = rules?.seal_key;
    this.#text_key = seal_key
      ? { id: seal_key.id, key: Buffer.from(of.vault.open(seal_key.sealed_key), "base64url") }
      : null;
    this.#scope = of.scope;
    this.#vault = of.vault;
    this.#known = new Map(Object.entries(of.sealed ?? {}));
  }

  /**
   * The value as it is stored: without what the rules look for (in texts, numbers and the names of members, at any depth),
   * and sealed where the organization wants it.
   */
  redact<T>(value: T): T {
    if (this.#sought === null) return this.seal(value);
    let left = MOST_PAIRS;
    const pay = (pairs: number) => {
      left -= pairs;
      if (left < 0) throw new TooLongToSearch();
    };
    return this.seal(this.#walk(value, (part) => this.#redactPart(part, pay), 0) as T);
  }

  /** Only sealed. Names of members stay, and so do numbers that are too short to be anybody's. */
  seal<T>(value: T): T {
    const key = this.#text_key;
    if (key === null) return value;
    return sealedDeep(value, (part) => sealText(key, this.#scope, part), 0) as T;
  }

  /** The value with what was taken out of it, as far as it is still kept. */
  restore<T>(value: T): T {
    if (this.#sought === null || this.#known.size === 0) return value;
    return this.#walk(value, (part) => (typeof part === "string" ? this.#restoreText(part) : part), 0) as T;
  }

  /** The values that were taken out since the last time, each to be stored once. */
  takeNew(): SealedValue[] {
    const taken = this.#new;
    this.#new = [];
    return taken;
  }

  #walk(value: unknown, change: (part: string | number) => string | number, depth: number): unknown {
    if (typeof value === "string" || typeof value === "number") return change(value);
    if (value === null || typeof value !== "object" || value instanceof Date) return value;
    if (depth > MOST_DEPTH) return change(JSON.stringify(value));
    if (Array.isArray(value)) return value.map((part) => this.#walk(part, change, depth + 1));
    const members = Object.entries(value).map(([name, part]) => [
      String(change(name)),
      this.#walk(part, change, depth + 1),
    ]);
    return Object.fromEntries(members);
  }

  #redactPart(part: string | number, pay: (pairs: number) => void): string | number {
    if (typeof part === "number") {
      const text = String(part);
      if (!Number.isSafeInteger(part) || text.length < 7) return part;
      const found = this.#find(text, pay);
      return found === null || found.length > 0
        ? this.#placeholder(found?.[0]?.kind ?? UNSEARCHED, part)
        : part;
    }
    if (part.length < 2) return part;
    let out = "";
    let end = 0;
    for (const { 0: placeholder, index } of part.matchAll(PLACEHOLDER)) {
      out += this.#redactText(part.slice(end, index), pay) + placeholder;
      end = index + placeholder.length;
    }
    return out + this.#redactText(part.slice(end), pay);
  }

  /** What is left between the values is searched again: nothing is found in the result. */
  #redactText(text: string, pay: (pairs: number) => void): string {
    if (text === "") return text;
    const found = this.#find(text, pay);
    if (found === null) return this.#placeholder(UNSEARCHED, text);
    if (found.length === 0) return text;
    let out = "";
    let end = 0;
    for (const { from, to, kind } of found) {
      out += this.#redactText(text.slice(end, from), pay) + this.#placeholder(kind, text.slice(from, to));
      end = to;
    }
    return out + this.#redactText(text.slice(end), pay);
  }

  #find(text: string, pay: (pairs: number) => void) {
    try {
      return findValues(text, this.#sought as Sought, pay);
    } catch (error) {
      if (error instanceof TooLongToSearch) return null;
      throw error;
    }
  }

  #placeholder(kind: string, value: string | number): string {
    const original = JSON.stringify(value);
    const digest = Buffer.from(this.#vault.sign("redaction", `${this.#scope}\n${original}`), "base64url");
    const token = Array.from(digest.subarray(0, TOKEN_LENGTH), (byte) => LETTERS[byte % LETTERS.length]).join(
      "",
    );
    if (!this.#known.has(token)) {
      const sealed = this.#vault.seal(original);
      this.#known.set(token, sealed);
      this.#new.push({ token, kind, sealed });
    }
    return `[${kind}: ${token}]`;
  }

  #restoreText(text: string): string | number {
    if (!text.includes("[")) return text;
    const whole = [...text.matchAll(PLACEHOLDER)];
    if (whole.length === 1 && whole[0]?.[0] === text) return this.#open(whole[0][1] as string) ?? text;
    return text.replace(PLACEHOLDER, (placeholder, token: string) =>
      String(this.#open(token) ?? placeholder),
    );
  }

  #open(token: string): string | number | undefined {
    const sealed = this.#known.get(token);
    if (sealed === undefined) return undefined;
    const known = this.#opened.get(token);
    if (known !== undefined) return known;
    const value = JSON.parse(this.#vault.open(sealed)) as string | number;
    this.#opened.set(token, value);
    return value;
  }
}

const LEAST_NUMBER = 1_000_000;

function sealedDeep(value: unknown, seal: (part: string | number) => string, depth: number): unknown {
  if (typeof value === "string") return value === "" || isSealedHere(value) ? value : seal(value);
  if (typeof value === "number")
    return Number.isInteger(value) && Math.abs(value) >= LEAST_NUMBER ? seal(value) : value;
  if (value === null || typeof value !== "object" || value instanceof Date) return value;
  if (depth > MOST_DEPTH) return seal(JSON.stringify(value));
  if (Array.isArray(value)) return value.map((part) => sealedDeep(part, seal, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, sealedDeep(part, seal, depth + 1)]),
  );
}

const compiled = new WeakMap<RedactionRules, Sought>();

function soughtBy(rules: RedactionRules, year: number): Sought {
  const known = compiled.get(rules);
  if (known?.year === year) return known;
  const sought: Sought = {
    kinds: new Set(rules.kinds.filter((kind) => REDACTION_KINDS.includes(kind))),
    patterns: rules.patterns.map(({ name, pattern }) => ({ name, pattern: compilePattern(pattern) })),
    words: rules.words?.length ? wordSearch(rules.words) : null,
    year,
  };
  compiled.set(rules, sought);
  return sought;
}

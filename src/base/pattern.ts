import { RE2JS, RE2JSSyntaxException } from "re2js";
import { BoundedCache } from "./bounded-cache.ts";
import { PublicError } from "./errors.ts";
import { patternWords } from "./pattern-words.ts";

/**
 * Patterns that tenants wrote. RE2 never takes exponential time, but it takes time in proportion to the program times the
 * text, and `[ab]{0,1000}` makes a program of 2,000 instructions out of twelve characters. So programs are bounded before
 * they are compiled, and whoever runs one pays for it first: `matchCost` steps from a meter.
 */
export type Pattern = {
  readonly source: string;
  /** What the program and the text it is run on are multiplied by. */
  readonly instructions: number;
  readonly program: RE2JS;
};

/** Compiling takes 8 µs for each (Node 26), so 20 ms at the most. `^[^@\s]+@[^@\s]+\.[a-z]{2,24}$` has 57. */
export const MAX_INSTRUCTIONS = 2_200;
const MAX_PATTERN_LENGTH = 2_000;

/** Of all patterns that belong together; compiling them takes 80 ms at the most, and is kept. */
export const MAX_INSTRUCTIONS_TOGETHER = 10_000;

/** What one evaluation may spend on patterns: some 30 million pairs of instruction and character run in a second. */
const MAX_PAIRS = 1_600_000;
/** Compiling an instruction takes as long as running 240 of them on a character. */
const PAIRS_TO_COMPILE = 240;
const PAIRS_A_STEP = 8;

/** Why a pattern can't be used, or not on this text: a sentence for whoever wrote it. */
export class PatternError extends PublicError {
  override readonly name = "PatternError";
}

export const TOO_LARGE =
  "it is too large: a counted repetition such as {0,1000} makes its program that much longer";

const patterns = new BoundedCache<Pattern | PatternError>(500);

/** Throws a `PatternError`. What was compiled lately, or refused, is kept. */
export function compilePattern(source: string, { ignoreCase = false } = {}): Pattern {
  const found = patterns.get(`${ignoreCase ? "i" : ""}/${source}`, () => compiled(source, ignoreCase));
  if (found instanceof PatternError) throw found;
  return found;
}

function compiled(source: string, ignoreCase: boolean): Pattern | PatternError {
  const size = patternSize(source);
  if (size > MAX_INSTRUCTIONS) {
    return new PatternError(TOO_LARGE);
  }
  try {
    const program = RE2JS.compile(source, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
    return { source, program, instructions: Math.max(size, program.programSize()) };
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error;
    return new PatternError(patternWords(error.getDescription(), error.getPattern()));
  }
}

/** How many instructions the pattern's program will have, without compiling it. */
export const patternSize = (source: string): number =>
  source.length > MAX_PATTERN_LENGTH ? Number.POSITIVE_INFINITY : programEstimate(source);

/** Why this can't be a pattern, or null. */
export function patternFault(source: string): string | null {
  try {
    compilePattern(source);
    return null;
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    return error.message;
  }
}

/** What a meter of steps (expressions/meter.ts) is charged for running the pattern on a text: at the worst 0.25 µs each. */
export const matchCost = ({ instructions }: Pattern, text: string): number =>
  1 + (instructions * (PAIRS_TO_COMPILE + text.length)) / PAIRS_A_STEP;

/** For what compiles and runs patterns and does nothing else that has to be bounded. */
export class PatternMeter {
  #pairs: number;
  #instructions = MAX_INSTRUCTIONS_TOGETHER;

  constructor(pairs = MAX_PAIRS) {
    this.#pairs = pairs;
  }

  compile(source: string, options?: { ignoreCase?: boolean }): Pattern {
    const pattern = compilePattern(source, options);
    this.#instructions -= pattern.instructions;
    if (this.#instructions < 0) throw new PatternError("the patterns are too large together");
    return pattern;
  }

  /** To be asked before the pattern is run on the text. */
  spend({ instructions }: Pattern, text: string): void {
    this.#pairs -= instructions * text.length;
    if (this.#pairs < 0) throw new PatternError("the patterns and the text are too long for each other");
  }
}

/** A class of characters with a script in it is a table of some hundred ranges, slow to build, once for each time it is written. */
const TABLE = 150;

/** How many instructions the program will have, read off the pattern without building it; rather too many than too few. */
function programEstimate(source: string): number {
  const open: number[] = [];
  let sum = 0;
  let last = 0;
  let tables = 0;
  const token =
    /\\Q[\s\S]*?(?:\\E|$)|\\[pP](?:\{[^}]*\}|.)|\\[\s\S]|\[\^?\]?(?:\\[pP]|\[:\^?\w+:\]|\\[\s\S]|[^\]\\])*\]|\{(\d+)(,?)(\d*)\}|[\s\S]/g;
  for (const { 0: text, 1: least, 2: comma, 3: most } of source.matchAll(token)) {
    if (text === "(") {
      open.push(sum);
      sum = 0;
      last = 0;
    } else if (text === ")") {
      last = sum + 2;
      sum = last + (open.pop() ?? 0);
    } else if (least !== undefined) {
      const times = most ? Number(most) : Number(least) + (comma ? 1 : 0);
      const made = last * Math.max(times, 1) + (comma ? times : 0);
      sum += made - last;
      last = made;
    } else if (text === "|" || text === "*" || text === "+" || text === "?") {
      sum += 1;
      last += 1;
    } else {
      last = text.startsWith("\\Q") ? text.length : 1;
      if (/^\\p|^\\P|^\[.*(?:\\[pP]|-(?:[^ -~]|\\x))/s.test(text)) tables += TABLE;
      sum += last;
    }
  }
  return open.reduce((all, outer) => all + outer, sum + tables);
}

import type { CelEnv, CelFunc, CelInput, CelList } from "@bufbuild/cel";
import { compilePattern, matchCost, PatternError } from "../base/pattern.ts";
import { celLibrary } from "./cel-library.ts";
import { timeMethods } from "./cel-times.ts";
import { EvaluationError, Meter } from "./meter.ts";
import { replace } from "./text.ts";

/**
 * CEL's standard functions and its string functions, with those of our own that bound or mend the library's. `options` are
 * for the conformance tests, which bring a namespace.
 */
export function celEnvironment(options: { namespace?: string } = {}): CelEnv {
  const { celEnv, strings } = celLibrary();
  return celEnv({
    ...options,
    funcs: [...strings, ...bounded(), ...mixedArithmetic(), ...timeMethods()],
    re2: { compile },
  });
}

/** What the evaluation under way may still spend. Evaluation never waits, so there is only one. */
let meter = new Meter();

export function spendFrom(current: Meter): void {
  meter = current;
}

/** What can make far more than it is given (joining a text to itself in a loop takes no time at all), or is slow. */
function bounded(): CelFunc[] {
  const { CelScalar, celFunc, celMethod, listType } = celLibrary();
  const { BYTES, INT, STRING } = CelScalar;
  const LIST = listType(CelScalar.DYN);
  return [
    celFunc("_+_", [STRING, STRING], STRING, (a, b) => {
      meter.spendText(a.length + b.length);
      return a + b;
    }),
    celFunc("_+_", [BYTES, BYTES], BYTES, (a, b) => {
      meter.spendText(a.length + b.length);
      return Buffer.concat([a, b]);
    }),
    celFunc("_+_", [LIST, LIST], LIST, concatenated),
    celMethod("replace", STRING, [STRING, STRING], STRING, function (what, by) {
      return replaced(this, what, by, undefined);
    }),
    celMethod("replace", STRING, [STRING, STRING, INT], STRING, function (what, by, count) {
      return replaced(this, what, by, count < 0n ? undefined : Number(count));
    }),
    // Character by character, as the library has them, these take 50 ms for a megabyte.
    celMethod("lowerAscii", STRING, [], STRING, function () {
      return this.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
    }),
    celMethod("upperAscii", STRING, [], STRING, function () {
      return this.replace(/[a-z]+/g, (letters) => letters.toUpperCase());
    }),
    celMethod("join", LIST, [], STRING, function () {
      return joined(this, "");
    }),
    celMethod("join", LIST, [STRING], STRING, function (glue) {
      return joined(this, glue);
    }),
  ];
}

/** The items of lists that were concatenated here. */
const itemsOf = new WeakMap<CelList, readonly CelInput[]>();

/**
 * `map` and `filter` add to their result one item at a time. The library nests a list in a list for each, which takes
 * quadratic time to read and overflows the stack at some thousands; copying 128 items takes no longer than another step.
 */
function concatenated(a: CelList, b: CelList): CelList {
  meter.spend(1 + b.size + a.size / 128);
  const items = (itemsOf.get(a) ?? [...a]).concat(itemsOf.get(b) ?? [...b]);
  const list = celLibrary().celList(items);
  itemsOf.set(list, items);
  return list;
}

function replaced(text: string, what: string, by: string, count: number | undefined): string {
  return replace(text, what, by, count, meter);
}

function joined(list: CelList, glue: string): string {
  const texts: string[] = [];
  for (const item of list) {
    if (typeof item !== "string") throw new EvaluationError("join: the list holds something that is no text");
    meter.spendText(item.length + glue.length);
    texts.push(item);
  }
  return texts.join(glue);
}

/**
 * JSON does not tell 10 from 10.0, so `price * 1.5` would work for a price of 9.5 and fail for one of 10. CEL compares
 * across number types already; here it calculates across them too.
 */
function mixedArithmetic(): CelFunc[] {
  const { CelScalar, celFunc } = celLibrary();
  const { DOUBLE, INT } = CelScalar;
  const operators: [string, (a: number, b: number) => number][] = [
    ["_+_", (a, b) => a + b],
    ["_-_", (a, b) => a - b],
    ["_*_", (a, b) => a * b],
    ["_/_", (a, b) => a / b],
  ];
  return operators.flatMap(([name, calculate]) => [
    celFunc(name, [INT, DOUBLE], DOUBLE, (a, b) => calculate(Number(a), b)),
    celFunc(name, [DOUBLE, INT], DOUBLE, (a, b) => calculate(a, Number(b))),
  ]);
}

/** A pattern is bounded like every other, and its run is paid for like every other step. */
function compile(source: string): { test(text: string): boolean } {
  const pattern = patternOf(source);
  return {
    test(text) {
      meter.spend(matchCost(pattern, text));
      return pattern.program.test(text);
    },
  };
}

function patternOf(source: string): ReturnType<typeof compilePattern> {
  try {
    return compilePattern(source);
  } catch (error) {
    if (error instanceof PatternError) throw new EvaluationError(`matches: ${error.message}`);
    throw error;
  }
}

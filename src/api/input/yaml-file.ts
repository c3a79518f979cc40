import { setImmediate as nextTurn } from "node:timers/promises";
import {
  Composer,
  type CST,
  Document,
  isMap,
  isPair,
  Lexer,
  LineCounter,
  Parser,
  parseDocument,
  visit,
} from "yaml";
import type { z } from "zod";
import { errorText, InvalidInput } from "../../base/errors.ts";
import { inputErrors } from "./input-errors.ts";

/** A fault of a file, at its place. */
export type FileFault = { path: (string | number)[]; line: number; column: number; message: string };

export type ReadFile<T> = { ok: true; value: T } | { ok: false; faults: FileFault[] };

/** Anchors repeat a value; a file that would grow past this is refused. */
const MAX_ALIASES = 100;

/** Some 14,000 values, at 7 tokens each; reading them takes 100 ms. A text of many lines is one. */
const MAX_TOKENS = 100_000;

/** Some 5 ms of reading. */
const TOKENS_IN_A_TURN = 5_000;

/** The library compares each key with all before it: 60,000 keys held a process up for minutes. `repeatedKeys` does it. */
const PARSING = { prettyErrors: false, uniqueKeys: false } as const;

/**
 * Reads YAML or JSON (which is YAML) that a schema describes, of any size: for a process that answers nobody meanwhile. Pure.
 */
export function readYaml<S extends z.ZodType>(text: string, schema: S): ReadFile<z.output<S>> {
  const reading = readingOf(text, schema, Number.POSITIVE_INFINITY);
  for (;;) {
    const { done, value } = reading.next();
    if (done) return value;
  }
}

/** The same for a file from anybody: bounded in size, and read in turns, so that others are answered in between. */
export async function readYamlInTurns<S extends z.ZodType>(
  text: string,
  schema: S,
): Promise<ReadFile<z.output<S>>> {
  const reading = readingOf(text, schema, MAX_TOKENS);
  for (;;) {
    const { done, value } = reading.next();
    if (done) return value;
    await nextTurn();
  }
}

/** Yields wherever others may be answered. */
function* readingOf<S extends z.ZodType>(
  text: string,
  schema: S,
  most_tokens: number,
): Generator<undefined, ReadFile<z.output<S>>> {
  const lines = new LineCounter();
  const place = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  try {
    const tokens = yield* tokensOf(text, lines, most_tokens);
    if (tokens === null) return refused(TOO_MUCH);
    const [document = new Document(null), second] = new Composer(PARSING).compose(tokens, true);
    yield;
    const errors = document.errors.map(({ pos, message }) => ({ offset: pos[0], message }));
    if (second) errors.push({ offset: second.range[0], message: SEVERAL });
    const broken = errors.length > 0 ? errors : repeatedKeys(document);
    if (broken.length > 0)
      return {
        ok: false,
        faults: broken
          .slice(0, MAX_FAULTS)
          .map(({ offset, message }) => ({ path: [], ...place(offset), message })),
      };
    yield;
    const given: unknown = document.toJS({ maxAliasCount: MAX_ALIASES });
    yield;
    const parsed = schema.safeParse(given);
    if (parsed.success) return { ok: true, value: parsed.data };
    yield;
    const faults = inputErrors("body", parsed.error.issues, given).issues.map(({ loc, msg }) => {
      const path = loc.slice(1);
      return { path, ...place(offsetOf(document.contents, path)), message: msg };
    });
    return { ok: false, faults };
  } catch (error) {
    // Too many aliases, or lists nested deeper than the stack.
    return refused(errorText(error));
  }
}

/** Null where there are more. */
function* tokensOf(text: string, lines: LineCounter, most: number): Generator<undefined, CST.Token[] | null> {
  const parser = new Parser(lines.addNewLine);
  const read: CST.Token[] = [];
  let count = 0;
  lines.addNewLine(0);
  for (const token of new Lexer().lex(text)) {
    count++;
    if (count > most) return null;
    if (count % TOKENS_IN_A_TURN === 0) yield;
    read.push(...parser.next(token));
  }
  read.push(...parser.end());
  yield;
  return read;
}

const refused = (message: string): { ok: false; faults: FileFault[] } => ({
  ok: false,
  faults: [{ path: [], line: 1, column: 1, message }],
});

/** The same number of faults as is reported for a JSON body. */
const MAX_FAULTS = 100;

const TOO_MUCH = "The file has too many values to be read at once. Divide it into several files.";

const SEVERAL = "The file holds several documents. Divide it into several files.";

/** Keys that a map has twice: the second would silently take the place of the first. */
function repeatedKeys(document: Document): { offset: number; message: string }[] {
  const found: { offset: number; message: string }[] = [];
  visit(document, {
    Map(_, { items }) {
      const known = new Set<string>();
      for (const { key } of items) {
        const name = String(key);
        if (known.has(name)) found.push({ offset: rangeOf(key) ?? 0, message: "Map keys must be unique" });
        known.add(name);
      }
    },
  });
  return found;
}

/** Line and column of a path in a text that can be read. */
export function placesIn(
  text: string,
): (path: readonly (string | number)[]) => { line: number; column: number } {
  const lines = new LineCounter();
  const { contents } = parseDocument(text, { lineCounter: lines, ...PARSING });
  return (path) => {
    const { line, col } = lines.linePos(offsetOf(contents, path));
    return { line, column: col };
  };
}

/** A file's faults as what is wrong with the field of a body that holds its text. */
export const faultsOfText = (faults: readonly FileFault[]): InvalidInput =>
  new InvalidInput(
    faults.map(({ path, line, column, message }) => ({
      loc: ["body", "text", ...path],
      msg: `Line ${line}, column ${column}: ${message}`,
      type: "value_error",
    })),
  );

/** `cases[2].expect` */
export const shownPath = (path: (string | number)[]): string =>
  path.map((part, at) => (typeof part === "number" ? `[${part}]` : at === 0 ? part : `.${part}`)).join("");

/** Where a value begins, or the nearest one around it; of a key that should not be there, the key. */
function offsetOf(root: unknown, path: readonly (string | number)[]): number {
  let node: unknown = root;
  let offset = rangeOf(node) ?? 0;
  for (const part of path) {
    const inner: unknown = isMap(node)
      ? node.items.find((pair) => isPair(pair) && String(pair.key) === String(part))
      : (node as { items?: unknown[] } | null)?.items?.[Number(part)];
    if (inner === undefined) break;
    node = isPair(inner) ? inner.value : inner;
    offset = (isPair(inner) ? rangeOf(inner.key) : rangeOf(inner)) ?? offset;
  }
  return offset;
}

const rangeOf = (node: unknown): number | undefined =>
  (node as { range?: [number, number, number] | null } | null)?.range?.[0];

import {
  type KyselyPlugin,
  type PluginTransformResultArgs,
  type QueryResult,
  type RawBuilder,
  sql,
  type UnknownRow,
} from "kysely";
import { openText, SEAL_BYTES, SEALED_MARK } from "../base/sealed-text.ts";

/*
 * Opens what is stored sealed wherever rows are read, so that no reader has to know of it. What was not sealed costs a look
 * for the mark in each text and document; rows are walked through only once a process has met a sealed value.
 */

/** Whether a JSON document is stored as one sealed value. */
export const isSealedDocument = (document: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql`${document}::text like ${`"${SEALED_MARK}%`}::text`;

/** The bytes of a JSON document as it is read, whether or not it is stored as one sealed value: told by the length of that. */
export const documentBytes = (document: RawBuilder<unknown>): RawBuilder<number> =>
  sql`case when ${isSealedDocument(document)}
    then (length(split_part(${document}::text, ':', 4)) - 1) * 3 / 4 - ${SEAL_BYTES}::integer
    else octet_length(${document}::text) end`;

/** A key by its id; null where there is none. */
type KeyById = (id: number) => Promise<Buffer | null>;

const TOKEN = new RegExp(`("?)${SEALED_MARK}(\\d{1,15}):([A-Za-z0-9_-]+)\\1`, "g");
const MOST_DEPTH = 130;

let isMet = false;
const marked = new WeakSet<object>();

/** Parsers of columns: they note what is to be opened. */
export function sealable<T>(parse: (text: string) => T): (text: string) => T {
  return (text) => {
    const value = parse(text);
    if (!text.includes(SEALED_MARK)) return value;
    isMet = true;
    if (typeof value === "object" && value !== null) marked.add(value);
    return value;
  };
}

export class SealedValues implements KyselyPlugin {
  readonly #keys = new Map<number, Promise<Buffer | null>>();
  #find: KeyById | null = null;

  /** Before this, sealed values are read as they lie. */
  openWith(find: KeyById): void {
    this.#find = find;
    this.#keys.clear();
  }

  transformQuery<T>({ node }: { node: T }): T {
    return node;
  }

  async transformResult({ result }: PluginTransformResultArgs): Promise<QueryResult<UnknownRow>> {
    if (!isMet || !this.#find || !result.rows.some(hasSealed)) return result;
    const ids = new Set<number>();
    for (const row of result.rows) collect(row, ids, 0);
    const keys = new Map<number, Buffer>();
    for (const id of ids) {
      const key = await this.#keyOf(id);
      if (key) keys.set(id, key);
    }
    return { ...result, rows: result.rows.map((row) => opened(row, keys, 0) as UnknownRow) };
  }

  #keyOf(id: number): Promise<Buffer | null> {
    const known = this.#keys.get(id);
    if (known) return known;
    const found = this.#find?.(id) ?? Promise.resolve(null);
    this.#keys.set(id, found);
    // A key that is missing may be one that another process has just made, or a database that did not answer.
    found.then(
      (key) => key === null && this.#keys.delete(id),
      () => this.#keys.delete(id),
    );
    return found;
  }
}

const hasSealed = (row: UnknownRow): boolean =>
  Object.values(row).some(
    (value) =>
      (typeof value === "string" && value.includes(SEALED_MARK)) ||
      (typeof value === "object" && value !== null && marked.has(value)),
  );

function collect(value: unknown, ids: Set<number>, depth: number): void {
  if (typeof value === "string") {
    if (value.includes(SEALED_MARK)) for (const [, , id] of value.matchAll(TOKEN)) ids.add(Number(id));
  } else if (typeof value === "object" && value !== null && depth < MOST_DEPTH)
    for (const part of Object.values(value)) collect(part, ids, depth + 1);
}

function opened(value: unknown, keys: ReadonlyMap<number, Buffer>, depth: number): unknown {
  if (typeof value === "string") return value.includes(SEALED_MARK) ? openedText(value, keys) : value;
  if (typeof value !== "object" || value === null || value instanceof Date || depth >= MOST_DEPTH)
    return value;
  if (Array.isArray(value)) return value.map((part) => opened(part, keys, depth + 1));
  if (Object.getPrototypeOf(value) !== Object.prototype && Object.getPrototypeOf(value) !== null)
    return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, opened(part, keys, depth + 1)]),
  );
}

/** A value that is sealed as a whole, or a text in which PostgreSQL put sealed values together: a document, or words. */
function openedText(text: string, keys: ReadonlyMap<number, Buffer>): unknown {
  const wholes: unknown[] = [];
  const replaced = text.replace(TOKEN, (token, quote: string, id: string, sealed: string) => {
    const key = keys.get(Number(id));
    const plain = key ? openText(key, sealed) : null;
    if (plain === null) return token;
    if (quote !== "") return plain;
    const value: unknown = JSON.parse(plain);
    if (token === text) wholes.push(value);
    return typeof value === "string" ? value : plain;
  });
  return wholes.length > 0 ? wholes[0] : replaced;
}

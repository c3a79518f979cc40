import { type RawBuilder, type SelectQueryBuilder, sql } from "kysely";
import { z } from "zod";
import { type InputIssue, InvalidInput } from "../base/errors.ts";
import type { Db } from "../db/database.ts";
import { parseTimestamp, queryInteger, queryList } from "./schema.ts";

/**
 * The one list mechanism: search pairs by index, order, paging with totals, a date range and
 * a choice of fields. An area only says which fields it has, what column stands behind each and how it matches.
 */
type ListField = {
  /** The filter for one search value, or why the value can't be one. */
  match(value: string): RawBuilder<boolean> | { problem: string };
  /** What `order_by` sorts on; null: a field that only filters. */
  order: RawBuilder<unknown> | null;
};

export type ListRules<Name extends string = string> = {
  fields: Record<Name, ListField>;
  /** The column that `start_datetime` and `end_datetime` bound, as [start, end). */
  time: string;
  /**
   * Used when `order_by` is absent, and to break ties, so that pages never overlap: together the columns tell one row
   * from every other, and none is ever null.
   */
  order: { column: string; direction: "asc" | "desc" }[];
  /** Past this many matches a total is not counted (null): counting 100,000 rows costs 13 ms. Omitted: always counted. */
  countUpTo?: number;
};

const MAX_LIMIT = 1000;

/** `%`, `_` and `\` in a search value are letters, not wildcards. */
export const containing = (value: string): string => `%${value.replace(/[\\%_]/g, "\\$&")}%`;

const column = (name: string) => sql.ref(name);

/** Contains, whatever the case. */
export const text = (name: string): ListField => ({
  match: (value) => sql`${column(name)} ilike ${containing(value)}`,
  order: column(name),
});

/** Contains, in either of two columns. */
export const eitherText = (...names: string[]): ListField => ({
  match: (value) =>
    sql`(${sql.join(
      names.map((name) => sql`${column(name)} ilike ${containing(value)}`),
      sql` or `,
    )})`,
  order: column(names[0] as string),
});

/** The same text, letter for letter. */
export const exact = (name: string): ListField => ({
  match: (value) => sql`${column(name)} = ${value}`,
  order: column(name),
});

export const integer = (name: string): ListField => ({
  match: (value) =>
    /^-?\d{1,15}$/.test(value.trim())
      ? sql`${column(name)} = ${Number(value)}`
      : { problem: "Input should be a valid integer" },
  order: column(name),
});

export const number = (name: string): ListField => ({
  match: (value) =>
    value.trim() !== "" && Number.isFinite(Number(value))
      ? sql`${column(name)} = ${Number(value)}`
      : { problem: "Input should be a valid number" },
  order: column(name),
});

/** null, where a column has it, is neither. */
export const boolean = (name: string): ListField => ({
  match: (value) => {
    const lower = value.trim().toLowerCase();
    if (lower !== "true" && lower !== "false") return { problem: "Input should be true or false" };
    return sql`${column(name)} is ${lower === "true" ? sql`true` : sql`false`}`;
  },
  order: column(name),
});

/** A date-time to the second, or a date. */
export const time = (name: string): ListField => ({
  match: (value) => {
    const at = parseTimestamp(value.trim());
    if (!at) return { problem: "Input should be a valid datetime" };
    const span = /^\d{4}-\d{2}-\d{2}$/.test(value.trim()) ? "1 day" : "1 second";
    return sql`(${column(name)} >= ${at.toISOString()}::timestamptz and ${column(name)} < ${at.toISOString()}::timestamptz + ${span}::interval)`;
  },
  order: column(name),
});

/** Contains, in the text of a document or list. Documents have no order of their own; they sort by that text. */
export const document = (name: string): ListField => ({
  match: (value) => sql`${column(name)}::text ilike ${containing(value)}`,
  order: sql`${column(name)}::text`,
});

/** A comma-separated list: any of its entries. Blanks around entries and empty entries are ignored. */
export const anyOf = (name: string, kind: "text" | "integer" = "text"): ListField => ({
  match: (value) => {
    const tokens = value
      .split(",")
      .map((token) => token.trim())
      .filter((token) => token !== "");
    if (kind === "integer" && tokens.some((token) => !/^-?\d{1,15}$/.test(token))) {
      return { problem: "Input should be a comma-separated list of integers" };
    }
    const values = kind === "integer" ? tokens.map(Number) : tokens;
    return kind === "integer"
      ? sql`${column(name)} = any(${values}::bigint[])`
      : sql`${column(name)} = any(${values}::text[])`;
  },
  order: null,
});

/** A filter that no column spells. */
export const custom = (match: ListField["match"], order: RawBuilder<unknown> | null = null): ListField => ({
  match,
  order,
});

/** The order of a field that is the same for every record of this id; PostgreSQL takes no bare constant there. */
export const noOrder = (id: string): RawBuilder<unknown> => sql`${column(id)} is null`;

export type ListQuery = {
  page: number;
  limit: number;
  search_fields: string[];
  search_field_values: string[];
  order_by?: string | null | undefined;
  order_by_direction?: "asc" | "desc" | null | undefined;
  fields: string[];
  start_datetime?: string | null | undefined;
  end_datetime?: string | null | undefined;
};

const rangeEnd = () =>
  z
    .string()
    .refine((value) => value === "" || parseTimestamp(value) !== null, {
      error: "Input should be a valid datetime",
      params: { type: "datetime_parsing" },
    })
    .nullish();

/** The query string of a list operation with these rules. */
export function listQuery<Name extends string>(rules: ListRules<Name>) {
  const names = Object.keys(rules.fields) as [Name, ...Name[]];
  const ordered = names.filter((name) => rules.fields[name].order !== null) as [Name, ...Name[]];
  return z
    .object({
      page: queryInteger({ min: 0 })
        .nullish()
        .prefault(0)
        .transform((page) => page ?? 0),
      // The public API names no maximum, so a greedy limit is answered with a full page, not refused.
      limit: queryInteger({ min: 0 })
        .prefault(25)
        .transform((limit) => Math.min(limit, MAX_LIMIT)),
      search_fields: queryList(z.enum(names)),
      search_field_values: queryList(z.string()),
      order_by: z.enum(ordered).nullish(),
      order_by_direction: z.enum(["asc", "desc"]).nullish(),
      fields: queryList(z.enum(names)),
      start_datetime: rangeEnd(),
      end_datetime: rangeEnd(),
    })
    .superRefine((query, context) => {
      if (query.search_fields.length === query.search_field_values.length) return;
      context.addIssue({
        code: "custom",
        path: ["search_field_values"],
        message: `search_fields has ${query.search_fields.length} entries, search_field_values ${query.search_field_values.length}; they are matched by index`,
      });
    });
}

/** The specification's ListResponse around one kind of record. */
export const listOf = <T extends z.ZodType>(record: T) =>
  z.object({
    items: z.array(record),
    page: z.int(),
    page_size: z.int(),
    total_pages: z.int().nullish(),
    total_count: z.int().nullish(),
  });

export type Page<T> = {
  items: T[];
  page: number;
  page_size: number;
  total_pages: number | null;
  total_count: number | null;
};

/** Runs one page of `rows` (already bound to the caller's sub-organization) and its total. */
export async function listPage<Row extends object>(
  db: Db,
  // biome-ignore lint/suspicious/noExplicitAny: any tables; only the row matters here
  rows: SelectQueryBuilder<any, any, Row>,
  query: ListQuery,
  rules: ListRules,
): Promise<Page<Row>> {
  let matching = rows;
  for (const filter of filters(query, rules)) matching = matching.where(filter);

  let ordered = matching;
  const chosen = query.order_by ? rules.fields[query.order_by]?.order : null;
  const direction = query.order_by_direction ?? (chosen ? "asc" : undefined);
  if (chosen) ordered = ordered.orderBy(chosen, direction);
  for (const tie of rules.order) ordered = ordered.orderBy(sql.ref(tie.column), direction ?? tie.direction);

  const offset = Math.min(query.page * query.limit, Number.MAX_SAFE_INTEGER);
  const [items, total] = await Promise.all([
    query.limit === 0 ? [] : ordered.where(onPage(ordered, rules, query.limit, offset)).execute(),
    countRows(db, matching, rules.countUpTo),
  ]);
  return {
    items: items as Row[],
    page: query.page,
    page_size: query.limit,
    total_pages: total === null || query.limit === 0 ? null : Math.ceil(total / query.limit),
    total_count: total,
  };
}

/**
 * Finds the page by the keys of its rows alone. PostgreSQL computes what it selects for skipped rows too: where a row
 * is a document of an agent with all its tools, page 400 took over a minute, and this way as long as the first page.
 */
function onPage<Row>(
  // biome-ignore lint/suspicious/noExplicitAny: any tables
  ordered: SelectQueryBuilder<any, any, Row>,
  rules: ListRules,
  limit: number,
  offset: number,
): RawBuilder<boolean> {
  const keys = rules.order.map(({ column }) => sql.ref(column));
  const page = ordered
    .clearSelect()
    .select(keys.map((key, index) => key.as(`key_${index}`)))
    .limit(limit)
    .offset(offset);
  return sql`(${sql.join(keys)}) in ${page}`;
}

/**
 * The answer with only the asked-for fields: what was not asked for becomes null where the record allows null.
 * Required fields stay, so that an answer always fits its schema.
 */
export function onlyFields<T extends object>(page: Page<T>, fields: string[], record: z.ZodObject): Page<T> {
  if (fields.length === 0) return page;
  const asked = new Set(fields);
  const droppable = Object.entries(record.shape)
    .filter(([name, schema]) => !asked.has(name) && (schema as z.ZodType).safeParse(null).success)
    .map(([name]) => name);
  const items = page.items.map((item) => ({
    ...item,
    ...Object.fromEntries(droppable.map((name) => [name, null])),
  }));
  return { ...page, items };
}

/** A page of rows that are answered as they are, with only the asked-for fields. */
export const recordPage = async <T extends object>(
  record: z.ZodObject,
  ...[db, rows, query, rules]: Parameters<typeof listPage<T>>
): Promise<Page<T>> => onlyFields(await listPage<T>(db, rows, query, rules), query.fields, record);

function filters(query: ListQuery, rules: ListRules): RawBuilder<boolean>[] {
  const found: RawBuilder<boolean>[] = [];
  const problems: InputIssue[] = [];
  query.search_fields.forEach((name, index) => {
    const filter = rules.fields[name]?.match(query.search_field_values[index] ?? "");
    if (!filter) return;
    if ("problem" in filter) {
      problems.push({
        loc: ["query", "search_field_values", index],
        msg: filter.problem,
        type: "value_error",
      });
    } else found.push(filter);
  });
  if (problems.length > 0) throw new InvalidInput(problems);

  const start = query.start_datetime && parseTimestamp(query.start_datetime);
  const end = query.end_datetime && parseTimestamp(query.end_datetime);
  if (start) found.push(sql`${column(rules.time)} >= ${start.toISOString()}::timestamptz`);
  if (end) found.push(sql`${column(rules.time)} < ${end.toISOString()}::timestamptz`);
  return found;
}

/** null: more than `upTo`. */
async function countRows(
  db: Db,
  // biome-ignore lint/suspicious/noExplicitAny: any tables
  rows: SelectQueryBuilder<any, any, any>,
  upTo: number | undefined,
): Promise<number | null> {
  const bare = rows.clearSelect().clearOrderBy();
  const counted =
    upTo === undefined
      ? bare.select(sql<number>`count(*)`.as("n"))
      : db
          .selectFrom(
            bare
              .select(sql`1`.as("one"))
              .limit(upTo + 1)
              .as("matched"),
          )
          .select(sql<number>`count(*)`.as("n"));
  const { n } = await counted.executeTakeFirstOrThrow();
  return upTo !== undefined && n > upTo ? null : n;
}

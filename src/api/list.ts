import { type RawBuilder, sql } from "kysely";
import { z } from "zod";
import { InvalidInput } from "../base/errors.ts";
import type { Db } from "../db/database.ts";
import { type PageWanted, type RowQuery, type Search, shortPage } from "./list-page.ts";
import { longPage } from "./long-list.ts";
import { parseTimestamp, queryInteger, queryList, searchedText } from "./schema.ts";
import { refuseUnpaired, unpaired } from "./search-pairs.ts";

/**
 * The one list mechanism: search pairs by index, order, paging with totals, a date range and a choice of fields. A room only
 * says which fields it has, what column stands behind each and how it matches.
 */
export type ListField = {
  /** The filter for one search value, or why the value can't be one. */
  match(value: string): RawBuilder<boolean> | { problem: string };
  /** What `order_by` sorts on; null: a field that only filters. */
  order: RawBuilder<unknown> | null;
  /** In a long list, whether each row has to be looked at to find those with this value. Omitted: an index finds them. */
  isRead?(value: string): boolean;
  /** In a long list: finds the value as a whole, by an index; what it finds is the answer. */
  whole?(value: string): RawBuilder<boolean>;
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
  /** A list of millions: what it reads for one answer has a bound (long-list.ts). `order` has one direction for all. */
  isLong?: true;
};

const MAX_LIMIT = 1000;

/** What a long list tells of its bounds (long-list.ts). */
export const LONG =
  "Past 10,000 matches the totals are null. What no index finds is looked for among the first 20,000 records of the dates asked for; where there are more, the totals are null. Up to 20,000 are sorted by another field than the time, and pages reach 100,000 records far. Where that is too little, the answer is 422 and asks for start_datetime and end_datetime.";

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

/** An id that is stored as text: whole, and sorted as the number that it mostly is. */
export const textId = (name: string): ListField => ({
  ...exact(name),
  order: sql`case when ${column(name)} ~ '^[0-9]{1,18}$' then lpad(${column(name)}, 18, '0') else ${column(name)} end`,
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

/** Of what is true or false of a row by more than a column. */
export const flag = (
  match: (value: boolean) => RawBuilder<boolean>,
  order: RawBuilder<unknown> | null = null,
): ListField => ({
  match: (value) => {
    const lower = value.trim().toLowerCase();
    if (lower !== "true" && lower !== "false") return { problem: "Input should be true or false" };
    return match(lower === "true");
  },
  order,
});

/** null, where a column has it, is neither. */
export const boolean = (name: string): ListField =>
  flag((value) => sql`${column(name)} is ${value ? sql`true` : sql`false`}`, column(name));

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

/**
 * A comma-separated list: any of its entries. Blanks around entries and empty entries are ignored. `order`: where the
 * contract has the field among what a list is ordered by, too, it sorts as its column does.
 */
export const anyOf = (
  name: string,
  kind: "text" | "integer" = "text",
  order: "filter-only" | "sorts" = "filter-only",
): ListField => ({
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
  order: order === "sorts" ? column(name) : null,
});

/** In a long list: no index of the table finds this. */
export const read = (field: ListField): ListField => ({ ...field, isRead: () => true });

/** In a long list: an id that people have a part of at times, and mostly the whole. */
export const wholeBeforePart = (name: string): ListField => ({
  ...read(text(name)),
  whole: (value) => sql`${column(name)} = ${value}`,
});

/** In a long list: an index of trigrams finds this, which are three letters or digits in a row. */
export const byTrigrams = (field: ListField): ListField => ({
  ...field,
  isRead: (value) => !/[\p{L}\p{N}]{3}/u.test(value),
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

/** What the query string of every list has. */
const OF_EVERY_LIST = {
  page: queryInteger({ min: 0 })
    .nullish()
    .prefault(0)
    .transform((page) => page ?? 0),
  // The public API names no maximum, so a greedy limit is answered with a full page, not refused.
  limit: queryInteger({ min: 0 })
    .prefault(25)
    .transform((limit) => Math.min(limit, MAX_LIMIT))
    .describe("At most 1,000."),
  search_field_values: queryList(searchedText()),
  order_by_direction: z.enum(["asc", "desc"]).nullish(),
  start_datetime: rangeEnd(),
  end_datetime: rangeEnd(),
};

/** The query string of a list operation with these rules. */
export function listQuery<Name extends string>(rules: ListRules<Name>) {
  const names = Object.keys(rules.fields) as [Name, ...Name[]];
  const ordered = names.filter((name) => rules.fields[name].order !== null) as [Name, ...Name[]];
  const someNames = queryList(z.enum(names));
  const { page, limit, search_field_values, order_by_direction, start_datetime, end_datetime } =
    OF_EVERY_LIST;
  return (
    z
      .object({
        page,
        limit,
        search_fields: someNames,
        search_field_values,
        order_by: z.enum(ordered).nullish(),
        order_by_direction,
        fields: someNames,
        start_datetime,
        end_datetime,
      })
      // Also where another parameter is wrong, so that one answer names all there is to mend.
      .superRefine(
        (query, context) => {
          if (!Array.isArray(query.search_fields) || !Array.isArray(query.search_field_values)) return;
          refuseUnpaired(query, context);
          if (unpaired(query) === null)
            for (const { index, problem } of searchProblems(query, rules))
              context.addIssue({ code: "custom", path: ["search_field_values", index], message: problem });
        },
        { when: () => true },
      )
  );
}

type SearchedPairs = Pick<ListQuery, "search_fields" | "search_field_values">;

/** Values that their fields can't be searched by. */
const searchProblems = ({ search_fields, search_field_values }: SearchedPairs, rules: ListRules) =>
  search_fields.flatMap((name, index) => {
    const value = search_field_values[index];
    const field = Object.hasOwn(rules.fields, name) ? rules.fields[name] : undefined;
    const found = field && typeof value === "string" ? field.match(value) : null;
    return found && "problem" in found ? [{ index, problem: found.problem }] : [];
  });

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
  rows: RowQuery<Row>,
  query: ListQuery,
  rules: ListRules,
): Promise<Page<Row>> {
  let within = rows;
  for (const bound of dateRange(query, rules)) within = within.where(bound);
  const searches = readSearches(query, rules);
  const chosen = query.order_by ? (rules.fields[query.order_by]?.order ?? null) : null;
  const direction = query.order_by_direction ?? (chosen ? "asc" : undefined);
  const wanted: PageWanted<Row> = {
    within,
    searches,
    keys: rules.order.map(({ column }) => sql.ref(column)),
    chosen,
    directions: rules.order.map((tie) => direction ?? tie.direction),
    order_by: query.order_by ?? null,
    limit: query.limit,
    offset: Math.min(query.page * query.limit, Number.MAX_SAFE_INTEGER),
    countUpTo: rules.countUpTo,
  };
  const { items, total } = rules.isLong ? await longPage(db, wanted) : await shortPage(db, wanted);
  return {
    items,
    page: query.page,
    page_size: query.limit,
    total_pages: total === null || query.limit === 0 ? null : Math.ceil(total / query.limit),
    total_count: total,
  };
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

function readSearches(query: ListQuery, rules: ListRules): Search[] {
  const problems = searchProblems(query, rules);
  if (problems.length > 0) {
    throw new InvalidInput(
      problems.map(({ index, problem }) => ({
        loc: ["query", "search_field_values", index],
        msg: problem,
        type: "value_error",
      })),
    );
  }
  return query.search_fields.flatMap((name, index) => {
    const field = rules.fields[name];
    const value = query.search_field_values[index] ?? "";
    const filter = field?.match(value);
    if (!field || !filter || "problem" in filter) return [];
    return [{ filter, index, is_read: field.isRead?.(value) ?? false, whole: field.whole?.(value) }];
  });
}

function dateRange(query: ListQuery, rules: ListRules): RawBuilder<boolean>[] {
  const found: RawBuilder<boolean>[] = [];
  const start = query.start_datetime && parseTimestamp(query.start_datetime);
  const end = query.end_datetime && parseTimestamp(query.end_datetime);
  if (start) found.push(sql`${column(rules.time)} >= ${start.toISOString()}::timestamptz`);
  if (end) found.push(sql`${column(rules.time)} < ${end.toISOString()}::timestamptz`);
  return found;
}

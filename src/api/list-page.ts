import { type RawBuilder, type SelectQueryBuilder, sql } from "kysely";
import type { Db } from "../db/database.ts";

// biome-ignore lint/suspicious/noExplicitAny: any tables; only the row matters here
export type RowQuery<Row> = SelectQueryBuilder<any, any, Row>;

/** One pair of `search_fields` and `search_field_values`, the `index`th. */
export type Search = {
  filter: RawBuilder<boolean>;
  index: number;
  /** Long lists: no index finds it. */
  is_read: boolean;
  /** Long lists: the same for a whole id, which is looked for first. */
  whole?: RawBuilder<boolean> | undefined;
};

/** One page of a list, spelled for PostgreSQL. */
export type PageWanted<Row> = {
  /** What the caller may see, within the dates asked for. */
  within: RowQuery<Row>;
  searches: Search[];
  /** Together they tell one row from every other; the order where none is chosen, and the end of every other. */
  keys: RawBuilder<unknown>[];
  directions: ("asc" | "desc")[];
  chosen: RawBuilder<unknown> | null;
  order_by: string | null;
  limit: number;
  offset: number;
  /** Past this many the total is null. */
  countUpTo: number | undefined;
};

export type PageFound<Row> = { items: Row[]; total: number | null };

/** A page and its total, each by a statement of its own. */
export async function shortPage<Row extends object>(
  db: Db,
  wanted: PageWanted<Row>,
): Promise<PageFound<Row>> {
  const [items, total] = await Promise.all([
    pageInOrder(db, wanted),
    countRows(db, matches(wanted), wanted.countUpTo),
  ]);
  return { items, total };
}

export const matches = <Row>({
  within,
  searches,
}: Pick<PageWanted<Row>, "within" | "searches">): RowQuery<Row> =>
  searches.reduce((rows, { filter }) => rows.where(filter), within);

export const inOrder = <Row>(
  rows: RowQuery<Row>,
  { chosen, keys, directions }: Pick<PageWanted<Row>, "chosen" | "keys" | "directions">,
): RowQuery<Row> =>
  keys.reduce(
    (ordered, key, n) => ordered.orderBy(key, directions[n]),
    chosen ? rows.orderBy(chosen, directions[0]) : rows,
  );

/** Reads those that match in their order, up to the page. */
export async function pageInOrder<Row extends object>(db: Db, wanted: PageWanted<Row>): Promise<Row[]> {
  if (wanted.limit === 0) return [];
  const ordered = inOrder(matches(wanted), wanted);
  return rowsOf(db, ordered.where(onPage(ordered, wanted)));
}

/**
 * Of this very database or transaction. A query that executes itself goes where it was begun, and in a transaction would
 * wait for a second connection while it holds one.
 */
export const rowsOf = async <Row>(db: Db, query: RowQuery<Row>): Promise<Row[]> =>
  (await db.executeQuery(query)).rows as Row[];

/**
 * Finds the page by the keys of its rows alone. PostgreSQL computes what it selects for skipped rows too: where a row
 * is a document of an agent with all its tools, page 400 took over a minute, and this way as long as the first page.
 */
function onPage<Row>(ordered: RowQuery<Row>, { keys, limit, offset }: PageWanted<Row>): RawBuilder<boolean> {
  const page = selectKeys(ordered, keys).limit(limit).offset(offset);
  return sql`(${sql.join(keys)}) in ${page}`;
}

export const selectKeys = <Row>(rows: RowQuery<Row>, keys: RawBuilder<unknown>[]) =>
  rows.clearSelect().select(keys.map((key, index) => key.as(`key_${index}`)));

/** null: more than `upTo`. */
export async function countRows<Row>(
  db: Db,
  rows: RowQuery<Row>,
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
  const [counts] = await rowsOf<{ n: number }>(db, counted);
  return counts && upTo !== undefined && counts.n > upTo ? null : (counts?.n ?? 0);
}

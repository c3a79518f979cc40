import { type RawBuilder, sql } from "kysely";
import { InvalidInput } from "../base/errors.ts";
import type { Db } from "../db/database.ts";
import { planned } from "../db/plans.ts";
import {
  countRows,
  inOrder,
  matches,
  type PageFound,
  type PageWanted,
  pageInOrder,
  rowsOf,
  selectKeys,
  shortPage,
} from "./list-page.ts";

/*
 * Lists of millions. Whatever is asked, an answer reads about as much of one as of a list of 20,000: what an index finds
 * is found among all, and the rest among the newest 20,000 within the dates asked for. Where that can't tell the page that
 * is wanted, the answer is a refusal that asks for dates, never a wrong page.
 */

/** Rows looked at for what no index finds, and rows sorted by what no index sorts. */
export const READ_UP_TO = 20_000;
/** Rows skipped for a page, by the keys of an index alone. */
export const PAGES_REACH = 100_000;

/** A search is planned for its own value: most rows match one, and none another (db/plans.ts). */
const BY_VALUE = { plan_cache_mode: "force_custom_plan" };

export async function longPage<Row extends object>(db: Db, wanted: PageWanted<Row>): Promise<PageFound<Row>> {
  if (wanted.searches.length > 0 || isSorted(wanted))
    return planned(db, BY_VALUE, (tx) => searched(tx, wanted));
  await refuseTooDeep(db, wanted);
  return shortPage(db, wanted);
}

async function searched<Row extends object>(db: Db, wanted: PageWanted<Row>): Promise<PageFound<Row>> {
  if (wanted.searches.some(({ whole }) => whole)) {
    const searches = wanted.searches.map(({ filter, whole, ...search }) => ({
      ...search,
      filter: whole ?? filter,
    }));
    const found = await searched(db, { ...wanted, searches });
    if (found.total !== 0) return found;
  }
  const unaided = wanted.searches.find(({ is_read }) => is_read);
  // Of a whole list, the index of its order tells whether there are too many to sort. A scan of the table begins where
  // another one is (synchronize_seqscans), at times among rows of another list, and took 100 to 160 ms of a million then.
  const newest = unaided || wanted.searches.length === 0 ? await edgeOf(db, wanted) : null;
  if (newest && isSorted(wanted)) throw tooManyToSort(wanted.order_by);

  const bounded = newest ? { ...wanted, within: wanted.within.where(newest) } : wanted;
  const upTo = isSorted(wanted) ? READ_UP_TO : Math.max(wanted.countUpTo ?? 0, newest ? READ_UP_TO : 0);
  const { items, count } = await pageOfMatches(db, bounded, upTo);
  if (newest && unaided && count < wanted.offset + wanted.limit) throw tooFewAmongNewest(unaided.index);
  if (count <= upTo) return { items, total: newest || count > (wanted.countUpTo ?? upTo) ? null : count };
  if (isSorted(wanted)) throw tooManyToSort(wanted.order_by);
  await refuseTooDeep(db, wanted);
  return { items: await pageInOrder(db, bounded), total: null };
}

/** By something else than the first of the keys, as which the list is ordered anyway. */
const isSorted = <Row>({ chosen, keys }: PageWanted<Row>): boolean =>
  chosen !== null && JSON.stringify(chosen.toOperationNode()) !== JSON.stringify(keys[0]?.toOperationNode());

async function refuseTooDeep<Row>(db: Db, wanted: PageWanted<Row>): Promise<void> {
  if (wanted.limit === 0 || wanted.offset < PAGES_REACH) return;
  if ((await countRows(db, wanted.within, PAGES_REACH)) === null) throw tooDeep();
}

/** What bounds the rows to the first 20,000 in their order; null where there are no more. */
async function edgeOf<Row>(db: Db, wanted: PageWanted<Row>): Promise<RawBuilder<boolean> | null> {
  const { within, keys, directions } = wanted;
  const ordered = selectKeys(inOrder(within, { ...wanted, chosen: null }), keys);
  const [edge] = await rowsOf<object>(db, ordered.offset(READ_UP_TO).limit(1));
  if (!edge) return null;
  const values = Object.values(edge);
  return sql`(${sql.join(keys)}) ${sql.raw(directions[0] === "desc" ? ">" : "<")} (${sql.join(values)})`;
}

/**
 * The page of those that match, and how many they are, by one scan. The scan ends after one more than `upTo`; of so many
 * there is no page, as they are whichever were found first.
 */
async function pageOfMatches<Row extends object>(db: Db, wanted: PageWanted<Row>, upTo: number) {
  const { keys, chosen, directions, limit, offset } = wanted;
  const found = selectKeys(matches(wanted), keys)
    .select((chosen ?? sql`null`).as("chosen"))
    .limit(upTo + 1);
  const order = (columns: RawBuilder<unknown>[]) =>
    sql.join(columns.map((column, n) => sql`${column} ${sql.raw(directions[n] ?? directions[0] ?? "asc")}`));
  const names = keys.map((_, n) => sql.ref(`key_${n}`));
  const place = sql<number | null>`row_number() over (order by ${order(chosen ? [chosen, ...keys] : keys)})`;
  const page = wanted.within
    .select(place.as("listed_as"))
    .where(sql<boolean>`(${sql.join(keys)}) in (select ${sql.join(names)} from page)`);
  const { rows } = await sql<Row & { listed_as: number | null; listed_of: number }>`
    with matched as materialized ${found},
      page as (
        select ${sql.join(names)} from matched where (select count(*) from matched) <= ${upTo}::int
        order by ${order(chosen ? [sql.ref("chosen"), ...names] : names)}
        limit ${limit}::int offset ${offset}::bigint)
    select listed.*, counted.listed_of
    from (select count(*)::int as listed_of from matched) counted left join ${page} listed on true
    order by listed.listed_as`.execute(db);
  const items = rows
    .filter(({ listed_as }) => listed_as !== null)
    .map(({ listed_as: _as, listed_of: _of, ...row }) => row as unknown as Row);
  return { items, count: rows[0]?.listed_of ?? 0 };
}

const refusal = (loc: (string | number)[], why: string): InvalidInput =>
  new InvalidInput([
    {
      loc: ["query", ...loc],
      msg: `${why} Give start_datetime and end_datetime, nearer to each other.`,
      type: "value_error",
    },
  ]);

const amount = (rows: number): string => rows.toLocaleString("en");

const tooManyToSort = (order_by: string | null): InvalidInput =>
  refusal(["order_by"], `More than ${amount(READ_UP_TO)} records match, too many to sort by ${order_by}.`);

const tooFewAmongNewest = (index: number): InvalidInput =>
  refusal(
    ["search_field_values", index],
    `This searches ${amount(READ_UP_TO)} records at once, and too few of the first ones match to fill this page.`,
  );

const tooDeep = (): InvalidInput => refusal(["page"], `Pages reach ${amount(PAGES_REACH)} records far.`);

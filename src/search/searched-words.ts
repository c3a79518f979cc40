import { type RawBuilder, sql } from "kysely";
import { READ_UP_TO } from "../api/long-list.ts";
import { spaced } from "../base/writing/words.ts";
import type { Db } from "../db/database.ts";
import { facet } from "./facets.ts";

/** What somebody looks for, as PostgreSQL reads it. */
export type SearchedWords = {
  /** By each configuration of the sub-organization that keeps any of the words. */
  queries: { configuration: string; query: string }[];
  /** No session is indexed yet, so there is nothing that any word could be in. */
  is_empty: boolean;
  /** Any of its words, without those that must not occur; null where there are none of the others. */
  any: string | null;
  /** Words in a row that too many sessions have: each of those has to be read to know whether they are in a row. */
  is_read: boolean;
};

/**
 * Reads `words` as a search engine does: all words, "a phrase", or, -without. A session's language decides how its words
 * were reduced to their stems, so each configuration that the sub-organization has words in reads them for its own.
 */
export async function readWords(db: Db, tenant: number, words: string): Promise<SearchedWords> {
  const { rows } = await sql<{
    configuration: string;
    query: string;
    is_kept: boolean;
    positive: string | null;
    loose: string | null;
  }>`
    with read as (
      select configuration, websearch_to_tsquery(configuration::regconfig, ${spaced(words)}::text) as query
      from search_languages
      where sub_organization_id = ${tenant}::bigint
        -- A backup may come from a newer PostgreSQL, with a language that this one doesn't know.
        and configuration in (
          select cfgname::text from pg_ts_config where cfgnamespace = 'pg_catalog'::regnamespace)
    )
    select configuration, query::text as query, numnode(query) > 0 as is_kept,
      nullif(nullif(querytree(query), ''), 'T') as positive,
      case when query::text ~ '<(-|[0-9]+)>'
        then regexp_replace(query::text, '<(-|[0-9]+)>', '&', 'g') end as loose
    from read order by configuration`.execute(db);
  const kept = rows.filter(({ is_kept }) => is_kept);
  const queries = kept.map(({ configuration, query }) => ({ configuration, query }));
  const positive = kept.flatMap((row) => (row.positive === null ? [] : [row.positive]));
  const inARow = kept.some(({ loose }) => loose !== null);
  const apart = kept.map(({ configuration, query, loose }) => ({ configuration, query: loose ?? query }));
  return {
    queries,
    is_empty: rows.length === 0,
    any: anyOf(positive.map((one) => one.replaceAll(/&|<(?:-|\d+)>/g, "|"))),
    is_read: inARow && (await isCommon(db, tenant, apart)),
  };
}

/** Queries of PostgreSQL joined by "or"; null where there is none. */
export const anyOf = (queries: string[]): string | null =>
  queries.length === 0 ? null : [...new Set(queries)].map((query) => `(${query})`).join(" | ");

/** Index: session_search_words. */
export const hasWords = (tenant: number, queries: SearchedWords["queries"]): RawBuilder<boolean> =>
  sql`(${sql.join(
    queries.map(
      ({ configuration, query }) =>
        sql`x.words @@ ${query}::tsquery and x.facets @> ${[facet("org", tenant), facet("words", configuration)]}::text[]`,
    ),
    sql` or `,
  )})`;

async function isCommon(db: Db, tenant: number, queries: SearchedWords["queries"]): Promise<boolean> {
  const { rows } = await sql<{ found: number }>`
    select count(*)::int as found from (
      select from session_search x where ${hasWords(tenant, queries)} limit ${READ_UP_TO + 1}) as matching`.execute(
    db,
  );
  return (rows[0]?.found ?? 0) > READ_UP_TO;
}

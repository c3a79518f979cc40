import { type RawBuilder, sql } from "kysely";
import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import * as list from "../api/list.ts";
import { parseTimestamp, timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Db } from "../db/database.ts";
import { SCRIPTED_MODEL } from "../llm/catalogue.ts";
import { withKnownNames } from "../sessions/listed/known-names.ts";
import { sessionList } from "../sessions/listed/session-list.ts";
import { Session, selectSessions } from "../sessions/session.ts";
import { foundWords } from "./found-words.ts";
import { INSIGHT_FIELDS, requireSearched, SEARCH_RULES, searchRules } from "./search-rules.ts";
import { anyOf, readWords, type SearchedWords } from "./searched-words.ts";

const FoundSentence = z
  .object({
    timestamp: timestamp(),
    source: z.enum(["user", "agent"]),
    text: z.string(),
    marks: z
      .array(z.object({ from: z.int(), to: z.int() }))
      .describe(
        "Where the words are in `text`: from a character, counted from 0 in UTF-16 units, to before another.",
      ),
  })
  .meta({ id: "FoundSentence" });

export const FoundSession = Session.extend({
  title: z
    .string()
    .nullish()
    .describe(
      "What an insight says as `summary` (needs insights_read), else the person's first sentence. Null where reads of what people said are audited, except in a search for words.",
    ),
  channel: z.string(),
  label: z.string().nullish().describe("A person's rating, else a program's. Needs session_labels_read."),
  has_error: z.boolean().nullish().describe("Null until indexed, seconds after the end."),
  tools: z.array(z.string()).nullish().describe("The tools that were called."),
  failed_tools: z.array(z.string()).nullish().describe("Those of which a call failed."),
  cost_usd: z
    .number()
    .nullish()
    .describe("Models and speech at list price; null where a price is not known."),
  found: FoundSentence.nullish().describe("The sentence with the words that were searched for."),
}).meta({ id: "FoundSession" });
export type FoundSession = z.infer<typeof FoundSession>;

export const searchQuery = () => list.listQuery(SEARCH_RULES);
type SearchQuery = z.output<ReturnType<typeof searchQuery>>;

const facetsOf = (kind: string): RawBuilder<string[] | null> => sql`(
  select array_agg(substr(f, ${kind.length + 2}::int) order by f) from unnest(x.facets) f
  where starts_with(f, ${`${kind}:`}) and f <> ${`${kind}:*`})`;

const LABEL = sql<string | null>`(
  select l.code from session_labels l where l.session_id = s.id
  order by l.type = 'human-rating' desc, l.id desc limit 1)`;

/** Indexes of each row's parts: session_search_pkey, session_labels_session, insight_outputs_session. */
function selectFound(db: Db, caller: Caller, withTitles: boolean) {
  const summary = sql`(
      select o.string_value from insight_outputs o
      where o.session_id = s.id and o.insight_key = 'summary' and o.model is distinct from ${SCRIPTED_MODEL}
      order by o.id desc limit 1)`;
  const title = sql<string | null>`coalesce(${
    caller.permissions.has("insights_read") ? summary : sql`null`
  }, x.opening)`;
  return selectSessions(db, caller)
    .leftJoin("session_search as x", "x.session_id", "s.id")
    .select([
      "s.channel",
      (withTitles ? title : sql<string | null>`null`).as("title"),
      (caller.permissions.has("session_labels_read") ? LABEL : sql<string | null>`null`).as("label"),
      sql<boolean | null>`x.facets @> array['error:any']`.as("has_error"),
      facetsOf("tool").as("tools"),
      facetsOf("failed").as("failed_tools"),
      "x.cost_usd",
    ]);
}

/** Found in the session's search row, which running sessions have not. */
export const INDEXED: ReadonlySet<string> = new Set(
  Object.keys(SEARCH_RULES.fields).filter(
    (field) =>
      !(field in sessionList.fields) && ![...INSIGHT_FIELDS, "label", "session_id_list"].includes(field),
  ),
)
  .add("end_reason")
  .add("agent_version");

/** The days that are asked for, of the search row too: PostgreSQL intersects its indexes. Index: session_search_began. */
function withinDays({ start_datetime, end_datetime }: SearchQuery): RawBuilder<boolean>[] {
  const [start, end] = [parseTimestamp(start_datetime ?? ""), parseTimestamp(end_datetime ?? "")];
  return [
    ...(start ? [sql<boolean>`x.began_at >= ${start.toISOString()}::timestamptz`] : []),
    ...(end ? [sql<boolean>`x.began_at < ${end.toISOString()}::timestamptz`] : []),
  ];
}

/** A request that has been read: its rows, its rules, its words. */
export async function readSearch(db: Db, caller: Caller, query: SearchQuery) {
  const tenant = caller.sub_organization_id;
  requireSearched(caller, query);
  const words = new Map<string, SearchedWords>();
  for (const [n, field] of query.search_fields.entries()) {
    const value = query.search_field_values[n] ?? "";
    if (field === "words" && !words.has(value)) words.set(value, await readWords(db, tenant, value));
  }
  const all = selectFound(db, caller, words.size > 0 || !caller.audits_reads);
  const some = query.search_fields.some((field) => INDEXED.has(field))
    ? withinDays(query).reduce((rows, bound) => rows.where(bound), all)
    : all;
  return {
    rows: query.search_fields.includes("is_test") ? some : some.where("s.is_test", "=", false),
    rules: await withKnownNames(db, tenant, query, searchRules(tenant, words)),
    /** Any word of any of them; null where none is searched for. */
    any: anyOf([...words.values()].flatMap(({ any }) => (any === null ? [] : [any]))),
  };
}

export function searchRoutes(api: Api, { db }: { db: Db }): void {
  api.get(
    "/api/v1/sessions/search",
    {
      summary: "Search sessions",
      description: `Newest first. \`words\`: all words, "a phrase", or, -without, in the language of each session; an answer shows the sentence they are in. The other fields beyond the list's: \`channel\`, \`end_reason\`, \`tool\` and \`failed_tool\` (a tool's name; \`*\`: any that failed), \`has_error\`, \`label\`, \`insight\` (name=value, or name=*), \`insight_from\` and \`insight_to\` (name=number), \`agent_version\` (3, or 7.3 for agent 7), \`prompt_version\`, \`campaign_id\`, \`event\` and \`event_category\` (of events until the end), \`duration_from\` and \`duration_to\` (seconds), \`cost_from\` and \`cost_to\` (US dollars). They find sessions that are over, from seconds after their end. Test sessions are left out unless \`is_test\` is searched. A phrase of words that more than 20,000 sessions have is looked for among the first 20,000. ${list.LONG}`,
      tag: "sessions",
      permission: "sessions_read",
      also_permission: "insights_read",
      opens: {
        resource: "transcripts",
        ids: ({ items }: list.Page<FoundSession>) =>
          items.flatMap(({ found, title, session_id }) =>
            session_id && (found || title) ? [session_id] : [],
          ),
      },
      query: searchQuery(),
      response: list.listOf(FoundSession),
    },
    async ({ caller, query }) => {
      const { rows, rules, any } = await readSearch(db, caller, query);
      const page = await list.listPage(db, rows, query, rules);
      const ids = page.items.map(({ session_id }) => Number(session_id));
      const sentences =
        any === null || ids.length === 0
          ? new Map<string, never>()
          : await foundWords(db, caller.sub_organization_id, ids, any);
      const items = page.items.map((item) => {
        const { session_id: _, ...found } = sentences.get(item.session_id) ?? { session_id: null };
        return { ...item, found: "text" in found ? found : null };
      });
      return list.onlyFields({ ...page, items }, query.fields, FoundSession);
    },
  );
}

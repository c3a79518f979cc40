import { type RawBuilder, sql } from "kysely";
import { z } from "zod";
import { type Caller, requirePermission } from "../api/caller.ts";
import * as list from "../api/list.ts";
import { toldSuccess } from "../experiments/success-sessions.ts";
import { isAnalysis } from "../insights/output.ts";
import { sessionList } from "../sessions/listed/session-list.ts";
import { facet } from "./facets.ts";
import { hasWords, type SearchedWords } from "./searched-words.ts";

type Match = RawBuilder<boolean> | { problem: string };

/** Index: session_search_words. */
const has = (tenant: number, ...facets: string[]): RawBuilder<boolean> =>
  sql`x.facets @> ${[...new Set([facet("org", tenant), ...facets])]}::text[]`;

const CHANNELS = ["voice", "chat", "sms", "email", "whatsapp"];
const RATINGS = ["GOOD", "OK", "BAD", "N/A"];

/** What experiments call a success, beside what their guardrails count. */
const SUCCESS = new Map([
  ["success", toldSuccess(true)],
  ["no_success", toldSuccess(false)],
]);

const oneOf = (choices: string[], value: string): { problem: string } | null =>
  choices.includes(value) ? null : { problem: `Input should be one of ${choices.join(", ")}` };

function amount(value: string, filter: (amount: number) => RawBuilder<boolean>): Match {
  const number = Number(value);
  return value.trim() !== "" && Number.isFinite(number) && number >= 0
    ? filter(number)
    : { problem: "Input should be a number, 0 or more" };
}

/** Another analysis replaces what the one before said: a session has one value, as on boards. Index: insight_outputs_session. */
const IS_NEWEST_OUTPUT = sql`not exists (select from insight_outputs n
  where n.session_id = o.session_id and n.insight_key = o.insight_key and n.id > o.id
    and (length(n.json_value ->> n.insight_key) <= 60 or n.entries is not null) and ${isAnalysis("n")})`;

/** A session has one rating, as in the list and on boards: of a person, else of a program; the newest. Index: session_labels_session. */
const IS_ITS_RATING = sql`not exists (select from session_labels n
  where n.session_id = l.session_id and (n.type = 'human-rating', n.id) > (l.type = 'human-rating', l.id))`;

/**
 * `key=value`: what a tool found, True as true, or an entry of a list; `key=*`: that it found anything. Indexes:
 * insight_outputs_value, insight_outputs_entries, insight_outputs_lists.
 */
function found(tenant: number, value: string): Match {
  const at = value.indexOf("=");
  const [key, wanted] = [value.slice(0, at).trim(), value.slice(at + 1).trim()];
  if (at < 1 || wanted === "") return { problem: "Input should be name=value, such as rating=Bad" };
  if (wanted.length > 60) return { problem: "Values of up to 60 characters can be searched" };
  const isTruth = /^(true|false)$/i.test(wanted);
  const values = isTruth ? [wanted, wanted.toLowerCase(), capitalized(wanted)] : [wanted];
  const [text, isShort, isList] = [
    sql`o.json_value ->> o.insight_key`,
    sql`length(o.json_value ->> o.insight_key) <= 60`,
    sql`o.entries is not null`,
  ];
  // A session that has any value has a newest one. Each half of an `or` has an index of its own; as two statements they
  // were planned by what each alone may find, and a frequent value took seconds.
  const has =
    wanted === "*"
      ? sql`(${isShort} or ${isList})`
      : sql`(${isShort} and (${text}) = any(${values}::text[]) or ${isList} and o.entries && ${values}::text[])
          and ${IS_NEWEST_OUTPUT}`;
  return sql`s.id in (select o.session_id from insight_outputs o
    where o.sub_organization_id = ${tenant}::bigint and o.insight_key = ${key} and o.session_id is not null
      and ${isAnalysis("o")} and ${has})`;
}

/** As Python writes it, and models that have read much of it. */
const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase();

/** `key=number`: a tool's number of at least, or at most, so much. Index: insight_outputs_value, by its key. */
function foundNumber(tenant: number, value: string, at_least: boolean): Match {
  const at = value.lastIndexOf("=");
  const key = value.slice(0, at).trim();
  const bound = value.slice(at + 1).trim();
  if (at < 1 || bound === "" || !Number.isFinite(Number(bound)))
    return { problem: "Input should be name=number, such as score=3" };
  return sql`s.id in (select o.session_id from insight_outputs o
    where o.sub_organization_id = ${tenant}::bigint and o.insight_key = ${key} and o.session_id is not null
      and length(o.json_value ->> o.insight_key) <= 60
      and o.numeric_value ${at_least ? sql`>=` : sql`<=`} ${Number(bound)}::double precision
      and ${isAnalysis("o")} and ${IS_NEWEST_OUTPUT})`;
}

/** Those that look at what was found in conversations. */
export const INSIGHT_FIELDS: readonly string[] = ["insight", "insight_from", "insight_to"];

/** Whether somebody may see what is looked at: insights, which what an experiment calls a success may be, and ratings. */
export function requireSearched(
  caller: Caller,
  { search_fields, search_field_values }: { search_fields: readonly string[]; search_field_values: string[] },
): void {
  const isInsight = (field: string, n: number) =>
    INSIGHT_FIELDS.includes(field) ||
    (field === "experiment_outcome" && SUCCESS.has((search_field_values[n] ?? "").trim()));
  if (search_fields.some(isInsight)) requirePermission(caller, "insights_read");
  if (search_fields.includes("label")) requirePermission(caller, "session_labels_read");
}

/**
 * The fields that sessions are searched by, beside those of the list. `words`: those of this request, read already; null:
 * they are not read yet, so nothing is wrong with them.
 */
export function searchRules(tenant: number, words: ReadonlyMap<string, SearchedWords> | null) {
  const inside = (value: string) => words?.get(value);
  return {
    ...sessionList,
    fields: {
      ...sessionList.fields,
      experiment_outcome: list.custom((value): Match => {
        const match = SUCCESS.get(value.trim()) ?? sessionList.fields.experiment_outcome.match(value);
        return "problem" in match
          ? { problem: `${match.problem}, ${[...SUCCESS.keys()].join(", ")}` }
          : match;
      }),
      session_id_list: list.anyOf("s.id", "integer"),
      words: {
        ...list.custom((value): Match => {
          if (words === null) return sql`true`;
          const read = inside(value);
          if (read?.is_empty) return sql`false`;
          if (!read || read.queries.length === 0)
            return { problem: "None of these words can be searched. Enter a word that says more." };
          if (!read.any) return { problem: "Add a word to find; “-” only leaves sessions out." };
          return hasWords(tenant, read.queries);
        }),
        isRead: (value: string) => inside(value)?.is_read ?? false,
      },
      channel: list.custom((value) => oneOf(CHANNELS, value) ?? has(tenant, facet("channel", value))),
      // Running sessions have no reason yet.
      end_reason: list.custom((value) => has(tenant, facet("end", value)), sql.ref("s.end_reason")),
      agent_id: list.custom(
        (value): Match =>
          /^\d{1,15}$/.test(value.trim())
            ? // Index: sessions_agent.
              sql`s.agent_id = ${value.trim()}::bigint`
            : { problem: "Input should be a valid integer" },
        sql.ref("s.agent_id"),
      ),
      agent_version: list.custom(
        (value): Match =>
          /^\d{1,15}(\.\d{1,15})?$/.test(value.trim())
            ? has(tenant, facet("version", value.trim()))
            : { problem: "Input should be a version, such as 3, or an agent and its version, such as 7.3" },
        sql.ref("s.agent_version"),
      ),
      prompt_version: list.custom(
        (value): Match =>
          /^\d{1,15}$/.test(value.trim())
            ? has(tenant, facet("prompt", value.trim()))
            : { problem: "Input should be a valid integer" },
        sql.ref("s.prompt_version_number"),
      ),
      campaign_id: list.custom(
        (value): Match =>
          /^\d{1,15}$/.test(value.trim())
            ? has(tenant, facet("campaign", value.trim()))
            : { problem: "Input should be a valid integer" },
      ),
      event: list.custom((value) => has(tenant, facet("event", value.trim()))),
      event_category: list.custom((value) => has(tenant, facet("events", value.trim()))),
      tool: list.custom((value) => has(tenant, facet("tool", value.trim()))),
      failed_tool: list.custom((value) => has(tenant, facet("failed", value.trim()))),
      has_error: list.flag((value) =>
        value ? has(tenant, "error:any") : sql`not x.facets @> array['error:any']`,
      ),
      // Index: session_facts_pkey.
      has_latency: list.read(
        list.flag(
          (value) =>
            sql`exists (select from session_facts f where f.session_id = s.id and (f.waits_ms <> '{}') = ${value}::boolean)`,
        ),
      ),
      // Index: session_labels_code.
      label: list.custom(
        (value) =>
          oneOf(RATINGS, value) ??
          sql`s.id in (select l.session_id from session_labels l
            where l.sub_organization_id = ${tenant}::bigint and l.code = ${value} and ${IS_ITS_RATING})`,
      ),
      insight: list.custom((value) => found(tenant, value)),
      insight_from: list.custom((value) => foundNumber(tenant, value, true)),
      insight_to: list.custom((value) => foundNumber(tenant, value, false)),
      // Indexes: session_search_duration, session_search_cost.
      duration_from: list.custom((value) =>
        amount(
          value,
          (s) => sql`(x.sub_organization_id = ${tenant}::bigint and x.duration_s >= ${s}::double precision)`,
        ),
      ),
      duration_to: list.custom((value) =>
        amount(
          value,
          (s) => sql`(x.sub_organization_id = ${tenant}::bigint and x.duration_s <= ${s}::double precision)`,
        ),
      ),
      cost_from: list.custom((value) =>
        amount(
          value,
          (usd) =>
            sql`(x.sub_organization_id = ${tenant}::bigint and x.cost_usd >= ${usd}::double precision)`,
        ),
      ),
      cost_to: list.custom((value) =>
        amount(
          value,
          (usd) =>
            sql`(x.sub_organization_id = ${tenant}::bigint and x.cost_usd <= ${usd}::double precision)`,
        ),
      ),
      cost_usd: list.custom(
        (value) =>
          amount(
            value,
            (usd) =>
              sql`(x.sub_organization_id = ${tenant}::bigint and x.cost_usd = ${usd}::double precision)`,
          ),
        sql.ref("x.cost_usd"),
      ),
    },
  } satisfies list.ListRules;
}

/** The same without a request: what can be searched for and sorted by. */
export const SEARCH_RULES = searchRules(0, null);

/** What sessions are searched, counted and alerted by. */
export const SessionSearchField = z
  .enum(Object.keys(SEARCH_RULES.fields) as [keyof typeof SEARCH_RULES.fields])
  .meta({ id: "SessionSearchField" });

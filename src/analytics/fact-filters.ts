import { type RawBuilder, sql } from "kysely";
import { type Caller, requirePermission } from "../api/caller.ts";
import { type InputIssue, InvalidInput } from "../base/errors.ts";
import type { Db } from "../db/database.ts";
import { requireSearched, SEARCH_RULES, searchRules } from "../search/search-rules.ts";
import { readWords, type SearchedWords } from "../search/searched-words.ts";
import { withKnownNames } from "../sessions/listed/known-names.ts";
import { type FigureMetric, ruleOf } from "./metric.ts";

/** The fields that sessions are searched by. */
const FILTER_FIELDS = Object.keys(SEARCH_RULES.fields) as [keyof typeof SEARCH_RULES.fields];
export type FilterField = (typeof FILTER_FIELDS)[number];

/** As in a search: fields and values, matched by index. */
export type Searched = { search_fields: FilterField[]; search_field_values: string[] };

/** The only filter of people of campaigns. */
const OF_PEOPLE: readonly FilterField[] = ["campaign_id"];

/** What stands in a session's row of facts is compared there; each value was checked by the rule of the search. */
function inFacts(field: FilterField, value: string): RawBuilder<boolean> | null {
  const given = value.trim();
  switch (field) {
    case "agent_id":
      return sql`f.agent_id = ${given}::bigint`;
    case "agent_version": {
      const [agent, version] = given.includes(".") ? given.split(".") : [null, given];
      return agent === null
        ? sql`f.agent_version = ${version}::bigint`
        : sql`(f.agent_id = ${agent}::bigint and f.agent_version = ${version}::bigint)`;
    }
    case "campaign_id":
      return sql`f.campaign_id = ${given}::bigint`;
    case "channel":
      return sql`f.channel = ${value}`;
    case "end_reason":
      return sql`f.end_reason = ${value}`;
    case "has_error":
      return sql`f.is_error = ${given.toLowerCase() === "true"}::boolean`;
    case "has_latency":
      return sql`(f.waits_ms <> '{}') = ${given.toLowerCase() === "true"}::boolean`;
    case "is_test":
      return sql`f.is_test = ${given.toLowerCase() === "true"}::boolean`;
    case "failed_tool":
      return given === "*" ? sql`f.is_tool_failure` : null;
    case "duration_from":
      return sql`f.duration_s >= ${given}::real`;
    case "duration_to":
      return sql`f.duration_s <= ${given}::real`;
    case "cost_from":
      return sql`f.cost_usd >= ${given}::real`;
    case "cost_to":
      return sql`f.cost_usd <= ${given}::real`;
    default:
      return null;
  }
}

/** Throws where a value can't be searched for; `place`: where the values are in the request. */
export function checkFilters(metric: FigureMetric, searched: Searched, place: (string | number)[]): void {
  const problems = searched.search_fields.flatMap((field, n): InputIssue[] => {
    const loc = [...place, "search_field_values", n];
    if (ruleOf(metric.name).of === "people" && !OF_PEOPLE.includes(field))
      return [
        {
          loc: [...place, "search_fields", n],
          msg: `${metric.name} can be filtered by campaign_id only`,
          type: "value_error",
        },
      ];
    if (field === "words") return [];
    const match = SEARCH_RULES.fields[field].match(searched.search_field_values[n] ?? "");
    return "problem" in match ? [{ loc, msg: match.problem, type: "value_error" }] : [];
  });
  if (problems.length > 0) throw new InvalidInput(problems);
}

/** What only a session itself shows: who it was with, and what was said. A count of one would tell it. */
const OF_ONE_SESSION: readonly string[] = [
  "words",
  "source",
  "target",
  "session_id",
  "session_id_list",
  "conversation_id",
  "channel_manager_sid",
] satisfies FilterField[];

/** Whether somebody may see what the filters look at. */
export function requireFilters(caller: Caller, searched: Searched): void {
  if (searched.search_fields.some((field) => OF_ONE_SESSION.includes(field)))
    requirePermission(caller, "sessions_read");
  requireSearched(caller, searched);
}

/** A filter that could not be read: the sentence says what to change. */
export class UnreadableFilter extends Error {}

/** The conditions on rows of facts `f`, of sessions that began from `from` on. Test sessions are left out unless asked for. */
export async function factFilters(
  db: Db,
  tenant: number,
  { search_fields, search_field_values }: Searched,
  from: Date,
): Promise<RawBuilder<boolean>[]> {
  const words = new Map<string, SearchedWords>();
  for (const [n, field] of search_fields.entries()) {
    const value = search_field_values[n] ?? "";
    if (field === "words" && !words.has(value)) words.set(value, await readWords(db, tenant, value));
  }
  const searched = { search_fields, search_field_values };
  const rules = await withKnownNames(db, tenant, searched, searchRules(tenant, words));
  const own: RawBuilder<boolean>[] = [];
  const others: RawBuilder<boolean>[] = [];
  for (const [n, field] of search_fields.entries()) {
    const value = search_field_values[n] ?? "";
    const match = rules.fields[field].match(value);
    if ("problem" in match) throw new UnreadableFilter(`${field}: ${match.problem}`);
    const stored = inFacts(field, value);
    if (stored) own.push(stored);
    else others.push(match);
  }
  if (!search_fields.includes("is_test")) own.push(sql`not f.is_test`);
  if (others.length > 0)
    own.push(sql`f.session_id in (
      select s.id from sessions s join session_search x on x.session_id = s.id
      where s.sub_organization_id = ${tenant}::bigint and x.sub_organization_id = ${tenant}::bigint
        and s.timestamp >= ${from.toISOString()}::timestamptz and x.began_at >= ${from.toISOString()}::timestamptz
        and ${sql.join(others, sql` and `)})`);
  return own;
}

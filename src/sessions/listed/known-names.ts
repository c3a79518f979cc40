import { type RawBuilder, sql } from "kysely";
import * as list from "../../api/list.ts";
import { unreachable } from "../../base/errors.ts";
import type { Db } from "../../db/database.ts";
import { runningOrOver } from "./session-list.ts";

/*
 * An organization has few agents, prompts and numbers of its own, and many sessions with each. Which of these names hold the
 * text that is looked for is read from an index, name by name; sessions that are over are then found by their whole name. By
 * trigrams, those of one number among thirty took 88 ms of a million sessions, and take 37 (docs/decisions/0215). An agent or
 * a prompt that was renamed is found with all its sessions by each of its names (docs/decisions/0278).
 */

/** Past this many names of a kind, sessions are found by trigrams: reading so many takes about 10 ms. */
const MOST_NAMES = 1_000;

/** Indexes: sessions_targets, sessions_agent_names, sessions_prompt_names. */
const NAMES = ["target", "agent_name", "prompt_name"] as const;
type Name = (typeof NAMES)[number];

const isName = (field: string): field is Name => (NAMES as readonly string[]).includes(field);

type SearchPairs = Pick<list.ListQuery, "search_fields" | "search_field_values">;

/** The rules of a list of sessions, in which searches of this query for names find them by their whole names. */
export async function withKnownNames<Rules extends list.ListRules>(
  db: Db,
  sub_organization_id: number,
  query: SearchPairs,
  rules: Rules,
): Promise<Rules> {
  const known = new Map<string, string[]>();
  for (const [n, field] of query.search_fields.entries()) {
    const value = query.search_field_values[n] ?? "";
    const names = isName(field) ? await namesWith(db, sub_organization_id, field, value) : null;
    if (names) known.set(`${field} ${value}`, names);
  }
  const fields = Object.entries(rules.fields).map(([field, rule]) => [
    field,
    isName(field) ? byWholeName(field, rule, known) : rule,
  ]);
  const byNames = { ...rules, fields: Object.fromEntries(fields) };
  return withFormerNames(db, sub_organization_id, query, byNames, "s");
}

/** `table`: what the query calls the rows that keep the names of then. */
export async function withFormerNames<Rules extends list.ListRules>(
  db: Db,
  sub_organization_id: number,
  query: SearchPairs,
  rules: Rules,
  table: "s" | "c",
): Promise<Rules> {
  const renamed = new Map<string, RawBuilder<boolean>>();
  for (const [n, field] of query.search_fields.entries()) {
    const value = query.search_field_values[n] ?? "";
    const others = isName(field) ? await ofRenamed(db, sub_organization_id, field, value, table) : null;
    if (others) renamed.set(`${field} ${value}`, others);
  }
  const fields = Object.entries(rules.fields).map(([field, rule]) => [
    field,
    isName(field) ? orRenamed(field, rule, renamed) : rule,
  ]);
  return { ...rules, fields: Object.fromEntries(fields) };
}

function byWholeName(
  field: Name,
  rule: list.ListField,
  known: ReadonlyMap<string, string[]>,
): list.ListField {
  const column = sql.ref(`s.${field}`);
  return {
    ...rule,
    match: (value) => {
      const names = known.get(`${field} ${value}`);
      if (!names) return rule.match(value);
      return runningOrOver(
        sql`${column} ilike ${list.containing(value)}`,
        sql`${column} collate "C" = any(${names}::text[])`,
      );
    },
    isRead: (value) => !known.has(`${field} ${value}`) && (rule.isRead?.(value) ?? false),
  };
}

function orRenamed(
  field: Name,
  rule: list.ListField,
  renamed: ReadonlyMap<string, RawBuilder<boolean>>,
): list.ListField {
  return {
    ...rule,
    match: (value) => {
      const [match, others] = [rule.match(value), renamed.get(`${field} ${value}`)];
      return "problem" in match || !others ? match : sql`(${match} or ${others})`;
    },
  };
}

/** All rows of the agents or prompts that were renamed, and have or had a name that contains the value; null: of none. */
function ofRenamed(
  db: Db,
  sub_organization_id: number,
  field: Name,
  value: string,
  table: string,
): Promise<RawBuilder<boolean> | null> {
  const wanted = list.containing(value);
  switch (field) {
    case "agent_name":
      return ofRenamedAgents(db, sub_organization_id, wanted, table);
    case "prompt_name":
      return ofRenamedPrompts(db, sub_organization_id, wanted, table);
    case "target":
      return Promise.resolve(null);
    default:
      return unreachable(field);
  }
}

/** Index of its sessions: sessions_agent. */
async function ofRenamedAgents(db: Db, sub_organization_id: number, wanted: string, table: string) {
  const found = await db
    .selectFrom("agents")
    .select("id")
    .where("sub_organization_id", "=", sub_organization_id)
    .where(sql<boolean>`former_names <> '{}' and exists (
      select from unnest(former_names || name) as called where called ilike ${wanted})`)
    .orderBy("id")
    .execute();
  const ids = found.map(({ id }) => id);
  return ids.length === 0 ? null : sql<boolean>`${sql.ref(`${table}.agent_id`)} = any(${ids}::bigint[])`;
}

/** Each version has the name that its prompt had. Index of its sessions: sessions_prompt_names. */
async function ofRenamedPrompts(db: Db, sub_organization_id: number, wanted: string, table: string) {
  const { rows } = await sql<{ id: number; names: string[] }>`
    select p.id, array_agg(distinct v.prompt_name order by v.prompt_name) as names
    from prompts p join prompt_versions v on v.prompt_id = p.id
    where p.sub_organization_id = ${sub_organization_id}::bigint
    group by p.id having count(distinct v.prompt_name) > 1 and bool_or(v.prompt_name ilike ${wanted})
    order by p.id`.execute(db);
  if (rows.length === 0) return null;
  const [ids, names] = [rows.map(({ id }) => id), rows.flatMap((row) => row.names)];
  const [name, id] = [sql.ref(`${table}.prompt_name`), sql.ref(`${table}.prompt_id`)];
  return sql<boolean>`(${name} collate "C" = any(${names}::text[]) and ${id} = any(${ids}::bigint[]))`;
}

/** The names of sessions that are over, of those that contain the value; null where there are too many names to read. */
async function namesWith(
  db: Db,
  sub_organization_id: number,
  name: Name,
  value: string,
): Promise<string[] | null> {
  const column = sql.ref(name);
  const next = (after: ReturnType<typeof sql>) => sql`(
    select ${column} collate "C" as name from sessions
    where sub_organization_id = ${sub_organization_id}::bigint and ended_at is not null and ${after}
    order by ${column} collate "C" limit 1)`;
  const { rows } = await sql<{ names: number; found: string[] }>`
    with recursive each as (
      ${next(sql`${column} is not null`)}
      union all
      select following.name from each, lateral ${next(sql`${column} collate "C" > each.name`)} following),
    bounded as (select name from each limit ${MOST_NAMES + 1}::int)
    select count(*)::int as names,
      coalesce(array_agg(name) filter (where name collate "default" ilike ${list.containing(value)}), '{}') as found
    from bounded`.execute(db);
  const [read] = rows;
  return read && read.names <= MOST_NAMES ? read.found : null;
}

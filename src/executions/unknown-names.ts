import { sql } from "kysely";
import type { Db } from "../db/database.ts";
import type { Workflow } from "../insights/workflow-store.ts";
import type { Issue } from "../schemas/validation-issue.ts";

const LISTS = [
  { list: "agent_list", table: "agents", noun: "agent", one: "an agent" },
  { list: "prompt_list", table: "prompts", noun: "prompt", one: "a prompt" },
] as const;

type Of = Pick<Workflow, "sub_organization_id" | "source" | "conditions">;

/**
 * Entries of a workflow's lists that no agent or prompt has as its name or number. They are stored all the same: an agent may
 * be made later, and a deleted one's sessions are still there. Recordings name people, of whom there is no list.
 * Indexes: agents_name, prompts_name and the keys.
 */
export async function unknownNames(
  db: Db,
  { sub_organization_id, source, conditions }: Of,
): Promise<Issue[]> {
  if (source === "upload") return [];
  const found: Issue[] = [];
  for (const { list, table, noun, one } of LISTS) {
    const entries = [...(conditions[list] ?? [])].map(String);
    if (entries.length === 0) continue;
    const { rows } = await sql<{ at: number; entry: string }>`
      select (named.place - 1)::int as at, named.entry
      from unnest(${entries}::text[]) with ordinality as named(entry, place)
      where not exists (
          select from ${sql.table(table)} it
          where it.sub_organization_id = ${sub_organization_id} and it.deleted_at is null and it.name = named.entry)
        and not exists (
          select from ${sql.table(table)} it
          where it.sub_organization_id = ${sub_organization_id}
            and it.id = case when named.entry ~ '^[0-9]{1,15}$' then named.entry::bigint end)
      order by named.place`.execute(db);
    for (const { at, entry } of rows)
      found.push({
        id: `unknown-${noun}`,
        severity: "warning",
        message: `No ${noun} is called "${entry}" now. Check how it is written: the workflow takes only sessions of ${one} of this name.`,
        path: ["conditions", list, at],
        value: entry,
      });
  }
  return found;
}

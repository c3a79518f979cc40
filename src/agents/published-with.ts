import { sql } from "kysely";
import type { Tx } from "../db/database.ts";

/** The versions that people reach: published ones, and those that a running experiment tries. */
export const publishedVersions = (tx: Tx) =>
  tx
    .selectFrom("agents as a")
    .innerJoin("agent_versions as v", (join) =>
      join.onRef("v.agent_id", "=", "a.id").on(
        sql<boolean>`(v.version_number = a.published_version or exists (
          select from experiments e, json_array_elements(e.variants) tried
          where e.agent_id = a.id and e.status = 'running' and e.deleted_at is null
            and (tried ->> 'version_number')::bigint = v.version_number))`,
      ),
    )
    .where("a.deleted_at", "is", null)
    .orderBy("a.name");

type Holder = { kind: string; name: string };

const named = (versions: { name: string; version_number: number }[]): Holder[] =>
  versions.map(({ name, version_number }) => ({ kind: `version ${version_number} of agent`, name }));

/** The agents whose published version calls a service, through tools it may no longer have in its draft. */
export async function publishedWithService(tx: Tx, service_id: number): Promise<Holder[]> {
  const calls = (tool: ReturnType<typeof sql>) =>
    sql<boolean>`(${tool} ->> 'service_id')::bigint = ${service_id}`;
  const found = await publishedVersions(tx)
    .where(
      sql<boolean>`(${calls(sql`v.snapshot -> 'session_end_tool'`)}
        or exists (select from json_array_elements(v.snapshot -> 'tools') tool where ${calls(sql`tool`)}))`,
    )
    .select(["a.name", "v.version_number"])
    .execute();
  return named(found);
}

/** Whether a version that people reach has a tool of this name. */
export async function isPublishedTool(tx: Tx, sub_organization_id: number, name: string): Promise<boolean> {
  const found = await publishedVersions(tx)
    .where("a.sub_organization_id", "=", sub_organization_id)
    .where(
      sql<boolean>`exists (
        select from json_array_elements(v.snapshot -> 'tools') tool where tool ->> 'name' = ${name})`,
    )
    .select("a.id")
    .executeTakeFirst();
  return found !== undefined;
}

/** A version holds a copy of everything but its bridge phrases, which it uses as they are now. */
export async function publishedWithPhrases(tx: Tx, bridge_phrases_id: number): Promise<Holder[]> {
  const found = await publishedVersions(tx)
    .where(sql<boolean>`(v.snapshot -> 'agent' ->> 'bridge_phrases_id')::bigint = ${bridge_phrases_id}`)
    .select(["a.name", "v.version_number"])
    .execute();
  return named(found);
}

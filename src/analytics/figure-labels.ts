import { sql } from "kysely";
import type { Db } from "../db/database.ts";
import type { FigureSplit } from "./metric.ts";

/** Names of agents and campaigns. */
export async function labelsOf(
  db: Db,
  tenant: number,
  { by }: FigureSplit,
  keys: string[],
): Promise<Map<string, string>> {
  const ids = [...new Set(keys.map((key) => Number(key.split(".")[0])))].filter(Number.isSafeInteger);
  if ((by !== "agent" && by !== "version" && by !== "campaign") || ids.length === 0) return new Map();
  const { rows } =
    by === "campaign"
      ? await sql<{ id: number; name: string }>`
          select id, campaign_name as name from campaigns
          where sub_organization_id = ${tenant}::bigint and id = any(${ids}::bigint[])`.execute(db)
      : await sql<{ id: number; name: string }>`
          select id, name from agents
          where sub_organization_id = ${tenant}::bigint and id = any(${ids}::bigint[])`.execute(db);
  const names = new Map(rows.map(({ id, name }) => [String(id), name]));
  return new Map(
    keys.map((key) => {
      const [id = "", version] = key.split(".");
      const name = names.get(id) ?? `${by === "campaign" ? "Campaign" : "Agent"} ${id}`;
      return [key, version === undefined ? name : `${name}, version ${version}`];
    }),
  );
}

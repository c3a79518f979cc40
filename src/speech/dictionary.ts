import type { Db } from "../db/database.ts";
import type { PronunciationOverride } from "./pronunciation-file.ts";

type Overrides = readonly PronunciationOverride[];

/** Of sub-organizations; each may have some megabytes, which all its calls share. */
const MOST_KEPT = 50;
const kept = new Map<string, Overrides>();

/** How words are pronounced in a sub-organization, as of now; read whole where it has changed. */
export async function dictionaryOf(db: Db, sub_organization_id: number): Promise<Overrides> {
  const found = await db
    .selectFrom("pronunciations")
    .select("hash")
    .where("sub_organization_id", "=", sub_organization_id)
    .executeTakeFirst();
  if (!found) return [];
  return kept.get(found.hash) ?? readWhole(db, sub_organization_id);
}

async function readWhole(db: Db, sub_organization_id: number): Promise<Overrides> {
  const found = await db
    .selectFrom("pronunciations")
    .select(["hash", "overrides"])
    .where("sub_organization_id", "=", sub_organization_id)
    .$castTo<{ hash: string; overrides: Overrides }>()
    .executeTakeFirst();
  if (!found) return [];
  if (kept.size >= MOST_KEPT) kept.delete(kept.keys().next().value as string);
  kept.set(found.hash, found.overrides);
  return found.overrides;
}

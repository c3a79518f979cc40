import { BoundedCache } from "../base/bounded-cache.ts";
import type { Db } from "../db/database.ts";
import type { PronunciationOverride } from "./pronunciation-file.ts";

type Overrides = readonly PronunciationOverride[];

/** Dictionaries by their hash; each may have some megabytes, which all calls share. */
const kept = new BoundedCache<{ overrides: Overrides | null }>(20);

/** How words are pronounced in a sub-organization, as of now; read whole where it has changed. */
export async function dictionaryOf(db: Db, sub_organization_id: number): Promise<Overrides> {
  const ofIt = db.selectFrom("pronunciations").where("sub_organization_id", "=", sub_organization_id);
  const found = await ofIt.select("hash").executeTakeFirst();
  if (!found) return [];
  const known = kept.get(found.hash, () => ({ overrides: null }));
  if (known.overrides) return known.overrides;
  const whole = await ofIt
    .where("hash", "=", found.hash)
    .select("overrides")
    .$castTo<{ overrides: Overrides }>()
    .executeTakeFirst();
  // Changed since.
  if (!whole) return dictionaryOf(db, sub_organization_id);
  known.overrides = whole.overrides;
  return whole.overrides;
}

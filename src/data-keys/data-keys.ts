import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import type { Clock } from "../base/clock.ts";
import type { Vault } from "../base/crypto.ts";
import { type Db, openSealedWith } from "../db/database.ts";
import { type DataKey, type FindKey, LostKey } from "./sealed-file.ts";

type Deps = { db: Db; clock: Clock; vault: Vault };
type KeyRow = { id: number; sealed_key: string };

/** The key that new files of an organization are sealed with; made where there is none. Index: data_keys_in_use. */
export async function keyInUse(deps: Deps, sub_organization_id: number): Promise<DataKey> {
  const { db, clock, vault } = deps;
  const { rows } = await sql<KeyRow>`
    select k.id, k.sealed_key from data_keys k
    join sub_organizations s on s.organization_id = k.organization_id
    where s.id = ${sub_organization_id} and k.retired_at is null`.execute(db);
  if (rows[0]) return opened(vault, rows[0]);
  // Of two that make one at once, the second finds the first one's.
  await sql`
    insert into data_keys (organization_id, sealed_key, created_at, seals_texts)
    select o.id, ${sealedKey(vault)}, ${clock.now().toISOString()}::timestamptz, o.seals_texts
    from sub_organizations s join organizations o on o.id = s.organization_id where s.id = ${sub_organization_id}
    on conflict (organization_id) where (retired_at is null) do nothing`.execute(db);
  return keyInUse(deps, sub_organization_id);
}

/** A key by the id in a file's head. */
export const findDataKey =
  ({ db, vault }: Pick<Deps, "db" | "vault">): FindKey =>
  async (id) => {
    const row = await db
      .selectFrom("data_keys")
      .select(["id", "sealed_key"])
      .where("id", "=", id)
      .executeTakeFirst();
    if (!row) throw new LostKey(id);
    return opened(vault, row);
  };

/** Retires every key in use; the next file of each organization gets a new one. Who seals texts has one at any time. */
export async function retireKeys({ db, clock, vault }: Deps): Promise<number> {
  return db.transaction().execute(async (tx) => {
    const retired = await tx
      .updateTable("data_keys")
      .set({ retired_at: clock.now().toISOString() })
      .where("retired_at", "is", null)
      .returning(["organization_id", "seals_texts"])
      .execute();
    const created_at = clock.now().toISOString();
    const next = retired
      .filter(({ seals_texts }) => seals_texts)
      .map(({ organization_id }) => ({
        organization_id,
        sealed_key: sealedKey(vault),
        created_at,
        seals_texts: true,
      }));
    if (next.length > 0) await tx.insertInto("data_keys").values(next).execute();
    return retired.length;
  });
}

/** From now on the organization has a key for texts, which is never removed. Called before the first text is sealed. */
export async function keyForTexts({ db, clock, vault }: Deps, sub_organization_id: number): Promise<void> {
  const { id } = await keyInUse({ db, clock, vault }, sub_organization_id);
  await db.updateTable("data_keys").set({ seals_texts: true }).where("id", "=", id).execute();
}

/** All keys that may have sealed an organization's texts, by their ids. */
export async function textKeys(
  { db, vault }: Pick<Deps, "db" | "vault">,
  sub_organization_id: number,
): Promise<Map<number, Buffer>> {
  const { rows } = await sql<KeyRow>`
    select k.id, k.sealed_key from sub_organizations s join data_keys k on k.organization_id = s.organization_id
    where s.id = ${sub_organization_id}`.execute(db);
  return new Map(rows.map((row) => [row.id, opened(vault, row).key]));
}

/** For files of what people said and sent; null where the organization doesn't seal. Index: data_keys_in_use. */
export async function keyForFiles(
  { db, vault }: Pick<Deps, "db" | "vault">,
  sub_organization_id: number,
): Promise<DataKey | null> {
  const { rows } = await sql<KeyRow>`
    select k.id, k.sealed_key from sub_organizations s
    join organizations o on o.id = s.organization_id and o.seals_texts
    join data_keys k on k.organization_id = o.id and k.retired_at is null
    where s.id = ${sub_organization_id}`.execute(db);
  return rows[0] ? opened(vault, rows[0]) : null;
}

/** Opens sealed texts wherever this database is read. */
export function openSealedTexts({ db, vault }: Pick<Deps, "db" | "vault">): void {
  const find = findDataKey({ db, vault });
  openSealedWith(db, async (id) => (await find(id).catch(() => null))?.key ?? null);
}

const sealedKey = (vault: Vault): string => vault.seal(randomBytes(32).toString("base64url"));
const opened = (vault: Vault, { id, sealed_key }: KeyRow): DataKey => ({
  id,
  key: Buffer.from(vault.open(sealed_key), "base64url"),
});

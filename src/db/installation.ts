import type pg from "pg";
import type { Clock } from "../base/clock.ts";
import type { Vault } from "../base/crypto.ts";

const KNOWN_TEXT = "parley";

/**
 * Whether this key is the one that the database's secrets are sealed with. The first start stores it; of two machines that
 * start at once with different keys, one wins and the other gets an error.
 */
export async function isKeyOfInstallation(pool: pg.Pool, vault: Vault, clock: Clock): Promise<boolean> {
  await pool.query(
    "insert into installation (key_check, created_at) values ($1, $2) on conflict (only_row) do nothing",
    [vault.seal(KNOWN_TEXT), clock.now().toISOString()],
  );
  const { rows } = await pool.query<{ key_check: string }>("select key_check from installation");
  try {
    return vault.open(rows[0]?.key_check ?? "") === KNOWN_TEXT;
  } catch {
    return false;
  }
}

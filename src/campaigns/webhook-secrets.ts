import type { Vault } from "../base/crypto.ts";
import { openSecret } from "../base/webhook-secret.ts";

type GivenSecrets = { auth_values?: { hmac_secret?: string | null | undefined } | null | undefined };

export type StoredSecrets = {
  sealed_hmac_secret: string | null;
  sealed_previous_hmac_secret: string | null;
  overlap_until: string | null;
};
export const NO_SECRETS: StoredSecrets = {
  sealed_hmac_secret: null,
  sealed_previous_hmac_secret: null,
  overlap_until: null,
};

/** How long a replaced secret still signs beside its successor, so that receivers can be updated one by one. */
const OVERLAP_ms = 24 * 3600_000;

/**
 * The rule of all write-only maps: a null value, or no map at all, keeps what is stored; an omitted key removes it. A
 * secret that is removed, or can't be read, signs nothing any more; one that is replaced does for a day.
 */
export function secretsAfter(
  vault: Vault,
  { auth_values }: GivenSecrets,
  stored: StoredSecrets,
  at: Date,
): StoredSecrets {
  const given = auth_values == null ? null : auth_values.hmac_secret;
  if (given === undefined) return NO_SECRETS;
  if (given === null) return stored;
  const sealed_hmac_secret = vault.seal(given);
  const sealed = stored.sealed_hmac_secret;
  const replaced = sealed === null ? null : openSecret(vault, sealed);
  if (replaced === given) return stored;
  if (replaced === null) return { ...NO_SECRETS, sealed_hmac_secret };
  const overlap_until = new Date(at.getTime() + OVERLAP_ms).toISOString();
  return { sealed_hmac_secret, sealed_previous_hmac_secret: sealed, overlap_until };
}

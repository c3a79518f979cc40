import { createHash } from "node:crypto";

/** A secret of a record: what an export writes a reference for. */
export type SecretPlace = { kind: string; record: string; secret: string };

/**
 * The variable of the environment for each secret, in order: `STRIPE_API_TOKEN`. Where two would share one, and where a
 * name has no letter that a variable may have, a checksum of the name tells them apart: it stays the same whatever else
 * is added or deleted, so that no secret ever goes to another service. Pure.
 */
export function secretVariables(places: readonly SecretPlace[]): string[] {
  const plain = places.map(({ record, secret }) => variableOf([record, secret]));
  const users = Map.groupBy(places.keys(), (at) => plain[at]);
  return places.map(({ kind, record, secret }, at) => {
    const isAlone = users.get(plain[at])?.length === 1;
    if (isAlone && upper(record) !== "" && upper(secret) !== "") return plain[at] as string;
    const checksum = createHash("sha256")
      .update(JSON.stringify([kind, record, secret]))
      .digest("hex")
      .slice(0, 8);
    return variableOf([record, checksum, secret]);
  });
}

function variableOf(parts: string[]): string {
  const name = upper(parts.join("_"));
  return /^[A-Z_]/.test(name) ? name : `SECRET_${name}`;
}

const upper = (text: string): string =>
  text
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, "_")
    .replaceAll(/^_+|_+$/g, "");

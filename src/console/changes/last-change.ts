/** Who changed a record last, and when. */
export type LastChange = { by: string | null; at: string | null };

/** Every record of the API has the time of its last change under one of these names. */
const TIMES = ["updated_at", "last_updated", "last_updated_at"] as const;

export function lastChange(record: object): LastChange {
  const said = record as Partial<Record<(typeof TIMES)[number] | "last_updated_by", string | null>>;
  const named = TIMES.find((name) => said[name]);
  return { by: said.last_updated_by ?? null, at: (named && said[named]) ?? null };
}

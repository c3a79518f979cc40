/** What is compared: a version and a newer one, or the draft, which is newer than all. */
export type ComparedStates = { before: number; after: number | "draft" };

/**
 * The two states that the address asks for, the older first in whatever order they were chosen. Left open, the live version
 * is compared with the newest other one. `numbers` are those of the versions, the newest first.
 */
export function comparedStates(
  numbers: readonly number[],
  live: number | undefined,
  asked: { before?: string; after?: string },
): ComparedStates {
  const one = Number(asked.before) || (live ?? numbers[0] ?? 0);
  const other =
    asked.after === "draft"
      ? "draft"
      : Number(asked.after) || (numbers.find((number) => number !== one) ?? "draft");
  if (other === "draft") return { before: one, after: other };
  return { before: Math.min(one, other), after: Math.max(one, other) };
}

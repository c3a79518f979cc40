import type { OthersSids } from "../../channels/carrier.ts";

/** A carrier's clock and ours, and those of our machines, may differ by so much; and it writes whole seconds. */
export const SLACK_MS = 6_000;

/**
 * Which of the calls or messages that look alike (newest first, as Twilio lists them) is the one that was asked for at
 * `since`. Neither shows its callback's address nor anything else of ours, so it is the first that no other of ours is
 * known to be. Two whose answers were lost at once are the same in all that can be seen, and each gets one of the two.
 */
export async function oursOf<T extends { sid: string; date_created?: string | null | undefined }>(
  alike: readonly T[],
  since: Date,
  others: OthersSids,
): Promise<T | null> {
  const earliest = since.getTime() - SLACK_MS;
  const candidates = alike.filter((each) => Date.parse(each.date_created ?? "") >= earliest);
  if (candidates.length === 0) return null;
  const known = await others(candidates.map(({ sid }) => sid));
  return candidates.findLast(({ sid }) => !known.has(sid)) ?? null;
}

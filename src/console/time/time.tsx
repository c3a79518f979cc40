import { formatDistance, formatTime, otherZone, useZone } from "./zone.ts";

type Props = {
  at: string | null | undefined;
  kind?: "full" | "minute" | "clock" | "day";
  distance?: boolean;
};

/** A time in the chosen zone; the same in the other zone, and how long ago, on hover. */
export function Time({ at, kind = "full", distance = false }: Props) {
  const chosen = useZone();
  if (!at) return <span>–</span>;
  const now = new Date();
  const other = otherZone(chosen);
  const shown = formatTime(at, chosen, kind);
  const ago = formatDistance(at, now);
  const title = `${formatTime(at, chosen)} (${chosen})\n${formatTime(at, other)} (${other})\n${ago}`;
  return (
    <time dateTime={at} title={title} style={{ whiteSpace: "var(--parley-time-wrap, nowrap)" as "nowrap" }}>
      {distance ? ago : shown}
    </time>
  );
}

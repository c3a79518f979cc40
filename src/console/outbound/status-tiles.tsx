import type { OutcomeCounts } from "../api-types.ts";
import { Status, type Tone } from "../parts/parts.tsx";
import { REQUEST_STATUSES, requestWords } from "./batch-words.ts";
import { spoken } from "./channel-statuses.ts";
import { Tile, Tiles } from "./tile.tsx";

type Breakdown = Record<string, { counts?: Record<string, number> | null | undefined }> | null | undefined;

const OUTCOMES: [keyof OutcomeCounts, string, Tone][] = [
  ["reached", "reached", "good"],
  ["voicemail_left", "voicemail left", "info"],
  ["not_reached", "not reached", "bad"],
  ["not_tried", "not tried", "quiet"],
  ["open", "open", "busy"],
];

/** The outcomes that matter to the person running the campaign. */
export const OutcomeTiles = ({ counts }: { counts: OutcomeCounts }) => (
  <Tiles>
    {OUTCOMES.filter(([name]) => name === "reached" || counts[name] > 0).map(([name, word, tone]) => (
      <Tile key={name} sign={<Status tone={tone}>{word}</Status>} count={counts[name]} />
    ))}
  </Tiles>
);

/** How many people are in which state, and within it what was last said of them. */
export function StatusTiles({ counts, details }: { counts: Record<string, number>; details?: Breakdown }) {
  const known = REQUEST_STATUSES.filter((status) => (counts[status] ?? 0) > 0);
  const others = Object.keys(counts).filter((status) => !(REQUEST_STATUSES as string[]).includes(status));
  return (
    <Tiles>
      {[...known, ...others].map((status) => {
        const within = Object.entries(details?.[status]?.counts ?? {}).filter(([, count]) => count > 0);
        const { tone, word } = requestWords(status);
        return (
          <Tile
            key={status}
            sign={<Status tone={tone}>{word}</Status>}
            count={counts[status] ?? 0}
            about={
              within.length === 1 && within[0]?.[0] === status
                ? null
                : within.map(([name, count]) => `${count.toLocaleString("en")} ${spoken(name)}`).join(", ")
            }
          />
        );
      })}
    </Tiles>
  );
}

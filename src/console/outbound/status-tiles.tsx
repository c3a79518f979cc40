import { Status } from "../ground/parts.tsx";
import { REQUEST_STATUSES, requestWords } from "./batch-words.ts";
import { spoken } from "./channel-statuses.ts";
import classes from "./outbound.module.css";

type Breakdown = Record<string, { counts?: Record<string, number> | null | undefined }> | null | undefined;

/** How many people are in which state, and within it what was last said of them. */
export function StatusTiles({ counts, details }: { counts: Record<string, number>; details?: Breakdown }) {
  const known = REQUEST_STATUSES.filter((status) => (counts[status] ?? 0) > 0);
  const others = Object.keys(counts).filter((status) => !(REQUEST_STATUSES as string[]).includes(status));
  return (
    <div className={classes.tiles}>
      {[...known, ...others].map((status) => {
        const within = Object.entries(details?.[status]?.counts ?? {}).filter(([, count]) => count > 0);
        const { tone, word } = requestWords(status);
        return (
          <div key={status} className={classes.tile}>
            <Status tone={tone}>{word}</Status>
            <b>{(counts[status] ?? 0).toLocaleString("en")}</b>
            {within.length > 0 && !(within.length === 1 && within[0]?.[0] === status) && (
              <span>
                {within.map(([name, count]) => `${count.toLocaleString("en")} ${spoken(name)}`).join(", ")}
              </span>
            )}
          </div>
        );
      })}
    </div>
  );
}

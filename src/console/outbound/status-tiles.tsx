import { Fragment } from "react";
import type { OutcomeCounts } from "../api-types.ts";
import { RouteLink, Status, type Tone } from "../parts/parts.tsx";
import { REQUEST_STATUSES, requestWords } from "./batch-words.ts";
import { spoken } from "./channel-statuses.ts";
import type { PeopleFilter } from "./people-link.ts";
import { Tile, Tiles } from "./tile.tsx";

type PeopleLink = (filter: PeopleFilter) => string;

type Breakdown = Record<string, { counts?: Record<string, number> | null | undefined }> | null | undefined;

const OUTCOMES: [keyof OutcomeCounts, string, Tone][] = [
  ["reached", "reached", "good"],
  ["voicemail_left", "voicemail left", "info"],
  ["not_reached", "not reached", "bad"],
  ["not_tried", "not tried", "quiet"],
  ["open", "open", "busy"],
];

/** The outcomes that matter to the person running the campaign. */
export const OutcomeTiles = ({ counts, link }: { counts: OutcomeCounts; link?: PeopleLink }) => (
  <Tiles title="Outcome">
    {OUTCOMES.filter(([name]) => name === "reached" || counts[name] > 0).map(([name, word, tone]) => (
      <Tile
        key={name}
        sign={<Status tone={tone}>{word}</Status>}
        count={counts[name]}
        to={link?.({ outcome: name })}
      />
    ))}
  </Tiles>
);

/** How many people are in which state, and within it what was last said of them. */
export function StatusTiles(props: {
  counts: Record<string, number>;
  details?: Breakdown;
  link?: PeopleLink;
}) {
  const { counts, details, link } = props;
  const known = REQUEST_STATUSES.filter((status) => (counts[status] ?? 0) > 0);
  const others = Object.keys(counts).filter((status) => !(REQUEST_STATUSES as string[]).includes(status));
  const statuses = [...known, ...others];
  if (statuses.length === 0) return null;
  return (
    <Tiles title="Status">
      {statuses.map((status) => {
        const within = Object.entries(details?.[status]?.counts ?? {}).filter(([, count]) => count > 0);
        const { tone, word } = requestWords(status);
        return (
          <Tile
            key={status}
            sign={<Status tone={tone}>{word}</Status>}
            count={counts[status] ?? 0}
            to={link?.({ request_status: status })}
            about={
              within.length === 1 && within[0]?.[0] === status ? null : (
                <Within status={status} counts={within} link={link} />
              )
            }
          />
        );
      })}
    </Tiles>
  );
}

/** "40 busy, 3 no answer", each a link to its people where there is a list. */
function Within(props: { status: string; counts: [string, number][]; link: PeopleLink | undefined }) {
  const { status, counts, link } = props;
  return counts.map(([name, count], index) => {
    const text = `${count.toLocaleString("en")} ${spoken(name)}`;
    return (
      <Fragment key={name}>
        {index > 0 && ", "}
        {link ? (
          <RouteLink to={link({ request_status: status, channel_manager_status: name })} underline="always">
            {text}
          </RouteLink>
        ) : (
          text
        )}
      </Fragment>
    );
  });
}

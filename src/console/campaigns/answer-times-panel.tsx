import { Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { AnswerHour, CampaignAnswerTimes } from "../api-types.ts";
import { counted } from "../parts/counted.ts";
import { Fetched, Panel, Scroller } from "../parts/parts.tsx";
import { call } from "../server/api.ts";
import classes from "./answer-times.module.css";

const DAYS = { mon: "Mon", tue: "Tue", wed: "Wed", thu: "Thu", fri: "Fri", sat: "Sat", sun: "Sun" } as const;
/** Percent; more, and the figures could not be read in it. */
const MOST_GREEN = 40;
const HOURS = Array.from({ length: 24 }, (_, hour) => hour);
/** Fewer say little of an hour. */
const LEAST_TRIED = 20;

/** When people answer, by weekday and hour of their own clocks. */
export function AnswerTimesPanel({ campaign_id }: { campaign_id: number }) {
  const times = useQuery({
    queryKey: ["campaign", campaign_id, "answer times"],
    queryFn: ({ signal }) =>
      call("GET /api/v1/outbound/campaigns/{campaign_id}/answer-times", { path: { campaign_id }, signal }),
  });
  return (
    <Panel title="When people answer">
      <Fetched query={times} lines={4}>
        {(found) =>
          found.total.tried === 0 ? (
            <Text size="sm">No calls in the last 60 days.</Text>
          ) : (
            <Stack gap="sm">
              <Text size="sm">{summaryOf(found)}</Text>
              <Scroller label="When people answer" className={classes.scroller}>
                <HourTable hours={found.hours} />
              </Scroller>
            </Stack>
          )
        }
      </Fetched>
    </Panel>
  );
}

const percent = (share: number | null): string => `${Math.round((share ?? 0) * 100)} %`;

function summaryOf({ total, hours }: CampaignAnswerTimes): string {
  const all = `${total.answered.toLocaleString("en")} of ${counted(total.tried, "call")} of the last 60 days were answered (${percent(total.rate)}), on each person's own clock.`;
  // Better than the whole, by more than chance explains.
  const better = hours.filter(({ tried, low }) => tried >= LEAST_TRIED && (low ?? 0) > (total.rate ?? 1));
  const [best] = better.toSorted((a, b) => (b.low ?? 0) - (a.low ?? 0));
  return best
    ? `${all} Best: ${DAYS[best.day]} ${best.hour}:00, ${percent(best.low)} to ${percent(best.high)}.`
    : `${all} No hour is better than the others by more than chance explains.`;
}

function HourTable({ hours }: { hours: AnswerHour[] }) {
  const found = new Map(hours.map((hour) => [`${hour.day} ${hour.hour}`, hour]));
  const most = Math.max(...hours.map(({ rate }) => rate ?? 0), 0.01);
  return (
    <table className={classes.hours} aria-label="Share of calls answered, by weekday and hour">
      <thead>
        <tr>
          <td />
          {HOURS.map((hour) => (
            <th key={hour} scope="col">
              {hour}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {Object.entries(DAYS).map(([day, name]) => (
          <tr key={day}>
            <th scope="row">{name}</th>
            {HOURS.map((hour) => (
              <HourCell
                key={hour}
                name={`${name} ${hour}:00`}
                hour={found.get(`${day} ${hour}`)}
                most={most}
              />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function HourCell({ name, hour, most }: { name: string; hour: AnswerHour | undefined; most: number }) {
  if (!hour) return <td />;
  const { tried, answered, rate, low, high } = hour;
  const told = `${name}: ${answered} of ${tried} answered, ${percent(low)} to ${percent(high)}`;
  return (
    <td
      title={told}
      data-few={tried < LEAST_TRIED}
      style={{ "--share": `${Math.round(((rate ?? 0) / most) * MOST_GREEN)}%` } as React.CSSProperties}
    >
      {Math.round((rate ?? 0) * 100)}
    </td>
  );
}

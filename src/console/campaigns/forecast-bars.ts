import type { CampaignForecast } from "../api-types.ts";
import { formatTime } from "../time/zone.ts";

/** The data of a bar in the chart and of a row in its table. */
export type Bar = {
  name: string;
  cap: number | null;
  "First attempts": number;
  Retries: number;
  reached: number;
};

/** One for each day of the agent's calendar. */
export const dayBars = ({ days }: CampaignForecast): Bar[] =>
  days.map(({ date, cap, first_attempts, retries, completed }) => ({
    name: formatTime(date, "UTC", "day"),
    cap,
    "First attempts": first_attempts,
    Retries: retries,
    reached: completed,
  }));

/** One for each hour with an attempt, on the clock of the agent. */
export const hourBars = ({ hours, timezone }: CampaignForecast): Bar[] =>
  hours.map(({ at, first_attempts, retries, completed }) => ({
    name: formatTime(at, timezone, "minute"),
    cap: null,
    "First attempts": first_attempts,
    Retries: retries,
    reached: completed,
  }));

/** The forecast knows no persons: who waits for their own hours can't be reached before the last of their zones opens. */
export const earliestEnd = (ends_at: string, own_hours: CampaignForecast["own_hours"]): string =>
  (own_hours?.zones ?? []).reduce(
    (latest, { opens_at }) => (Date.parse(opens_at) > Date.parse(latest) ? opens_at : latest),
    ends_at,
  );

import type { CampaignForecast } from "../api-types.ts";
import { toWall } from "../time/wall-time.ts";

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
    name: date,
    cap,
    "First attempts": first_attempts,
    Retries: retries,
    reached: completed,
  }));

/** One for each hour with an attempt, on the clock of the agent. */
export const hourBars = ({ hours, timezone }: CampaignForecast): Bar[] =>
  hours.map(({ at, first_attempts, retries, completed }) => ({
    name: toWall(at, timezone).replace("T", " "),
    cap: null,
    "First attempts": first_attempts,
    Retries: retries,
    reached: completed,
  }));

/** A whole number of 1 to 9999 and a unit: `90s`, `30m`, `12h`, `7d`, `2w`. */
export const RETRY_INTERVAL = /^[1-9]\d{0,3}[smhdw]$/;

const UNIT_s = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 } as const;

/** How long a campaign with retries waits when it doesn't say. */
const DEFAULT_s = UNIT_s.h;

/** From the end of an attempt to the next one. */
export const retryWait_s = (retry_interval: string | null): number =>
  retry_interval === null
    ? DEFAULT_s
    : Number(retry_interval.slice(0, -1)) * UNIT_s[retry_interval.slice(-1) as keyof typeof UNIT_s];

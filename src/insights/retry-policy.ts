import { askedWait } from "../egress/asked-wait.ts";
import { LATER, NEVER, type Retry } from "./tool-run.ts";

/** Waits before the second and the third try: after a short failure, and after a restart of the service. */
const LATER_MS = [30_000, 300_000];
/** A service's rate limit is retried for two hours, so that a backfill does not fail because it is fast. */
const ALLOWED_MS = [
  15_000, 30_000, 60_000, 120_000, 300_000, 600_000, 600_000, 600_000, 900_000, 900_000, 900_000,
];
/** The longest `Retry-After` that is honoured. */
const LONGEST_WAIT_MS = 3_600_000;

/** How long to wait before an execution is tried again; null: it has failed. `tries` counts those so far. Pure. */
export function retryWait(retry: Retry, tries: number): number | null {
  switch (retry.when) {
    case "never":
      return null;
    case "later":
      return LATER_MS[tries - 1] ?? null;
    case "after":
      return retry.wait_ms;
    case "allowed": {
      const wait = ALLOWED_MS[tries - 1];
      if (wait === undefined) return null;
      return Math.min(Math.max(wait, retry.retry_after_ms ?? 0), LONGEST_WAIT_MS);
    }
  }
}

/** After a service's answer that was no success. A rate limit that names a time is retried then. Pure. */
export function retryAfter(status: number, headers: Record<string, string>): Retry {
  const retry_after_ms = askedWait(headers);
  if (status === 429 || (status === 503 && retry_after_ms !== null))
    return { when: "allowed", retry_after_ms };
  return status >= 500 ? LATER : NEVER;
}

import { retryAfter as waitAsked } from "../llm/provider-error.ts";
import { LATER, NEVER, type Retry } from "./tool-run.ts";

/** Waits before the second and the third try: a service that stumbled, and one that is being restarted. */
const LATER_MS = [30_000, 300_000];
/** A service that lets nobody in for now is asked again for two hours: a backfill must not fail for being fast. */
const ALLOWED_MS = [
  15_000, 30_000, 60_000, 120_000, 300_000, 600_000, 600_000, 600_000, 900_000, 900_000, 900_000,
];
/** What a service asks to wait at most is waited for. */
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

/** After a service's answer that was no success. One that says until when nobody is let in is asked again then. Pure. */
export function retryAfter(status: number, headers: Record<string, string>): Retry {
  const retry_after_ms = waitAsked(headers);
  if (status === 429 || (status === 503 && retry_after_ms !== null))
    return { when: "allowed", retry_after_ms };
  return status >= 500 ? LATER : NEVER;
}

import { CarrierFault, type OurFault } from "../channels/carrier.ts";
import { askedWait } from "../egress/asked-wait.ts";
import type { ErrorMeaning } from "./error-meaning.ts";

type Answered = {
  /** What the fault says. */
  message: string;
  status: number;
  headers: Record<string, string>;
  /** What its error code means, if we know it. Takes precedence over the status. */
  meaning: ErrorMeaning | undefined;
  /** The carrier was asked to do something; after a 5xx nobody knows what became of it. */
  changes: boolean;
};

/** What an answer that is no success means for what a carrier's API was asked. */
export function answeredFault({ message, status, headers, meaning, changes }: Answered): CarrierFault {
  const told_ms = askedWait(headers);
  const retry = (after_s: number, ours: OurFault | null = null) =>
    new CarrierFault(message, "not-sent", {
      retry_after_s: told_ms === null ? after_s : told_ms / 1000,
      ours,
    });
  if (meaning?.fate === "not-sent") return retry(meaning.after_s, meaning.ours);
  if (meaning) return new CarrierFault(message, "refused", { status: meaning.status, ours: meaning.ours });
  if (status === 429) return retry(1);
  if (status === 401 || status === 403) return retry(300, "source");
  if (status >= 500) return new CarrierFault(message, changes ? "unknown" : "not-sent");
  return new CarrierFault(message, "refused", { status: "FAILED" });
}

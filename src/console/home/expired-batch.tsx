import { useQuery } from "@tanstack/react-query";
import type { CommunicationBatch } from "../api-types.ts";
import { batchPath } from "../outbound/batch-words.ts";
import { RouteLink, Status } from "../parts/parts.tsx";
import { call } from "../server/api.ts";
import { Time } from "../time/time.tsx";
import classes from "./home-page.module.css";

/** The batch whose time was up last. */
export async function newestExpired(signal: AbortSignal): Promise<CommunicationBatch | null> {
  const { items } = await call("GET /api/v1/outbound/batches", {
    query: {
      search_fields: ["status"],
      search_field_values: ["EXPIRED"],
      order_by: "expires_on",
      order_by_direction: "desc",
      limit: 1,
    },
    signal,
  });
  return items[0] ?? null;
}

/** How a batch ended whose time was up: whom it reached, and whom it did not. */
export function ExpiredBatch({ batch, refetch_ms }: { batch: CommunicationBatch; refetch_ms: number }) {
  const { batch_id, expires_on } = batch;
  const { data } = useQuery({
    queryKey: ["batch", batch_id, "home"],
    refetchInterval: refetch_ms,
    queryFn: ({ signal }) => call("GET /api/v1/outbound/batches/{batch_id}", { path: { batch_id }, signal }),
  });
  return (
    <li>
      <span className={classes.main}>
        <RouteLink to={batchPath(batch_id)}>
          <bdi>{batch_id}</bdi>
        </RouteLink>
        {data?.outcome_counts && <span className={classes.aside}>{outcomeWords(data.outcome_counts)}</span>}
      </span>
      <Status tone="quiet">
        Expired <Time at={expires_on} kind="minute" />
      </Status>
    </li>
  );
}

const OUTCOMES = [
  ["reached", "reached"],
  ["voicemail_left", "voicemail left"],
  ["not_reached", "not reached"],
  ["not_tried", "not tried"],
  ["open", "in progress"],
] as const;

const outcomeWords = (counts: Record<(typeof OUTCOMES)[number][0], number>): string => {
  const told = OUTCOMES.filter(([outcome]) => counts[outcome] > 0);
  return told.length === 0
    ? "Nobody in it"
    : told.map(([outcome, words]) => `${counts[outcome].toLocaleString("en")} ${words}`).join(", ");
};

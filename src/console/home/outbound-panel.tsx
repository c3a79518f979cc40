import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { CommunicationBatch } from "../api-types.ts";
import { boardQuery } from "../campaigns/board-query.ts";
import { StopOutreach } from "../outbound/outreach-stop.tsx";
import { Fetched, Panel, RouteLink, Status } from "../parts/parts.tsx";
import { call } from "../server/api.ts";
import { Sentence } from "../time/sentence.tsx";
import { ExpiredBatch, newestExpired } from "./expired-batch.tsx";
import classes from "./home-page.module.css";

const REFRESH_MS = 5000;
const LATEST = 50;
const SHOWN = 5;

/** The campaigns that have something to do, what each does now or waits for, and how the newest expired batch ended. */
export function OutboundPanel() {
  const batches = useQuery({
    queryKey: ["GET /api/v1/outbound/batches", "home"],
    refetchInterval: REFRESH_MS,
    queryFn: async ({ signal }) => {
      const query = { order_by: "last_updated_at", order_by_direction: "desc", limit: LATEST } as const;
      const [{ items }, expired] = await Promise.all([
        call("GET /api/v1/outbound/batches", { query, signal }),
        newestExpired(signal),
      ]);
      return { items, expired };
    },
  });
  return (
    <Panel
      title="Outbound"
      actions={
        <>
          <StopOutreach />
          <RouteLink to="/campaigns" size="sm">
            All campaigns
          </RouteLink>
        </>
      }
      flush
    >
      <Fetched query={batches} lines={1}>
        {({ items, expired }) => {
          const campaigns = campaignsAtWork(items);
          return campaigns.length === 0 && !expired ? (
            <Text size="sm" c="dimmed" p="md">
              No campaigns running.
            </Text>
          ) : (
            <ul className={classes.rows}>
              {campaigns.map((campaign_id) => (
                <CampaignRow key={campaign_id} campaign_id={campaign_id} />
              ))}
              {expired && <ExpiredBatch batch={expired} refetch_ms={REFRESH_MS} />}
            </ul>
          );
        }}
      </Fetched>
    </Panel>
  );
}

/** Open batches, the last changed first. */
function campaignsAtWork(batches: CommunicationBatch[]): number[] {
  const open = batches.filter(({ status }) => ["ACTIVE", "PENDING", "PAUSED"].includes(status));
  return [...new Set(open.map(({ campaign_id }) => campaign_id))].slice(0, SHOWN);
}

function CampaignRow({ campaign_id }: { campaign_id: number }) {
  const { data: board } = useQuery({ ...boardQuery(campaign_id), refetchInterval: REFRESH_MS });
  const waiting = board?.batches.reduce((sum, batch) => sum + batch.waiting, 0) ?? 0;
  const next = board?.batches.find((batch) => batch.waiting > 0) ?? board?.batches[0];
  return (
    <li>
      <span className={classes.main}>
        <RouteLink to={`/campaigns/${campaign_id}`}>
          <bdi>{board?.campaign_name ?? `Campaign ${campaign_id}`}</bdi>
        </RouteLink>
        {board && <span className={classes.aside}>{waiting.toLocaleString("en")} waiting</span>}
      </span>
      {board && board.under_way > 0 && <Status tone="busy">{board.under_way} under way</Status>}
      {board?.under_way === 0 && next && (
        <span className={classes.aside}>
          <Sentence text={reason(next.next_step.text)} isNow />
        </span>
      )}
    </li>
  );
}

/** That somebody waits stands before it: "Waiting: the batch is paused." is "The batch is paused." An address stays as it is. */
const reason = (text: string): string =>
  text.replace(/^Waiting: (\S+)/, (_, first: string) =>
    first.includes("@") ? first : first.charAt(0).toUpperCase() + first.slice(1),
  );

import { useQuery } from "@tanstack/react-query";
import { counted } from "../parts/counted.ts";
import { Fetched, Panel, RouteLink, Status } from "../parts/parts.tsx";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import classes from "./home-page.module.css";
import { insightRow, jobRow, type QueueRow, queueWords, webhookRow } from "./queue-rows.ts";

const REFRESH_MS = 10_000;
const DAY_MS = 24 * 3_600_000;
/** All failures are counted, but only this many are read for their reasons. */
const LOOKED_AT = 50;

const aDayAgo = () => new Date(Date.now() - DAY_MS).toISOString();

/** Waiting and failed work: insights, webhooks and, for operators, jobs. */
export function QueuesPanel() {
  const may = useMay();
  const seesInsights = may("insights_read");
  const seesWebhooks = may("outbound_read");
  const seesJobs = may("platform_admin");
  const queues = useQuery({
    queryKey: ["queues", seesInsights, seesWebhooks, seesJobs],
    refetchInterval: REFRESH_MS,
    queryFn: async ({ signal }) =>
      (
        await Promise.all([
          seesInsights && readInsights(signal),
          seesWebhooks && readWebhooks(signal),
          seesJobs && call("GET /api/v1/queues/", { signal }).then(jobRow),
        ])
      ).filter((row) => row !== false),
  });
  if (!(seesInsights || seesWebhooks || seesJobs)) return null;
  return (
    <Panel title="Queues" flush>
      <Fetched query={queues} lines={3}>
        {(rows) => (
          <ul className={classes.rows}>
            {rows.map((row) => (
              <Queue key={row.name} row={row} />
            ))}
          </ul>
        )}
      </Fetched>
    </Panel>
  );
}

const PAGES: Record<string, string> = { Insights: "/insights", Webhooks: "/campaigns" };

function Queue({ row }: { row: QueueRow }) {
  const words = queueWords(row);
  const page = PAGES[row.name];
  return (
    <li>
      <span className={classes.main}>{page ? <RouteLink to={page}>{row.name}</RouteLink> : row.name}</span>
      {row.failed === 0 ? (
        <Status tone={words === "" ? "good" : "busy"}>{words || "Empty"}</Status>
      ) : (
        <Status tone="bad">{words}</Status>
      )}
      {row.reasons.map(({ text, count }) => (
        <span key={text} className={classes.reason}>
          <bdi>{text}</bdi>
          {count > 1 && ` (${counted(count, "time")})`}
        </span>
      ))}
    </li>
  );
}

async function readInsights(signal: AbortSignal): Promise<QueueRow> {
  const of = (status: string, query: { limit: number; start_datetime?: string }) =>
    call("GET /api/v1/insights/executions/", {
      query: { search_fields: ["status"], search_field_values: [status], ...query },
      signal,
    });
  const [waiting, running, failed] = await Promise.all([
    of("PENDING", { limit: 1 }),
    of("PROCESSING", { limit: 1 }),
    of("FAILED", { limit: LOOKED_AT, start_datetime: aDayAgo() }),
  ]);
  return insightRow(waiting, running, failed);
}

async function readWebhooks(signal: AbortSignal): Promise<QueueRow> {
  const of = (state: string, query: { limit: number; start_datetime?: string }) =>
    call("GET /api/v1/outbound/webhook_deliveries", {
      query: { search_fields: ["state"], search_field_values: [state], ...query },
      signal,
    });
  const [waiting, failed] = await Promise.all([
    of("WAITING", { limit: 1 }),
    of("FAILED", { limit: LOOKED_AT, start_datetime: aDayAgo() }),
  ]);
  return webhookRow(waiting, failed);
}

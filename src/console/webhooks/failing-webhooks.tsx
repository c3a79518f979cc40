import { Alert } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { counted } from "../parts/counted.ts";
import { RouteLink } from "../parts/parts.tsx";
import { call } from "../server/api.ts";
import { Time } from "../time/time.tsx";

const LIST = "GET /api/v1/outbound/webhooks";
const REFRESH_MS = 10_000;
const LOOKED_AT = 25;
const SHOWN = 5;
/** Longer than a receiver takes to restart; by then the first retries have failed, too. */
const FAILING_MS = 10 * 60_000;

/** Webhooks whose receivers have accepted nothing for a while; long before they are disabled for it. */
export function FailingWebhooks({ campaign_id }: { campaign_id?: number }) {
  const failing = useQuery({
    queryKey: [LIST, "failing", campaign_id ?? null],
    refetchInterval: REFRESH_MS,
    queryFn: ({ signal }) =>
      call(LIST, {
        query: {
          search_fields: ["is_disabled", ...(campaign_id === undefined ? [] : ["campaign_id" as const])],
          search_field_values: ["false", ...(campaign_id === undefined ? [] : [String(campaign_id)])],
          // Those that don't fail come last.
          order_by: "failing_since",
          order_by_direction: "asc",
          limit: LOOKED_AT,
        },
        signal,
      }),
  });
  const shown =
    failing.data?.items.filter(
      ({ failing_since }) => failing_since && Date.parse(failing_since) < Date.now() - FAILING_MS,
    ) ?? [];
  if (shown.length === 0) return null;
  return (
    <Alert
      color="yellow"
      icon={<IconAlertTriangle size={18} />}
      title={
        shown.length === LOOKED_AT
          ? "Many webhooks are failing"
          : counted(shown.length, "webhook is failing", "webhooks are failing")
      }
    >
      {shown.slice(0, SHOWN).map(({ id, campaign_id, campaign_name, failing_since, waiting }) => (
        <div key={id}>
          <RouteLink to={`/campaigns/${campaign_id}?view=webhooks`} underline="always">
            Webhook {id} of <bdi>{campaign_name}</bdi>
          </RouteLink>
          : {counted(waiting, "delivery waits", "deliveries wait")}; failing since{" "}
          <Time at={failing_since as string} />
        </div>
      ))}
    </Alert>
  );
}

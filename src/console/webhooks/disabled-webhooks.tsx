import { Alert } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { counted } from "../parts/counted.ts";
import { RouteLink } from "../parts/parts.tsx";
import { call } from "../server/api.ts";
import { Time } from "../time/time.tsx";

const LIST = "GET /api/v1/outbound/webhooks";
const REFRESH_MS = 10_000;
const SHOWN = 5;

/**
 * Disabled webhooks. For one campaign, all of them; without one, only those that were disabled by failures, since
 * people know which they disabled themselves.
 */
export function DisabledWebhooks({ campaign_id }: { campaign_id?: number }) {
  const disabled = useQuery({
    queryKey: [LIST, "disabled", campaign_id ?? null],
    refetchInterval: REFRESH_MS,
    queryFn: ({ signal }) =>
      call(LIST, {
        query: {
          search_fields: ["is_disabled", ...(campaign_id === undefined ? [] : ["campaign_id" as const])],
          search_field_values: ["true", ...(campaign_id === undefined ? [] : [String(campaign_id)])],
          order_by: "disabled_at",
          order_by_direction: "desc",
        },
        signal,
      }),
  });
  const shown =
    disabled.data?.items.filter(({ failed_tries }) => campaign_id !== undefined || failed_tries > 0) ?? [];
  if (shown.length === 0) return null;
  return (
    <Alert
      color="red"
      icon={<IconAlertTriangle size={18} />}
      title={counted(shown.length, "webhook is disabled", "webhooks are disabled")}
    >
      {shown.slice(0, SHOWN).map(({ id, campaign_id, campaign_name, disabled_at, disabled_reason }) => (
        <div key={id}>
          <RouteLink to={`/campaigns/${campaign_id}?view=webhooks`} underline="always">
            Webhook {id} of <bdi>{campaign_name}</bdi>
          </RouteLink>
          : {disabled_reason} {disabled_at && <Time at={disabled_at} distance />}
        </div>
      ))}
      Their deliveries are held.
    </Alert>
  );
}

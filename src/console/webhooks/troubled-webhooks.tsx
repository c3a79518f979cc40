import { Alert } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { counted } from "../parts/counted.ts";
import { RouteLink } from "../parts/parts.tsx";
import { call, type Given } from "../server/api.ts";
import { Time } from "../time/time.tsx";

const LIST = "GET /api/v1/outbound/webhooks";
const REFRESH_MS = 10_000;
const LOOKED_AT = 25;
const SHOWN = 5;
/** Longer than a receiver takes to restart; by then the first retries have failed, too. */
const FAILING_MS = 10 * 60_000;

type Props = { campaign_id?: number };
type Query = NonNullable<Given<typeof LIST>["query"]>;

/** Webhooks that deliver nothing: disabled, or failing and not disabled yet. */
export const TroubledWebhooks = (props: Props) => (
  <>
    <DisabledWebhooks {...props} />
    <FailingWebhooks {...props} />
  </>
);

/**
 * Disabled webhooks. For one campaign, all of them; without one, only those that were disabled by failures, since
 * people know which they disabled themselves.
 */
function DisabledWebhooks({ campaign_id }: Props) {
  const shown = useWebhooks(campaign_id, true, {
    order_by: "disabled_at",
    order_by_direction: "desc",
  }).filter(({ failed_tries }) => campaign_id !== undefined || failed_tries > 0);
  if (shown.length === 0) return null;
  return (
    <Trouble color="red" title={counted(shown.length, "webhook is disabled", "webhooks are disabled")}>
      {shown.slice(0, SHOWN).map((webhook) => (
        <div key={webhook.id}>
          <WebhookLink {...webhook} />: {webhook.disabled_reason}{" "}
          {webhook.disabled_at && <Time at={webhook.disabled_at} distance />}
        </div>
      ))}
      Their deliveries are held.
    </Trouble>
  );
}

/** Webhooks whose receivers have accepted nothing for a while; long before they are disabled for it. */
function FailingWebhooks({ campaign_id }: Props) {
  // Those that don't fail come last.
  const order: Query = { order_by: "failing_since", order_by_direction: "asc", limit: LOOKED_AT };
  const shown = useWebhooks(campaign_id, false, order).filter(
    ({ failing_since }) => failing_since && Date.parse(failing_since) < Date.now() - FAILING_MS,
  );
  if (shown.length === 0) return null;
  const title =
    shown.length === LOOKED_AT
      ? "Many webhooks are failing"
      : counted(shown.length, "webhook is failing", "webhooks are failing");
  return (
    <Trouble color="yellow" title={title}>
      {shown.slice(0, SHOWN).map((webhook) => (
        <div key={webhook.id}>
          <WebhookLink {...webhook} />: {counted(webhook.waiting, "delivery waits", "deliveries wait")},
          failing since <Time at={webhook.failing_since as string} />
        </div>
      ))}
    </Trouble>
  );
}

function useWebhooks(campaign_id: number | undefined, is_disabled: boolean, order: Query) {
  const found = useQuery({
    queryKey: [LIST, is_disabled ? "disabled" : "failing", campaign_id ?? null],
    refetchInterval: REFRESH_MS,
    queryFn: ({ signal }) =>
      call(LIST, {
        query: {
          search_fields: ["is_disabled", ...(campaign_id === undefined ? [] : ["campaign_id" as const])],
          search_field_values: [
            String(is_disabled),
            ...(campaign_id === undefined ? [] : [String(campaign_id)]),
          ],
          ...order,
        },
        signal,
      }),
  });
  return found.data?.items ?? [];
}

const Trouble = ({ color, title, children }: { color: string; title: string; children: ReactNode }) => (
  <Alert color={color} icon={<IconAlertTriangle size={18} />} title={title}>
    {children}
  </Alert>
);

const WebhookLink = (webhook: { id: number; campaign_id: number; campaign_name: string }) => (
  <RouteLink to={`/campaigns/${webhook.campaign_id}?view=webhooks`} underline="always">
    Webhook {webhook.id} of <bdi>{webhook.campaign_name}</bdi>
  </RouteLink>
);

import { Radio, Stack, Switch } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { CampaignReachRules, CampaignReachRulesChange } from "../api-types.ts";
import { useAction } from "../parts/action.ts";
import { Fetched, Panel, RouteLink } from "../parts/parts.tsx";
import { showFailure } from "../parts/show-failure.ts";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";

const PURPOSES: Record<CampaignReachRules["purpose"], { label: string; description: string }> = {
  informational: {
    label: "Information",
    description: "A reminder, a result, a change: what people expect from you. Needs no consent on record.",
  },
  marketing: {
    label: "Marketing",
    description: "Offers and advertising. People without a consent on record for the channel are skipped.",
  },
  emergency: { label: "Emergency", description: "A warning that can't wait. Needs no consent on record." },
};

/** What the campaign contacts people for, which decides whose consent it needs; saved with the choice. */
export function PurposePanel({ campaign_id }: { campaign_id: number }) {
  const readOnly = !useMay()("outbound_write");
  const client = useQueryClient();
  const queryKey = ["campaign", campaign_id, "reach rules"];
  const path = { campaign_id };
  const rules = useQuery({
    queryKey,
    queryFn: ({ signal }) =>
      call("GET /api/v1/outbound/campaigns/{campaign_id}/reach-rules", { path, signal }),
  });
  const choose = useAction({
    mutationFn: (body: CampaignReachRulesChange) =>
      call("PUT /api/v1/outbound/campaigns/{campaign_id}/reach-rules", { path, body }),
    onSuccess(saved, { check_reassigned }) {
      client.setQueryData(queryKey, saved);
      const what = check_reassigned === undefined ? "Purpose" : "Number check";
      notifications.show({ message: `${what} saved. It applies from the next attempt on.`, color: "green" });
    },
    onError: showFailure,
  });
  return (
    <Panel title="Purpose" actions={<RouteLink to="/consents">Consents</RouteLink>}>
      <Fetched query={rules}>
        {({ purpose, check_reassigned }) => (
          <Stack gap="md">
            <Radio.Group
              aria-label="What the campaign contacts people for"
              value={choose.isPending ? choose.variables.purpose : purpose}
              onChange={(value) => choose.mutate({ purpose: value as CampaignReachRules["purpose"] })}
            >
              <Stack gap="xs">
                {Object.entries(PURPOSES).map(([value, said]) => (
                  <Radio key={value} value={value} disabled={readOnly || choose.isPending} {...said} />
                ))}
              </Stack>
            </Radio.Group>
            <Switch
              label="Check for reassigned numbers"
              description="Asks the carrier before the first attempt, and skips numbers that were given to somebody else since the consent or last_verified. Each question costs."
              checked={check_reassigned}
              disabled={readOnly || choose.isPending}
              onChange={({ currentTarget: { checked } }) =>
                choose.mutate({ purpose, check_reassigned: checked })
              }
            />
          </Stack>
        )}
      </Fetched>
    </Panel>
  );
}

import { Autocomplete, Group, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { CampaignGoalSetting } from "../api-types.ts";
import { RouteLink } from "../parts/parts.tsx";
import type { FieldsForm } from "../records/record-form.tsx";
import { SettingsPanel } from "../records/settings-panel.tsx";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";

/** Keys are offered from the newest results. */
const MOST_FOUND = 100;
const LABELS = { insight_key: "Insight key", value: "Result" };

type Values = { insight_key: string; value: string };

/** The insight whose result is the success of the campaign. */
export const GoalPanel = ({ campaign_id }: { campaign_id: number }) => (
  <SettingsPanel<CampaignGoalSetting, Values>
    title="Goal"
    noun="Goal"
    actions={<RouteLink to="/insights">Insights</RouteLink>}
    queryKey={["campaign", campaign_id, "goal"]}
    read={() => call("GET /api/v1/outbound/campaigns/{campaign_id}/goal", { path: { campaign_id } })}
    save={(values) =>
      call("PUT /api/v1/outbound/campaigns/{campaign_id}/goal", {
        path: { campaign_id },
        body: { goal: goalOf(values) },
      })
    }
    values={({ goal }) => ({ insight_key: goal?.insight_key ?? "", value: goal?.value ?? "" })}
    labels={LABELS}
    permission="outbound_write"
    verb="Save goal"
    invalidates={[["campaign", campaign_id]]}
  >
    {(form) => <GoalFields form={form} />}
  </SettingsPanel>
);

const goalOf = ({ insight_key, value }: Values) =>
  insight_key.trim() === "" ? null : { insight_key: insight_key.trim(), value: value === "" ? null : value };

function GoalFields({ form }: { form: FieldsForm<Values> }) {
  const found = useQuery({
    queryKey: ["GET /api/v1/insights/", "keys"],
    enabled: useMay()("insights_read"),
    queryFn: ({ signal }) => call("GET /api/v1/insights/", { query: { limit: MOST_FOUND }, signal }),
  });
  const keys = [...new Set((found.data?.items ?? []).map((result) => result.insight_key))];
  return (
    <>
      <Text size="sm">
        The board counts conversations in which an insight found this result. Earlier conversations are
        counted after a change. Without an insight key there is no goal.
      </Text>
      <Group align="flex-start" gap="sm">
        <Autocomplete
          label={LABELS.insight_key}
          data={keys}
          maxLength={200}
          {...form.getInputProps("insight_key")}
        />
        <TextInput label={LABELS.value} placeholder="any" maxLength={1000} {...form.getInputProps("value")} />
      </Group>
    </>
  );
}

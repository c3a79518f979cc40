import { Autocomplete, Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { CampaignGoal } from "../api-types.ts";
import { useAction } from "../parts/action.ts";
import { Failure, Fetched, Panel, RouteLink } from "../parts/parts.tsx";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";

/** Keys are offered from the newest results. */
const MOST_FOUND = 100;

/** The insight whose result is the success of the campaign. */
export function GoalPanel({ campaign_id }: { campaign_id: number }) {
  const setting = useQuery({
    queryKey: ["campaign", campaign_id, "goal"],
    queryFn: ({ signal }) =>
      call("GET /api/v1/outbound/campaigns/{campaign_id}/goal", { path: { campaign_id }, signal }),
  });
  return (
    <Panel title="Goal" actions={<RouteLink to="/insights">Insights</RouteLink>}>
      <Fetched query={setting}>
        {({ goal }) => <GoalForm key={JSON.stringify(goal)} campaign_id={campaign_id} goal={goal} />}
      </Fetched>
    </Panel>
  );
}

function GoalForm({ campaign_id, goal }: { campaign_id: number; goal: CampaignGoal | null }) {
  const may = useMay();
  const client = useQueryClient();
  const readOnly = !may("outbound_write");
  const [insight_key, setKey] = useState(goal?.insight_key ?? "");
  const [value, setValue] = useState(goal?.value ?? "");
  const found = useQuery({
    queryKey: ["GET /api/v1/insights/", "keys"],
    enabled: may("insights_read"),
    queryFn: ({ signal }) => call("GET /api/v1/insights/", { query: { limit: MOST_FOUND }, signal }),
  });
  const save = useAction({
    mutationFn: (next: CampaignGoal | null) =>
      call("PUT /api/v1/outbound/campaigns/{campaign_id}/goal", {
        path: { campaign_id },
        body: { goal: next },
      }),
    async onSuccess() {
      notifications.show({ message: "Goal saved. Earlier conversations are being counted.", color: "green" });
      await client.invalidateQueries({ queryKey: ["campaign", campaign_id] });
    },
  });
  const named = insight_key.trim();
  return (
    <Stack gap="sm">
      <Text size="sm">The board counts conversations in which an insight found this result.</Text>
      <Group align="flex-end" gap="sm">
        <Autocomplete
          label="Insight key"
          data={[...new Set((found.data?.items ?? []).map((result) => result.insight_key))]}
          value={insight_key}
          onChange={setKey}
          readOnly={readOnly}
          maxLength={200}
        />
        <TextInput
          label="Result"
          placeholder="any"
          value={value}
          onChange={(event) => setValue(event.currentTarget.value)}
          readOnly={readOnly}
          maxLength={1000}
        />
        {!readOnly && (
          <Button
            variant="default"
            loading={save.isPending}
            disabled={named === ""}
            onClick={() => save.mutate({ insight_key: named, value: value === "" ? null : value })}
          >
            Save goal
          </Button>
        )}
        {!readOnly && goal !== null && (
          <Button variant="subtle" loading={save.isPending} onClick={() => save.mutate(null)}>
            Remove goal
          </Button>
        )}
      </Group>
      {save.error && <Failure error={save.error} />}
    </Stack>
  );
}

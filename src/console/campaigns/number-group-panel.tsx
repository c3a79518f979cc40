import { Select, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { CampaignNumberGroup } from "../api-types.ts";
import { RouteLink } from "../parts/parts.tsx";
import { SettingsPanel } from "../records/settings-panel.tsx";
import { call } from "../server/api.ts";

const MOST_GROUPS = 200;

/** The number group that the campaign sends from. */
export const NumberGroupPanel = ({ campaign_id, mode }: { campaign_id: number; mode: string }) => (
  <SettingsPanel<CampaignNumberGroup, CampaignNumberGroup>
    title="Number group"
    noun="Number group"
    queryKey={["campaign", campaign_id, "number group"]}
    read={() => call("GET /api/v1/outbound/campaigns/{campaign_id}/number-group", { path: { campaign_id } })}
    save={(body) =>
      call("PUT /api/v1/outbound/campaigns/{campaign_id}/number-group", { path: { campaign_id }, body })
    }
    values={({ number_group_id }) => ({ number_group_id })}
    labels={{ number_group_id: "Number group" }}
    permission="outbound_write"
    verb="Review the number group"
    invalidates={[["campaign", campaign_id], ["number group"]]}
  >
    {(form) => {
      const { number_group_id } = form.getValues();
      return (
        <>
          <GroupSelect
            mode={mode}
            value={number_group_id}
            onChange={(id) => form.setFieldValue("number_group_id", id)}
            error={form.errors.number_group_id}
          />
          {number_group_id !== null && (
            <Text size="sm">
              <RouteLink to={`/number-groups/${number_group_id}`}>See its numbers</RouteLink>
            </Text>
          )}
        </>
      );
    }}
  </SettingsPanel>
);

function GroupSelect(props: {
  mode: string;
  value: number | null;
  onChange(id: number | null): void;
  error: React.ReactNode;
}) {
  const { mode, value, onChange, error } = props;
  const groups = useQuery({
    queryKey: ["GET /api/v1/outbound/number-groups/", "names", mode],
    queryFn: ({ signal }) =>
      call("GET /api/v1/outbound/number-groups/", {
        query: { limit: MOST_GROUPS, order_by: "name", search_fields: ["mode"], search_field_values: [mode] },
        signal,
      }),
  });
  return (
    <Select
      label="Number group"
      description="Attempts show a number of the group. Empty: the campaign's source or caller ID."
      placeholder="None"
      clearable
      searchable
      data={(groups.data?.items ?? []).map(({ id, name }) => ({ value: String(id), label: name }))}
      value={value === null ? null : String(value)}
      onChange={(id) => onChange(id === null ? null : Number(id))}
      error={error}
    />
  );
}

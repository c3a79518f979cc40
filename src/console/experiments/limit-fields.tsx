import { Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import { CampaignSelect } from "./campaign-select.tsx";
import type { ExperimentForm } from "./variant-fields.tsx";

const TARGETS = "GET /api/v1/channels/targets";
const OFFERED = 200;

const numberOf = (value: string | null): number | null => (value === null ? null : Number(value));

/** Only a part of the agent's traffic: one of its addresses, one campaign. */
export function LimitFields({ form, agent_id }: { form: ExperimentForm; agent_id: number }) {
  const may = useMay();
  const { channel_target_id, campaign_id } = form.getValues();
  const targets = useQuery({
    queryKey: [TARGETS, "of agent", agent_id],
    enabled: may("channels_read"),
    queryFn: ({ signal }) =>
      call(TARGETS, {
        query: { search_fields: ["agent_id"], search_field_values: [String(agent_id)], limit: OFFERED },
        signal,
      }),
  });
  const addresses = (targets.data?.items ?? []).map(({ id, target, channel_name }) => ({
    value: String(id),
    label: `${target} (${channel_name})`,
  }));
  return (
    <>
      <Select
        label="Address"
        description="Only sessions of this address take part. Empty: all."
        data={withChosen(addresses, channel_target_id)}
        searchable
        clearable
        value={channel_target_id === null ? null : String(channel_target_id)}
        onChange={(id) => form.setFieldValue("channel_target_id", numberOf(id))}
        error={form.errors.channel_target_id}
      />
      <CampaignSelect
        agent_id={agent_id}
        value={campaign_id}
        onChange={(id) => form.setFieldValue("campaign_id", id)}
        error={form.errors.campaign_id}
      />
    </>
  );
}

/** What was chosen is offered although this person may not list it. */
const withChosen = (options: { value: string; label: string }[], chosen: number | null) =>
  chosen === null || options.some(({ value }) => value === String(chosen))
    ? options
    : [{ value: String(chosen), label: `Number ${chosen}` }, ...options];

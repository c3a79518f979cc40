import { NumberInput, Select, Text } from "@mantine/core";
import type { CampaignDialingSettings, CampaignDialingState } from "../api-types.ts";
import { numberOrNull, SettingsPanel } from "../records/settings-panel.tsx";
import { call } from "../server/api.ts";
import { worded } from "../server/field-labels.ts";

const PRIORITIES = [
  { value: "5", label: "5, highest" },
  { value: "4", label: "4, high" },
  { value: "3", label: "3, normal" },
  { value: "2", label: "2, low" },
  { value: "1", label: "1, lowest" },
];

/** How many attempts the campaign may have at once, and whose turn it is while lines are short. */
export const DialingPanel = ({ campaign_id }: { campaign_id: number }) => (
  <SettingsPanel<CampaignDialingState, CampaignDialingSettings>
    title="Concurrency and priority"
    noun="Concurrency and priority"
    queryKey={["campaign", campaign_id, "dialing settings"]}
    read={() =>
      call("GET /api/v1/outbound/campaigns/{campaign_id}/dialing-settings", { path: { campaign_id } })
    }
    save={(body) =>
      call("PUT /api/v1/outbound/campaigns/{campaign_id}/dialing-settings", { path: { campaign_id }, body })
    }
    values={({ max_concurrent, priority }) => ({ max_concurrent, priority })}
    labels={{ max_concurrent: "Attempts at once", priority: worded("Priority", PRIORITIES) }}
    permission="outbound_write"
    verb="Review concurrency"
    invalidates={[["campaign", campaign_id]]}
  >
    {(form, { under_way }) => (
      <>
        <Text size="sm">Attempts under way: {under_way}.</Text>
        <NumberInput
          label="Attempts at once"
          description="The campaign starts none beyond this limit. Empty: the limits of its numbers and the organization."
          placeholder="No limit"
          min={1}
          max={10_000}
          allowDecimal={false}
          thousandSeparator=","
          value={form.getValues().max_concurrent ?? ""}
          onChange={(value) => form.setFieldValue("max_concurrent", numberOrNull(value))}
          error={form.errors.max_concurrent}
        />
        <Select
          label="Priority"
          description="While lines are short, each priority gets about twice the share of the one below."
          data={PRIORITIES}
          allowDeselect={false}
          value={String(form.getValues().priority)}
          onChange={(value) => form.setFieldValue("priority", Number(value))}
          error={form.errors.priority}
        />
      </>
    )}
  </SettingsPanel>
);

import { NumberInput, Text } from "@mantine/core";
import type { CampaignSpendCap, CampaignSpending } from "../api-types.ts";
import { numberOrNull, SettingsPanel } from "../records/settings-panel.tsx";
import { call } from "../server/api.ts";

/** What the campaign has spent, and how much it may. */
export const SpendingPanel = ({ campaign_id }: { campaign_id: number }) => (
  <SettingsPanel<CampaignSpending, CampaignSpendCap>
    title="Spending"
    noun="Spend cap"
    queryKey={["campaign", campaign_id, "spending"]}
    read={() => call("GET /api/v1/outbound/campaigns/{campaign_id}/spending", { path: { campaign_id } })}
    save={(body) =>
      call("PUT /api/v1/outbound/campaigns/{campaign_id}/spending", { path: { campaign_id }, body })
    }
    values={({ cap_usd }) => ({ cap_usd })}
    labels={{ cap_usd: "Spend cap" }}
    permission="outbound_write"
    verb="Review the cap"
    invalidates={[["campaign", campaign_id]]}
  >
    {(form, { spent_usd, carrier_usd }) => (
      <>
        <Text size="sm">
          {carrier_usd > 0
            ? `Spent so far: $${spent_usd.toFixed(2)}, including $${carrier_usd.toFixed(2)} estimated carrier fees.`
            : `Spent so far: $${spent_usd.toFixed(2)}, without carrier fees: no price is stated.`}
        </Text>
        <NumberInput
          label="Spend cap"
          description="No one is contacted once this much is spent. Conversations under way continue. Empty: no cap."
          placeholder="No cap"
          prefix="$"
          min={0.01}
          decimalScale={2}
          thousandSeparator=","
          value={form.getValues().cap_usd ?? ""}
          onChange={(value) => form.setFieldValue("cap_usd", numberOrNull(value))}
          error={form.errors.cap_usd}
        />
      </>
    )}
  </SettingsPanel>
);

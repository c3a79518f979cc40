import { NumberInput, Text } from "@mantine/core";
import type { CampaignRetryHours, CampaignRetryHoursState } from "../api-types.ts";
import { numberOrNull, SettingsPanel } from "../records/settings-panel.tsx";
import { call } from "../server/api.ts";

/** Whether retries move to hours in which more people answer, and which hours these are. */
export const RetryHoursPanel = ({ campaign_id }: { campaign_id: number }) => (
  <SettingsPanel<CampaignRetryHoursState, CampaignRetryHours>
    title="Retries at better hours"
    noun="Retries at better hours"
    queryKey={["campaign", campaign_id, "retry hours"]}
    read={() => call("GET /api/v1/outbound/campaigns/{campaign_id}/retry-hours", { path: { campaign_id } })}
    save={(body) =>
      call("PUT /api/v1/outbound/campaigns/{campaign_id}/retry-hours", { path: { campaign_id }, body })
    }
    values={({ within_hours }) => ({ within_hours })}
    labels={{ within_hours: "Hours later at most" }}
    permission="outbound_write"
    verb="Review retry hours"
    invalidates={[["campaign", campaign_id]]}
  >
    {(form, state) => (
      <>
        <Text size="sm">{learnedText(state)}</Text>
        <NumberInput
          label="Hours later at most"
          description="Retries of calls wait at most this long for an hour in which more people answer. Empty: retries keep their time."
          placeholder="Off"
          min={1}
          max={72}
          allowDecimal={false}
          value={form.getValues().within_hours ?? ""}
          onChange={(value) => form.setFieldValue("within_hours", numberOrNull(value))}
          error={form.errors.within_hours}
        />
      </>
    )}
  </SettingsPanel>
);

const percent = (share: number): string => `${Math.round(share * 100)} %`;

function learnedText({ within_hours, better_hours }: CampaignRetryHoursState): string {
  if (within_hours === null) return "Off: retries keep their time.";
  if (better_hours.length === 0)
    return "No hour is better than the others by more than chance explains, so retries keep their time.";
  const hours = better_hours.map(({ hour, low, high }) => `${hour}:00 (${percent(low)} to ${percent(high)})`);
  const [{ others_low, others_high }] = better_hours as [(typeof better_hours)[0]];
  return `More people answer at ${hours.join(", ")} on their own clock; at other hours ${percent(others_low)} to ${percent(others_high)}.`;
}

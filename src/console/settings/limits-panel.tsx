import { NumberInput, SimpleGrid } from "@mantine/core";
import type { LimitState, OrganizationLimits, OrganizationOwnLimits } from "../api-types.ts";
import { numberOrNull, SettingsPanel } from "../records/settings-panel.tsx";
import { call } from "../server/api.ts";

type LimitName = keyof OrganizationOwnLimits;
type Values = Record<LimitName, number | null>;

const LIMITS: Record<LimitName, { label: string; now: string; prefix?: string }> = {
  calls_at_once: { label: "Calls at once", now: "in use" },
  attempts_per_number: { label: "Attempts at once from a number", now: "from the busiest" },
  model_usd_per_day: { label: "Models, dollars a day", now: "today", prefix: "$" },
  model_tokens_per_day: { label: "Models, tokens a day", now: "today" },
  visitors_per_minute: { label: "New web chats a minute", now: "this minute" },
  token_calls_per_minute: { label: "Calls with API tokens a minute", now: "this minute" },
  stored_gb: { label: "Storage, GB", now: "stored" },
};
const NAMES = Object.keys(LIMITS) as LimitName[];

/** What the organization allows itself, below what the operator of the installation allows it. */
export const LimitsPanel = () => (
  <SettingsPanel<OrganizationLimits, Values>
    title="Limits"
    noun="Limits"
    queryKey={["organization-limits"]}
    read={() => call("GET /api/v1/organizations/limits", {})}
    save={(body) => call("PUT /api/v1/organizations/limits", { body })}
    values={(found) => Object.fromEntries(NAMES.map((name) => [name, found[name].own])) as Values}
    labels={Object.fromEntries(NAMES.map((name) => [name, LIMITS[name].label]))}
    permission="organizations_write"
  >
    {(form, limits) => (
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
        {NAMES.map((name) => (
          <NumberInput
            key={name}
            label={LIMITS[name].label}
            description={amountText(limits[name], LIMITS[name])}
            placeholder="Installation's limit"
            min={1}
            max={limits[name].installation}
            clampBehavior="none"
            allowDecimal={false}
            allowNegative={false}
            thousandSeparator=","
            prefix={LIMITS[name].prefix ?? ""}
            value={form.getValues()[name] ?? ""}
            onChange={(value) => form.setFieldValue(name, numberOrNull(value))}
            error={form.errors[name]}
          />
        ))}
      </SimpleGrid>
    )}
  </SettingsPanel>
);

function amountText(
  { used, installation }: LimitState,
  { now, prefix = "" }: { now: string; prefix?: string },
) {
  const shown = (amount: number) => `${prefix}${amount.toLocaleString("en", { maximumFractionDigits: 2 })}`;
  return `${shown(used)} ${now}. The installation allows ${shown(installation)}.`;
}

import { Group, Select, Text } from "@mantine/core";
import type { AgentRetention } from "../../api-types.ts";
import { NumberField } from "../../parts/number-field.tsx";
import { SettingsPanel } from "../../records/settings-panel.tsx";
import { call } from "../../server/api.ts";
import { worded } from "../../server/field-labels.ts";

const KINDS = {
  recording: "Recordings",
  session: "Sessions and transcripts",
  trace: "Traces",
  request: "Model and tool requests",
  insight: "Insight results",
} as const;
type Kind = keyof typeof KINDS;
const KIND_NAMES = Object.keys(KINDS) as Kind[];

/** So many days, or a choice. */
type Days = number | "organization" | "forever";
type Values = { retention: Record<Kind, Days> };

const CHOICES = [
  { value: "organization", label: "As the organization" },
  { value: "forever", label: "Forever" },
  { value: "days", label: "Days" },
];
/** The API leaves out what is kept as the organization keeps it, and has null for what is kept for good. */
const daysOf = ({ retention }: AgentRetention): Values => ({
  retention: Object.fromEntries(
    KIND_NAMES.map((kind) => [kind, kind in retention ? (retention[kind] ?? "forever") : "organization"]),
  ) as Values["retention"],
});
const DAYS_AT_FIRST = 30;
const LABELS = Object.fromEntries(
  KIND_NAMES.map((kind) => [`retention.${kind}`, worded(`${KINDS[kind]} (days)`, CHOICES)]),
);

/** How long the agent's conversations are kept, where that differs from the organization. */
export function RetentionSection({ agent_id }: { agent_id: number }) {
  const path = { agent_id };
  return (
    <SettingsPanel<AgentRetention, Values>
      title="Retention"
      noun="Retention"
      queryKey={["agent", agent_id, "retention"]}
      read={() => call("GET /api/v1/agents/{agent_id}/retention", { path })}
      save={({ retention }) =>
        call("PUT /api/v1/agents/{agent_id}/retention", { path, body: { retention: named(retention) } })
      }
      values={daysOf}
      labels={LABELS}
      permission="organizations_write"
      verb="Review retention"
    >
      {(form) => {
        const { retention } = form.getValues();
        const set = (kind: Kind, days: Days) =>
          form.setFieldValue("retention", { ...retention, [kind]: days });
        return (
          <>
            <Text size="sm">
              What is older is deleted for good once a day. Sessions on legal hold are kept.
            </Text>
            {KIND_NAMES.map((kind) => (
              <Group key={kind} gap="xs" align="flex-end">
                <Select
                  w={220}
                  label={KINDS[kind]}
                  data={CHOICES}
                  allowDeselect={false}
                  value={typeof retention[kind] === "number" ? "days" : retention[kind]}
                  onChange={(choice) => set(kind, choice === "days" ? DAYS_AT_FIRST : (choice as Days))}
                />
                {typeof retention[kind] === "number" && (
                  <NumberField
                    w={120}
                    aria-label={`Days of ${KINDS[kind].toLowerCase()}`}
                    suffix=" days"
                    min={1}
                    max={36_500}
                    allowDecimal={false}
                    allowNegative={false}
                    value={retention[kind]}
                    onNumber={(days) => set(kind, days)}
                    error={form.errors[`retention.${kind}`]}
                  />
                )}
              </Group>
            ))}
          </>
        );
      }}
    </SettingsPanel>
  );
}

/** Kinds that are as the organization's are not sent. */
const named = (retention: Values["retention"]): Partial<Record<Kind, number | null>> =>
  Object.fromEntries(
    Object.entries(retention).flatMap(([kind, days]) =>
      days === "organization" ? [] : [[kind, days === "forever" ? null : days]],
    ),
  );

import { ActionIcon, Checkbox, Group, Select, Text, TextInput } from "@mantine/core";
import { IconTrash } from "@tabler/icons-react";
import type { ReactNode } from "react";
import type { CampaignRetryRules, RetryRule } from "../api-types.ts";
import { OUTCOME_WORDS, spoken } from "../outbound/channel-statuses.ts";
import { NumberField } from "../parts/number-field.tsx";
import type { FieldsForm } from "../records/record-form.tsx";
import { SettingsPanel } from "../records/settings-panel.tsx";
import { call } from "../server/api.ts";
import { worded } from "../server/field-labels.ts";
import { useMay } from "../server/me.tsx";
import { AddRow } from "./add-row.tsx";

const OUTCOMES: RetryRule["outcome"][] = [
  "BUSY",
  "NO-ANSWER",
  "MACHINE",
  "FAILED",
  "SIP_TEMPORARILY_UNAVAILABLE",
  "NO_OUTCOME",
  "UNDELIVERED",
  "DELIVERY_FAILED",
  "UNEXPECTED_ERROR",
];
/** What a first rule after an outcome usually is. */
const USUAL: Partial<Record<RetryRule["outcome"], Partial<RetryRule>>> = {
  BUSY: { wait: "10m", max_retries: 3 },
  "NO-ANSWER": { wait: "1d", max_retries: 2, another_hour: true },
  MACHINE: { wait: "4h", max_retries: 1 },
};

/** As the review of a change calls them. */
const LABELS = {
  rules: "Rules",
  "rules.*.outcome": worded("Outcome", OUTCOME_WORDS),
  "rules.*.wait": "Retry after",
  "rules.*.max_retries": "Retries",
  "rules.*.another_hour": "At another hour",
};

/** When and how often a person is tried again after each outcome. */
export const RetryRulesPanel = ({ campaign_id }: { campaign_id: number }) => (
  <SettingsPanel<CampaignRetryRules, CampaignRetryRules>
    title="Retries by outcome"
    noun="Retry rules"
    queryKey={["campaign", campaign_id, "retry rules"]}
    read={() => call("GET /api/v1/outbound/campaigns/{campaign_id}/retry-rules", { path: { campaign_id } })}
    save={(body) =>
      call("PUT /api/v1/outbound/campaigns/{campaign_id}/retry-rules", { path: { campaign_id }, body })
    }
    values={({ rules }) => ({ rules })}
    labels={LABELS}
    permission="outbound_write"
    verb="Save retry rules"
    invalidates={[["campaign", campaign_id]]}
  >
    {(form) => <RuleRows form={form} />}
  </SettingsPanel>
);

function RuleRows({ form }: { form: FieldsForm<CampaignRetryRules> }) {
  const readOnly = !useMay()("outbound_write");
  const { rules } = form.getValues();
  const setRules = (next: RetryRule[]) => form.setFieldValue("rules", next);
  const unused = OUTCOMES.filter((outcome) => !rules.some((rule) => rule.outcome === outcome));
  const change = (index: number, more: Partial<RetryRule>) =>
    setRules(rules.with(index, { ...(rules[index] as RetryRule), ...more }));
  const add = (outcome: RetryRule["outcome"]) =>
    setRules([...rules, { outcome, wait: null, max_retries: 1, another_hour: false, ...USUAL[outcome] }]);
  return (
    <>
      <Text size="sm">
        After other outcomes, the retries of the settings below apply. Changes apply from the next attempt
        that ends.
      </Text>
      {rules.map((rule, index) => (
        <RuleRow
          key={rule.outcome}
          rule={rule}
          others={unused}
          readOnly={readOnly}
          errorOf={(field) => form.errors[`rules.${index}.${field}`]}
          onChange={(more) => change(index, more)}
          onRemove={() => setRules(rules.toSpliced(index, 1))}
        />
      ))}
      {!readOnly && (
        <AddRow noun="retry rule" disabled={unused.length === 0} onAdd={() => unused[0] && add(unused[0])} />
      )}
    </>
  );
}

type RowProps = {
  rule: RetryRule;
  /** Outcomes without a rule. */
  others: RetryRule["outcome"][];
  readOnly: boolean;
  errorOf(field: keyof RetryRule): ReactNode;
  onChange(more: Partial<RetryRule>): void;
  onRemove(): void;
};

const RuleRow = ({ rule, others, readOnly, errorOf, onChange, onRemove }: RowProps) => (
  <Group align="flex-end" gap="sm">
    <Select
      label="Outcome"
      data={[rule.outcome, ...others].map((value) => ({ value, label: spoken(value) }))}
      allowDeselect={false}
      value={rule.outcome}
      onChange={(outcome) => onChange({ outcome: outcome as RetryRule["outcome"] })}
      error={errorOf("outcome")}
      w={180}
    />
    <TextInput
      label="Retry after"
      placeholder="as below"
      w={110}
      value={rule.wait ?? ""}
      onChange={({ currentTarget }) => onChange({ wait: currentTarget.value.trim() || null })}
      error={errorOf("wait")}
    />
    <NumberField
      label="Retries"
      min={0}
      max={20}
      w={90}
      value={rule.max_retries}
      onNumber={(max_retries) => onChange({ max_retries })}
      error={errorOf("max_retries")}
    />
    <Checkbox
      label="At another hour"
      checked={rule.another_hour ?? false}
      onChange={({ currentTarget }) => onChange({ another_hour: currentTarget.checked })}
      pb={8}
    />
    {!readOnly && (
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={`Remove the rule for ${spoken(rule.outcome)}`}
        onClick={onRemove}
        mb={4}
      >
        <IconTrash size={16} />
      </ActionIcon>
    )}
  </Group>
);

import { ActionIcon, Checkbox, Group, NumberInput, Select, Stack, Text, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconTrash } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { RetryRule } from "../api-types.ts";
import { spoken } from "../outbound/channel-statuses.ts";
import { useAction } from "../parts/action.ts";
import { Fetched, Panel } from "../parts/parts.tsx";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import { RowsToSave } from "./rows-to-save.tsx";

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

/** When and how often a person is tried again after each outcome. */
export function RetryRulesPanel({ campaign_id }: { campaign_id: number }) {
  const setting = useQuery({
    queryKey: ["campaign", campaign_id, "retry rules"],
    queryFn: ({ signal }) =>
      call("GET /api/v1/outbound/campaigns/{campaign_id}/retry-rules", { path: { campaign_id }, signal }),
  });
  return (
    <Panel title="Retries by outcome">
      <Fetched query={setting}>
        {({ rules }) => <RulesForm key={JSON.stringify(rules)} campaign_id={campaign_id} stored={rules} />}
      </Fetched>
    </Panel>
  );
}

function RulesForm({ campaign_id, stored }: { campaign_id: number; stored: RetryRule[] }) {
  const readOnly = !useMay()("outbound_write");
  const client = useQueryClient();
  const [rules, setRules] = useState(stored);
  const save = useAction({
    mutationFn: () =>
      call("PUT /api/v1/outbound/campaigns/{campaign_id}/retry-rules", {
        path: { campaign_id },
        body: { rules },
      }),
    async onSuccess() {
      notifications.show({
        message: "Retry rules saved. They apply from the next attempt that ends.",
        color: "green",
      });
      await client.invalidateQueries({ queryKey: ["campaign", campaign_id] });
    },
  });
  const unused = OUTCOMES.filter((outcome) => !rules.some((rule) => rule.outcome === outcome));
  const change = (index: number, more: Partial<RetryRule>) =>
    setRules(rules.with(index, { ...(rules[index] as RetryRule), ...more }));
  const add = (outcome: RetryRule["outcome"]) =>
    setRules([...rules, { outcome, wait: null, max_retries: 1, another_hour: false, ...USUAL[outcome] }]);
  return (
    <Stack gap="sm">
      <Text size="sm">After other outcomes, the retries of the settings below apply.</Text>
      {rules.map((rule, index) => (
        <RuleRow
          key={rule.outcome}
          rule={rule}
          others={unused}
          readOnly={readOnly}
          onChange={(more) => change(index, more)}
          onRemove={() => setRules(rules.toSpliced(index, 1))}
        />
      ))}
      {!readOnly && (
        <RowsToSave
          noun={{ one: "retry rule", all: "retry rules" }}
          canAdd={unused.length > 0}
          isChanged={JSON.stringify(rules) !== JSON.stringify(stored)}
          save={save}
          onAdd={() => unused[0] && add(unused[0])}
        />
      )}
    </Stack>
  );
}

type RowProps = {
  rule: RetryRule;
  /** Outcomes without a rule. */
  others: RetryRule["outcome"][];
  readOnly: boolean;
  onChange(more: Partial<RetryRule>): void;
  onRemove(): void;
};

const RuleRow = ({ rule, others, readOnly, onChange, onRemove }: RowProps) => (
  <Group align="flex-end" gap="sm">
    <Select
      label="Outcome"
      data={[rule.outcome, ...others].map((value) => ({ value, label: spoken(value) }))}
      allowDeselect={false}
      value={rule.outcome}
      onChange={(outcome) => onChange({ outcome: outcome as RetryRule["outcome"] })}
      readOnly={readOnly}
      w={180}
    />
    <TextInput
      label="Retry after"
      placeholder="as below"
      w={110}
      value={rule.wait ?? ""}
      onChange={({ currentTarget }) => onChange({ wait: currentTarget.value.trim() || null })}
      readOnly={readOnly}
    />
    <NumberInput
      label="Retries"
      min={0}
      max={20}
      w={90}
      value={rule.max_retries}
      onChange={(value) => onChange({ max_retries: Number(value) || 0 })}
      readOnly={readOnly}
    />
    <Checkbox
      label="At another hour"
      checked={rule.another_hour ?? false}
      onChange={({ currentTarget }) => onChange({ another_hour: currentTarget.checked })}
      disabled={readOnly}
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

import {
  ActionIcon,
  Autocomplete,
  Button,
  Group,
  Select,
  Stack,
  Switch,
  TagsInput,
  Text,
} from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { FilterOp, LineTypeBucket, TargetFilterRuleInput, TargetFiltersInput } from "../api-types.ts";
import classes from "../outbound/outbound.module.css";
import { Failure } from "../parts/parts.tsx";
import { useSettled } from "../parts/use-settled.ts";
import { call } from "../server/api.ts";
import { FILTER_OPS, MATCHES, UNKNOWN_VALUES } from "./campaign-words.ts";

const FIELDS = ["line_type", "carrier_name", "caller_type", "caller_name", "mcc", "mnc", "error_code"];
const VALUES: Record<string, string[]> = {
  line_type: ["mobile", "landline", "voip", "fixedVoip", "nonFixedVoip", "tollFree", "unknown"],
  caller_type: ["CONSUMER", "BUSINESS", "UNDETERMINED"],
};

type Props = {
  value: TargetFiltersInput | null;
  onChange(filters: TargetFiltersInput | null): void;
  errorOf(path: string): ReactNode;
};

/** Filters that decide who is contacted, by what a lookup of the number returns. */
export function FilterFields({ value, onChange, errorOf }: Props) {
  const rules = value?.rules ?? [];
  const setRules = (next: TargetFilterRuleInput[]) => onChange({ ...value, rules: next });
  return (
    <Stack gap="sm">
      <Switch
        label="Number rules"
        description="Each number is looked up before its first attempt."
        checked={value !== null}
        onChange={({ currentTarget }) =>
          onChange(
            currentTarget.checked
              ? {
                  match: "all",
                  on_unknown: "include",
                  rules: [{ field: "line_type", op: "in", values: ["mobile"] }],
                }
              : null,
          )
        }
        error={errorOf("target_filters")}
      />
      {value !== null && (
        <>
          <Group gap="sm" grow preventGrowOverflow={false}>
            <Select
              label="Match"
              data={MATCHES}
              allowDeselect={false}
              value={value.match ?? "all"}
              onChange={(match) => onChange({ ...value, match: match as "all" | "any" })}
              error={errorOf("target_filters.match")}
            />
            <Select
              label="Unknown values"
              data={UNKNOWN_VALUES}
              allowDeselect={false}
              value={value.on_unknown ?? "include"}
              onChange={(on_unknown) =>
                onChange({ ...value, on_unknown: on_unknown as "include" | "exclude" })
              }
              error={errorOf("target_filters.on_unknown")}
            />
          </Group>
          {rules.map((rule, index) => (
            <RuleLine
              // biome-ignore lint/suspicious/noArrayIndexKey: a rule is its place
              key={index}
              number={index + 1}
              rule={rule}
              onChange={(next) => setRules(rules.with(index, next))}
              onRemove={() => setRules(rules.toSpliced(index, 1))}
              errorOf={(field) => errorOf(`target_filters.rules.${index}.${field}`)}
            />
          ))}
          <div>
            <Button
              size="compact-sm"
              variant="subtle"
              leftSection={<IconPlus size={14} />}
              onClick={() => setRules([...rules, { field: "", op: "in", values: [] }])}
            >
              Add rule
            </Button>
          </div>
        </>
      )}
    </Stack>
  );
}

function RuleLine(props: {
  number: number;
  rule: TargetFilterRuleInput;
  onChange(rule: TargetFilterRuleInput): void;
  onRemove(): void;
  errorOf(field: string): ReactNode;
}) {
  const { number, rule, onChange, onRemove, errorOf } = props;
  const needsValues = rule.op !== "exists" && rule.op !== "not_exists";
  return (
    <fieldset className={classes.filter} aria-label={`Rule ${number}`}>
      <Autocomplete
        aria-label={`Field of rule ${number}`}
        placeholder="field"
        data={FIELDS}
        value={rule.field}
        onChange={(field) => onChange({ ...rule, field })}
        error={errorOf("field")}
      />
      <Select
        aria-label={`Comparison of rule ${number}`}
        data={FILTER_OPS}
        allowDeselect={false}
        value={rule.op}
        onChange={(op) => onChange({ ...rule, op: op as FilterOp })}
        error={errorOf("op")}
      />
      <div className={classes.filterValues}>
        {needsValues && (
          <TagsInput
            aria-label={`Values of rule ${number}`}
            placeholder={rule.values?.length ? "" : "values; Enter adds one"}
            data={VALUES[rule.field] ?? []}
            value={rule.values ?? []}
            onChange={(values) => onChange({ ...rule, values })}
            error={errorOf("values")}
          />
        )}
      </div>
      <ActionIcon aria-label={`Remove rule ${number}`} onClick={onRemove} mt={6}>
        <IconTrash size={15} />
      </ActionIcon>
    </fieldset>
  );
}

const TYPING_MS = 400;

/** The number of waiting people who pass the unsaved filters. */
export function FilterMatches(props: {
  campaign_id: number;
  target_filters: TargetFiltersInput | null;
  allowed_line_types: LineTypeBucket[] | null;
  include_unknown_line_types: boolean;
}) {
  const { campaign_id, target_filters, allowed_line_types, include_unknown_line_types } = props;
  const body = useSettled({ target_filters, allowed_line_types, include_unknown_line_types }, TYPING_MS);
  const isWhole = (body.target_filters?.rules ?? []).every(({ field }) => field !== "");
  const count = useQuery({
    queryKey: ["campaign", campaign_id, "matches", body],
    queryFn: ({ signal }) =>
      call("POST /api/v1/outbound/campaigns/{campaign_id}/count_matches", {
        path: { campaign_id },
        body,
        signal,
      }),
    enabled: isWhole,
    placeholderData: keepPreviousData,
  });
  if (count.error) return <Failure error={count.error} />;
  if (!count.data) return null;
  const { counted, passing, not_looked_up, reasons, is_complete } = count.data;
  if (counted === 0) {
    return (
      <Text size="sm" className={classes.count} role="status">
        No one is waiting in this campaign yet. Fill a batch to count matches.
      </Text>
    );
  }
  return (
    <div className={classes.count} role="status" aria-label="Count matches">
      <Text size="sm">
        <b>{passing.toLocaleString("en")}</b> of {counted.toLocaleString("en")}
        {is_complete ? "" : " or more"} who wait pass.
        {not_looked_up > 0 && ` Nothing is known yet of ${not_looked_up.toLocaleString("en")}.`}
      </Text>
      <div className={classes.share} aria-hidden>
        <span style={{ width: `${(passing / counted) * 100}%` }} />
      </div>
      {reasons.map(({ reason, count: left_out }) => (
        <Text key={reason} size="xs">
          {left_out.toLocaleString("en")} left out: <bdi>{reason}</bdi>
        </Text>
      ))}
    </div>
  );
}

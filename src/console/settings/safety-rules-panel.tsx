import {
  ActionIcon,
  Button,
  Group,
  NumberInput,
  Stack,
  Switch,
  Text,
  Textarea,
  TextInput,
} from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import type { ReactNode } from "react";
import type { SafetyRulesResponse } from "../api-types.ts";
import type { FieldsForm } from "../records/record-form.tsx";
import { numberOrNull, SettingsPanel } from "../records/settings-panel.tsx";
import { call } from "../server/api.ts";
import { worded } from "../server/field-labels.ts";
import { JudgeModel, PROVIDERS } from "./judge-model.tsx";

const KEY = ["safety-rules"];
type Rule = { name: string; phrases: string; pattern: string; say: string };
type Values = Pick<
  SafetyRulesResponse,
  | "calls_per_tool"
  | "calls_per_session"
  | "withhold_unknown_contacts"
  | "withhold_prompt_words"
  | "withheld_say"
  | "opt_out_judge"
> & { yes_words: string; output_rules: Rule[] };

const read = () => call("GET /api/v1/organizations/safety_rules", {});
const listed = (text: string, separator: RegExp): string[] =>
  text
    .split(separator)
    .map((one) => one.trim())
    .filter((one) => one !== "");

/** What agents may do and say, whatever their model was persuaded of. */
export function SafetyRulesPanel() {
  return (
    <SettingsPanel<SafetyRulesResponse, Values>
      title="Agent safety"
      noun="Safety rules"
      queryKey={KEY}
      read={read}
      permission="organizations_write"
      labels={{
        calls_per_tool: "Calls per tool",
        calls_per_session: "Calls per session",
        yes_words: "More words for yes",
        output_rules: "Never said",
        "output_rules.*.name": "Rule",
        "output_rules.*.phrases": "Phrases",
        "output_rules.*.pattern": "Pattern (RE2)",
        "output_rules.*.say": "Said instead",
        withhold_unknown_contacts: "Withhold unknown numbers and addresses",
        withhold_prompt_words: "Withhold the prompt (words)",
        withheld_say: "Said instead",
        opt_out_judge: "Opt-outs in other words",
        "opt_out_judge.provider": worded("Provider", PROVIDERS),
        "opt_out_judge.model": "Model",
      }}
      values={(found) => ({
        calls_per_tool: found.calls_per_tool ?? null,
        calls_per_session: found.calls_per_session ?? null,
        yes_words: found.yes_words.join(", ") ?? "",
        withhold_unknown_contacts: found.withhold_unknown_contacts ?? false,
        withhold_prompt_words: found.withhold_prompt_words ?? null,
        withheld_say: found.withheld_say ?? "",
        opt_out_judge: found.opt_out_judge ?? null,
        output_rules: (found.output_rules ?? []).map(({ name, phrases, pattern, say }) => ({
          name,
          phrases: phrases.join("\n"),
          pattern: pattern ?? "",
          say: say ?? "",
        })),
      })}
      save={({ yes_words, output_rules, ...values }) =>
        call("PUT /api/v1/organizations/safety_rules", {
          body: {
            ...values,
            yes_words: listed(yes_words, /,/),
            output_rules: output_rules.map(({ name, phrases, pattern, say }) => ({
              name,
              phrases: listed(phrases, /\n/),
              pattern: pattern || null,
              say: say || null,
            })),
          },
        })
      }
    >
      {(form) => <SafetyRulesFields form={form} />}
    </SettingsPanel>
  );
}

function SafetyRulesFields({ form }: { form: FieldsForm<Values> }) {
  const values = form.getValues();
  const setRules = (changed: Rule[]) => form.setFieldValue("output_rules", changed);
  return (
    <>
      <Text size="sm">
        Applies to new sessions, whatever an agent's model is told. Withheld words and refused calls are shown
        in the session's trace.
      </Text>
      <Group gap="md">
        <NumberInput
          w={200}
          label="Calls per tool"
          placeholder="No limit"
          min={1}
          max={1_000}
          allowDecimal={false}
          value={values.calls_per_tool ?? ""}
          onChange={(value) => form.setFieldValue("calls_per_tool", numberOrNull(value))}
          error={form.errors.calls_per_tool}
        />
        <NumberInput
          w={200}
          label="Calls per session"
          placeholder="No limit"
          min={1}
          max={10_000}
          allowDecimal={false}
          value={values.calls_per_session ?? ""}
          onChange={(value) => form.setFieldValue("calls_per_session", numberOrNull(value))}
          error={form.errors.calls_per_session}
        />
        <TextInput
          style={{ flex: 1, minWidth: 240 }}
          label="More words for yes"
          placeholder="tak, evet"
          {...form.getInputProps("yes_words")}
        />
      </Group>
      <Switch
        label="Withhold unknown numbers and addresses"
        description="The agent says only numbers and addresses that its author wrote, that the person said, or that are the person's own."
        checked={values.withhold_unknown_contacts}
        onChange={({ currentTarget }) =>
          form.setFieldValue("withhold_unknown_contacts", currentTarget.checked)
        }
      />
      <NumberInput
        w={260}
        label="Withhold the prompt"
        description="Number of consecutive words that counts."
        placeholder="Off"
        suffix=" words"
        min={8}
        max={100}
        allowDecimal={false}
        value={values.withhold_prompt_words ?? ""}
        onChange={(value) => form.setFieldValue("withhold_prompt_words", numberOrNull(value))}
        error={form.errors.withhold_prompt_words}
      />
      <OutputRules rules={values.output_rules} onChange={setRules} errors={form.errors} />
      <TextInput
        label="Said instead"
        description="In place of withheld words."
        required
        {...form.getInputProps("withheld_say")}
      />
      <OptOutJudge form={form} />
    </>
  );
}

/** A model reads what may be an opt-out before the agent does. */
function OptOutJudge({ form }: { form: FieldsForm<Values> }) {
  const judge = form.getValues().opt_out_judge;
  const set = (changed: Values["opt_out_judge"]) => form.setFieldValue("opt_out_judge", changed);
  return (
    <Stack gap="xs">
      <Switch
        label="Recognize opt-outs in other words"
        description={`STOP is always recognized. With this, a model also decides whether words such as “take me off your list” ask not to be contacted any more, before the agent answers. It is asked only about messages that may.`}
        checked={judge !== null}
        onChange={({ currentTarget }) =>
          set(currentTarget.checked ? { provider: "openai", model: "" } : null)
        }
      />
      {judge && (
        <JudgeModel
          judge={judge}
          change={(part) => set({ ...judge, ...part })}
          error={form.errors["opt_out_judge.model"]}
        />
      )}
    </Stack>
  );
}

type OutputRulesProps = {
  rules: Rule[];
  onChange(rules: Rule[]): void;
  errors: Record<string, ReactNode>;
};

function OutputRules({ rules, onChange, errors }: OutputRulesProps) {
  const change = (at: number, part: Partial<Rule>) =>
    onChange(rules.map((rule, n) => (n === at ? { ...rule, ...part } : rule)));
  return (
    <Stack gap="sm">
      {rules.map(({ name, phrases, pattern, say }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a rule is known by its place
        <Group key={at} gap="xs" align="flex-start">
          <TextInput
            w={150}
            label={`Rule ${at + 1}`}
            value={name}
            onChange={({ currentTarget }) => change(at, { name: currentTarget.value })}
            error={errors[`output_rules.${at}.name`]}
          />
          <Textarea
            style={{ flex: 1, minWidth: 180 }}
            label={`Phrases of rule ${at + 1}`}
            placeholder="One a line"
            autosize
            maxRows={6}
            value={phrases}
            onChange={({ currentTarget }) => change(at, { phrases: currentTarget.value })}
            error={errors[`output_rules.${at}.phrases`]}
          />
          <TextInput
            w={180}
            label={`Pattern of rule ${at + 1}`}
            placeholder="RE2"
            value={pattern}
            onChange={({ currentTarget }) => change(at, { pattern: currentTarget.value })}
            error={errors[`output_rules.${at}.pattern`]}
          />
          <TextInput
            style={{ flex: 1, minWidth: 180 }}
            label={`Said instead of rule ${at + 1}`}
            value={say}
            onChange={({ currentTarget }) => change(at, { say: currentTarget.value })}
            error={errors[`output_rules.${at}.say`]}
          />
          <ActionIcon
            mt={26}
            variant="subtle"
            aria-label={`Remove rule ${at + 1}`}
            onClick={() => onChange(rules.filter((_, n) => n !== at))}
          >
            <IconX size={16} />
          </ActionIcon>
        </Group>
      ))}
      <Button
        variant="default"
        size="compact-sm"
        w="fit-content"
        onClick={() => onChange([...rules, { name: "", phrases: "", pattern: "", say: "" }])}
      >
        Add rule
      </Button>
    </Stack>
  );
}

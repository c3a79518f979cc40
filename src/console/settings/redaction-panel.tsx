import { ActionIcon, Button, Checkbox, Code, Group, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import { type ReactNode, useState } from "react";
import type { RedactionPolicy } from "../api-types.ts";
import { useAction } from "../parts/action.ts";
import { NumberField } from "../parts/number-field.tsx";
import { Failure } from "../parts/parts.tsx";
import type { FieldsForm } from "../records/record-form.tsx";
import { SettingsPanel } from "../records/settings-panel.tsx";
import { call } from "../server/api.ts";
import { worded } from "../server/field-labels.ts";
import { JudgeModel, PROVIDERS } from "./judge-model.tsx";

const KEY = ["redaction-policy"];
const KINDS = {
  card: "Payment cards",
  national_id: "National ids",
  bank_account: "Bank accounts (IBAN)",
  date_of_birth: "Dates of birth",
  email: "E-mail addresses",
  phone: "Phone numbers",
} as const;
type Kind = keyof typeof KINDS;
type Values = Pick<RedactionPolicy, "kinds" | "patterns" | "originals_days" | "judge">;
type Judge = NonNullable<Values["judge"]>;

const read = () => call("GET /api/v1/organizations/redaction", {});

/** What is taken out of conversations before they are stored. */
export function RedactionPanel() {
  return (
    <SettingsPanel<RedactionPolicy, Values>
      title="Redaction"
      noun="Redaction policy"
      queryKey={KEY}
      read={read}
      permission="organizations_write"
      labels={{
        kinds: worded("Redact", KINDS),
        patterns: "Own patterns",
        "patterns.*.name": "Name",
        "patterns.*.pattern": "Pattern (RE2)",
        originals_days: "Keep originals (days)",
        judge: "Let a model find more",
        "judge.provider": worded("Provider", PROVIDERS),
        "judge.model": "Model",
        "judge.look_for": "Look for",
      }}
      values={(found) => ({
        kinds: found.kinds ?? [],
        patterns: found.patterns ?? [],
        originals_days: found.originals_days ?? 0,
        judge: found.judge ?? null,
      })}
      save={(body) => call("PUT /api/v1/organizations/redaction", { body })}
    >
      {(form) => <RedactionFields form={form} />}
    </SettingsPanel>
  );
}

function RedactionFields({ form }: { form: FieldsForm<Values> }) {
  const { kinds, patterns, originals_days, judge } = form.getValues();
  const setPatterns = (changed: Values["patterns"]) => form.setFieldValue("patterns", changed);
  const change = (at: number, part: Partial<Values["patterns"][number]>) =>
    setPatterns(patterns.map((pattern, n) => (n === at ? { ...pattern, ...part } : pattern)));
  return (
    <>
      <Text size="sm">
        Replaced in transcripts, traces, tool calls, messages, events and insights of new sessions before they
        are stored. The agent and its tools still get the original while the conversation lasts.
      </Text>
      <Checkbox.Group label="Redact" value={kinds} onChange={(chosen) => form.setFieldValue("kinds", chosen)}>
        <Group gap="md" mt="xs">
          {(Object.keys(KINDS) as Kind[]).map((kind) => (
            <Checkbox key={kind} value={kind} label={KINDS[kind]} />
          ))}
        </Group>
      </Checkbox.Group>
      <Stack gap="xs">
        {patterns.map(({ name, pattern }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a pattern is known by its place
          <Group key={at} gap="xs" align="flex-start" wrap="nowrap">
            <TextInput
              w={180}
              label={at === 0 ? "Name" : undefined}
              aria-label={`Name of pattern ${at + 1}`}
              value={name}
              onChange={({ currentTarget }) => change(at, { name: currentTarget.value })}
              error={form.errors[`patterns.${at}.name`]}
            />
            <TextInput
              style={{ flex: 1 }}
              label={at === 0 ? "Pattern (RE2)" : undefined}
              aria-label={`Pattern ${at + 1}`}
              value={pattern}
              onChange={({ currentTarget }) => change(at, { pattern: currentTarget.value })}
              error={form.errors[`patterns.${at}.pattern`]}
            />
            <ActionIcon
              mt={at === 0 ? 26 : 2}
              variant="subtle"
              aria-label={`Remove pattern ${at + 1}`}
              onClick={() => setPatterns(patterns.filter((_, n) => n !== at))}
            >
              <IconX size={16} />
            </ActionIcon>
          </Group>
        ))}
        <Button
          variant="default"
          size="compact-sm"
          w="fit-content"
          onClick={() => setPatterns([...patterns, { name: "", pattern: "" }])}
        >
          Add pattern
        </Button>
      </Stack>
      <NumberField
        w={260}
        label="Keep originals"
        description="Sealed, after the session's end. 0: one hour."
        suffix=" days"
        min={0}
        max={3_650}
        allowDecimal={false}
        allowNegative={false}
        value={originals_days}
        onNumber={(days) => form.setFieldValue("originals_days", days)}
        error={form.errors.originals_days}
      />
      <JudgeFields
        judge={judge}
        change={(changed) => form.setFieldValue("judge", changed)}
        errors={form.errors}
      />
      <TryPolicy policy={{ kinds, patterns, originals_days }} />
    </>
  );
}

type JudgeProps = {
  judge: Judge | null;
  change(judge: Judge | null): void;
  errors: Record<string, ReactNode>;
};

/** A model reads each conversation after its end, for what has no form that a pattern finds. */
function JudgeFields({ judge, change, errors }: JudgeProps) {
  const set = (part: Partial<Judge>) => judge && change({ ...judge, ...part });
  return (
    <Stack gap="xs">
      <Checkbox
        label="Let a model find more after each conversation"
        checked={judge !== null}
        onChange={({ currentTarget }) =>
          change(
            currentTarget.checked
              ? { provider: "openai", model: "", look_for: "Names of people, streets and illnesses." }
              : null,
          )
        }
      />
      {judge && (
        <>
          <JudgeModel judge={judge} change={set} error={errors["judge.model"]} />
          <Textarea
            label="Look for"
            autosize
            value={judge.look_for}
            onChange={({ currentTarget }) => set({ look_for: currentTarget.value })}
            error={errors["judge.look_for"]}
          />
        </>
      )}
    </Stack>
  );
}

/** Shows what the policy, saved or not, makes of a text. */
function TryPolicy({ policy }: { policy: Omit<Values, "judge"> }) {
  const [text, setText] = useState("");
  const tried = useAction({
    mutationFn: () => call("POST /api/v1/organizations/redaction/preview", { body: { ...policy, text } }),
  });
  return (
    <Stack gap="xs">
      <Textarea
        label="Test text"
        autosize
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
      />
      <Button
        variant="default"
        size="compact-sm"
        w="fit-content"
        disabled={text.trim() === ""}
        loading={tried.isPending}
        onClick={() => tried.mutate()}
      >
        Test policy
      </Button>
      {tried.error && <Failure error={tried.error} />}
      {tried.data && <Code block>{tried.data.text}</Code>}
    </Stack>
  );
}

import { ActionIcon, Button, Group, NumberInput, Select, Stack, Text, TextInput } from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import type { ReactNode } from "react";
import type { TestCaseExpectation } from "../api-types.ts";
import { errorOfEntry } from "../records/field-errors.ts";
import { CHECK_KINDS, type Check, type CheckKind, checksOf, otherChecks, withChecks } from "./checks.ts";

const HINTS: Record<CheckKind, string> = {
  said: "booked|confirmed",
  not_said: "sorry",
  called: "book_appointment",
  not_called: "cancel_appointment",
  steps: "ASK_NEEDS",
  language: "en-US",
  ended_by: "",
  judges: "Polite",
};

/** What a test expects, one line each. */
export function CheckFields(props: {
  value: TestCaseExpectation;
  onChange(value: TestCaseExpectation): void;
  /** Of an expectation by its name, or by a path below it. */
  errorOf(path: string): ReactNode;
  readOnly: boolean;
}) {
  const { value, onChange, errorOf, readOnly } = props;
  const checks = checksOf(value);
  /** A line is an entry of the list of its kind, or all that there is of its kind. */
  const errorAt = (index: number, { kind }: Check): ReactNode => {
    const entry = checks.slice(0, index).filter((check) => check.kind === kind).length;
    if (kind === "called") return errorOf(`called.${entry}.tool`);
    if (kind === "language" || kind === "ended_by") return errorOf(kind);
    return errorOfEntry(errorOf(kind), entry);
  };
  const set = (next: Check[]) => onChange(withChecks(value, next));
  const change = (index: number, part: Partial<Check>) =>
    set(checks.map((check, at) => (at === index ? { ...check, ...part } : check)));
  return (
    <Stack gap="xs" role="group" aria-label="Expectations">
      <Text size="sm" fw={500}>
        Expectations
      </Text>
      {checks.map((check, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have nothing else that tells them apart
        <Group key={index} gap="xs" wrap="nowrap" align="flex-start">
          <Select
            w={190}
            aria-label={`Expectation ${index + 1}`}
            allowDeselect={false}
            data={Object.entries(CHECK_KINDS).map(([kind, label]) => ({ value: kind, label }))}
            value={check.kind}
            onChange={(kind) =>
              change(index, {
                kind: kind as CheckKind,
                text: kind === "ended_by" ? "agent" : check.text,
                times: null,
              })
            }
          />
          {check.kind === "ended_by" ? (
            <Select
              style={{ flex: 1 }}
              aria-label={`${CHECK_KINDS[check.kind]}, ${index + 1}`}
              allowDeselect={false}
              data={[
                { value: "agent", label: "the agent" },
                { value: "person", label: "no one: the person has no messages left" },
              ]}
              value={check.text}
              onChange={(text) => change(index, { text: text ?? "agent" })}
            />
          ) : (
            <TextInput
              style={{ flex: 1 }}
              aria-label={`${CHECK_KINDS[check.kind]}, ${index + 1}`}
              placeholder={HINTS[check.kind]}
              value={check.text}
              error={errorAt(index, check)}
              onChange={({ currentTarget }) => change(index, { text: currentTarget.value })}
            />
          )}
          {check.kind === "called" && (
            <NumberInput
              w={90}
              aria-label={`How often, ${index + 1}`}
              placeholder="any"
              suffix="×"
              min={1}
              allowDecimal={false}
              value={check.times ?? ""}
              onChange={(times) => change(index, { times: times === "" ? null : Number(times) })}
            />
          )}
          {!readOnly && (
            <ActionIcon
              mt={4}
              aria-label={`Remove expectation ${index + 1}`}
              onClick={() => set(checks.toSpliced(index, 1))}
            >
              <IconTrash size={15} />
            </ActionIcon>
          )}
        </Group>
      ))}
      {otherChecks(value).map((words) => (
        <Text key={words} size="sm" c="dimmed">
          {words} <span className="sr-only">(written as JSON)</span>
        </Text>
      ))}
      {!readOnly && (
        <div>
          <Button
            size="compact-sm"
            variant="subtle"
            leftSection={<IconPlus size={14} />}
            onClick={() => set([...checks, { kind: "said", text: "" }])}
          >
            Add expectation
          </Button>
        </div>
      )}
    </Stack>
  );
}

import { ActionIcon, Autocomplete, Button, Group, Stack, Switch, Text, TextInput } from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import type { CallAction, Expression } from "../api-types.ts";
import { sourceOf } from "../workflows/condition.ts";
import type { StepAction } from "../workflows/workflow.ts";
import { useFault, useSurroundings } from "./step-context.ts";
import { type GivenValue, ValueField } from "./value-field.tsx";

type Schema = { properties?: Record<string, { description?: string }>; required?: string[] };

/** A call of a tool: which one, with what, and what is kept of its answer. */
export function CallFields(props: {
  action: CallAction;
  onChange(action: StepAction): void;
  place: (string | number)[];
  of: string;
}) {
  const { action, onChange, place, of } = props;
  const { tools } = useSurroundings();
  const tool = tools.find(({ name }) => name === action.name);
  const { properties = {}, required = [] } = (tool?.definition.tool.function.parameters ?? {}) as Schema;
  const given = action.arguments ?? {};
  const names = [...new Set([...Object.keys(properties), ...Object.keys(given)])];
  const setArgument = (name: string, value: GivenValue) => {
    const { [name]: _, ...others } = given;
    const next = isGiven(value) ? { ...given, [name]: asArgument(value) } : others;
    const { arguments: __, ...rest } = action;
    onChange(Object.keys(next).length > 0 ? { ...rest, arguments: next } : rest);
  };
  return (
    <Stack gap={6}>
      <Autocomplete
        size="xs"
        label="Tool"
        aria-label={`Tool of ${of}`}
        data={tools.map(({ name }) => name)}
        limit={60}
        value={action.name}
        onChange={(name) => onChange({ ...action, name })}
        error={useFault(...place, "name")}
        description={tool?.definition.tool.function.description}
      />
      {names.length > 0 && (
        <Text size="xs" fw={600}>
          Arguments
        </Text>
      )}
      {names.map((name) => (
        <ValueField
          key={`${action.name} ${name}`}
          label={`${name}${required.includes(name) ? " (required)" : ""}`}
          of={of}
          given={asGiven(given[name])}
          mayBeNone={!required.includes(name)}
          onChange={(value) => setArgument(name, value)}
          place={[...place, "arguments", name]}
        />
      ))}
      <KeptAnswers {...props} />
      {(action.wait === true || (action.name !== "" && !tool)) && (
        <Switch
          size="xs"
          label="Wait until that workflow is completed"
          checked={action.wait ?? false}
          onChange={({ currentTarget }) => onChange({ ...action, wait: currentTarget.checked })}
        />
      )}
    </Stack>
  );
}

const isGiven = ({ value, valueFrom }: GivenValue): boolean =>
  valueFrom != null || (value !== undefined && value !== "");

/** `{"valueFrom": …}` is an expression, anything else the value itself. */
function asGiven(argument: unknown): GivenValue {
  const isComputed =
    typeof argument === "object" &&
    argument !== null &&
    Object.keys(argument).length === 1 &&
    "valueFrom" in argument;
  return isComputed ? (argument as GivenValue) : { value: argument };
}

const asArgument = ({ value, valueFrom }: GivenValue): unknown => (valueFrom == null ? value : { valueFrom });

function KeptAnswers({ action, onChange, place, of }: Parameters<typeof CallFields>[0]) {
  const { readOnly } = useSurroundings();
  const fault = useFault(...place, "result");
  const kept = action.result?.save ?? [];
  const store = (save: typeof kept) => {
    const { result: _, ...rest } = action;
    onChange(save.length > 0 ? { ...rest, result: { ...action.result, save } } : rest);
  };
  return (
    <Stack gap={4}>
      {kept.length > 0 && (
        <Text size="xs" fw={600}>
          Kept from the answer
        </Text>
      )}
      {kept.map(({ from, to }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place
        <Group key={index} gap={4} wrap="nowrap">
          <TextInput
            size="xs"
            style={{ flex: "1 1 50%" }}
            aria-label={`Part ${index + 1} of the answer, ${of}`}
            placeholder="slots[0].time"
            ff="monospace"
            value={sourceOf(from) ?? JSON.stringify(from)}
            readOnly={sourceOf(from) === null}
            onChange={({ currentTarget }) =>
              store(kept.with(index, { to, from: withSource(from, currentTarget.value) }))
            }
          />
          <TextInput
            size="xs"
            style={{ flex: "1 1 50%" }}
            aria-label={`Variable for part ${index + 1} of the answer, ${of}`}
            placeholder="as variable"
            value={to}
            onChange={({ currentTarget }) => store(kept.with(index, { from, to: currentTarget.value }))}
          />
          {!readOnly && (
            <ActionIcon
              aria-label={`Remove part ${index + 1} of the answer, ${of}`}
              onClick={() => store(kept.toSpliced(index, 1))}
            >
              <IconTrash size={14} />
            </ActionIcon>
          )}
        </Group>
      ))}
      {fault && (
        <Text size="xs" c="var(--mantine-color-error)">
          {fault}
        </Text>
      )}
      {!readOnly && (
        <div>
          <Button
            size="compact-xs"
            variant="subtle"
            leftSection={<IconPlus size={13} />}
            onClick={() => store([...kept, { from: "", to: "" }])}
          >
            Keep a part of the answer
          </Button>
        </div>
      )}
    </Stack>
  );
}

const withSource = (before: Expression, source: string): Expression =>
  typeof before === "object" && !("case" in before) ? { ...before, expression: source } : source;

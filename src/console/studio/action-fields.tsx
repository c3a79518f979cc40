import { MultiSelect, Select, Stack, Switch, Text, TextInput } from "@mantine/core";
import type { Step } from "../api-types.ts";
import { TemplateEditor } from "../editors/template-editor.tsx";
import { NumberField } from "../parts/number-field.tsx";
import type { StepAction } from "../workflows/workflow.ts";
import { CallFields } from "./call-fields.tsx";
import { NameField } from "./name-field.tsx";
import { useFault, useSurroundings } from "./step-context.ts";
import { type GivenValue, ValueField } from "./value-field.tsx";

type Props<A extends StepAction["action"]> = {
  action: Extract<StepAction, { action: A }>;
  onChange(action: StepAction): void;
  step: Step;
  place: (string | number)[];
  of: string;
};

/** The fields of one action, by its kind. */
export function ActionFields(props: Omit<Props<StepAction["action"]>, "action"> & { action: StepAction }) {
  const { action } = props;
  switch (action.action) {
    case "say":
      return <SayFields {...props} action={action} />;
    case "call":
      return <CallFields {...props} action={action} />;
    case "set":
      return <SetFields {...props} action={action} />;
    case "inc":
      return <CountFields {...props} action={action} />;
    case "save":
      return <SaveFields {...props} action={action} />;
    default:
      return <GetFields {...props} action={action} />;
  }
}

/** An action with another value, without the keys that it no longer has. */
function withGiven<A extends { value?: unknown; valueFrom?: unknown }>(action: A, given: GivenValue): A {
  const { value: _, valueFrom: __, ...rest } = action;
  return { ...rest, ...given } as A;
}

function SayFields({ action, onChange, of }: Props<"say">) {
  const { names, readOnly } = useSurroundings();
  return (
    <Stack gap={6}>
      <TemplateEditor
        label="Text"
        name={`Text of ${of}`}
        size="line"
        value={action.text}
        variables={names}
        onChange={(text) => onChange({ ...action, text })}
        readOnly={readOnly}
      />
      <Select
        size="xs"
        label="Spoken by"
        allowDeselect={false}
        data={[
          { value: "assistant", label: "the agent" },
          { value: "user", label: "the person (enters the conversation as theirs)" },
        ]}
        value={action.role ?? "assistant"}
        onChange={(role) => onChange({ ...action, role: role as "user" | "assistant" })}
      />
    </Stack>
  );
}

function SetFields({ action, onChange, place, of }: Props<"set">) {
  return (
    <Stack gap={6}>
      <NameField
        label="Variable"
        of={of}
        value={action.name}
        onChange={(name) => onChange({ ...action, name })}
        place={[...place, "name"]}
      />
      <ValueField
        label="Value"
        of={of}
        given={{ value: action.value, valueFrom: action.valueFrom }}
        onChange={(given) => onChange(withGiven(action, given))}
        place={[...place, action.valueFrom == null ? "value" : "valueFrom"]}
      />
    </Stack>
  );
}

function CountFields({ action, onChange, place, of }: Props<"inc">) {
  return (
    <Stack gap={6}>
      <NameField
        label="Variable"
        of={of}
        value={action.name}
        onChange={(name) => onChange({ ...action, name })}
        place={[...place, "name"]}
      />
      <NumberField
        size="xs"
        label="Add"
        allowDecimal={false}
        value={action.by ?? 1}
        onNumber={(by) => onChange({ ...action, by })}
      />
    </Stack>
  );
}

/** Without a choice it is all inputs, which is left out of the action. */
function InputsChoice(props: {
  label: string;
  of: string;
  inputs: readonly string[] | null | undefined;
  step: Step;
  onChange(inputs: string[] | null): void;
  place: (string | number)[];
}) {
  const { label, of, inputs, step, onChange, place } = props;
  const data = [...new Set([...(step.inputs ?? []).map(({ name }) => name), ...(inputs ?? [])])].filter(
    Boolean,
  );
  return (
    <MultiSelect
      size="xs"
      label={label}
      aria-label={`${label} of ${of}`}
      placeholder={inputs?.length ? "" : "All inputs of the step"}
      data={data}
      value={[...(inputs ?? [])]}
      onChange={(chosen) => onChange(chosen.length > 0 ? chosen : null)}
      error={useFault(...place, "inputs")}
    />
  );
}

function SaveFields({ action, onChange, step, place, of }: Props<"save">) {
  const withInputs = (inputs: string[] | null) => {
    const { inputs: _, ...rest } = action;
    onChange(inputs ? { ...rest, inputs } : rest);
  };
  return (
    <Stack gap={6}>
      <InputsChoice
        label="Inputs"
        of={of}
        inputs={action.inputs}
        step={step}
        onChange={withInputs}
        place={place}
      />
      <TextInput
        size="xs"
        label="Save as"
        aria-label={`Save as, ${of}`}
        placeholder="the input's own name"
        value={action.name ?? ""}
        onChange={({ currentTarget }) => {
          const { name: _, ...rest } = action;
          onChange(currentTarget.value === "" ? rest : { ...rest, name: currentTarget.value });
        }}
        error={useFault(...place, "name")}
      />
    </Stack>
  );
}

function GetFields({ action, onChange, step, place, of }: Props<"get" | "load">) {
  const withInputs = (inputs: string[] | null) => {
    const { inputs: _, ...rest } = action;
    onChange(inputs ? { ...rest, inputs } : rest);
  };
  return (
    <Stack gap={6}>
      <Text size="xs" c="dimmed">
        Fills inputs before the person is asked.
      </Text>
      <InputsChoice
        label="Inputs"
        of={of}
        inputs={action.inputs}
        step={step}
        onChange={withInputs}
        place={place}
      />
      <ValueField
        label="Value"
        of={of}
        mayBeNone
        given={{ value: action.value ?? undefined, valueFrom: action.valueFrom }}
        onChange={(given) => onChange(withGiven(action, given))}
        place={[...place, "value"]}
      />
      <Switch
        size="xs"
        label="Overwrite existing value"
        checked={action.overwrite ?? false}
        onChange={({ currentTarget }) => onChange({ ...action, overwrite: currentTarget.checked })}
      />
    </Stack>
  );
}

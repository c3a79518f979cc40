import {
  ActionIcon,
  Button,
  Group,
  MultiSelect,
  Select,
  Stack,
  Text,
  Textarea,
  TextInput,
} from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import type { StepsTask, Variable } from "../api-types.ts";
import { ConditionField } from "./condition-field.tsx";
import { NameField } from "./name-field.tsx";
import { useFault, useSurroundings } from "./step-context.ts";
import classes from "./studio.module.css";
import { ValueField } from "./value-field.tsx";

/** What holds for the whole workflow: its tool, when it starts, and the variables it begins with. */
export function WorkflowForm(props: { task: StepsTask; onChange(task: StepsTask, key?: string): void }) {
  const { task, onChange } = props;
  const { tools, readOnly } = useSurroundings();
  const setTool = (key: "name" | "description", value: string) => {
    const { [key]: _, ...rest } = task.tool ?? {};
    onChange({ ...task, tool: value === "" ? rest : { ...rest, [key]: value } }, `tool ${key}`);
  };
  const variables = task.variables ?? [];
  const setVariables = (next: Variable[], key?: string) => {
    const { variables: _, ...rest } = task;
    onChange(next.length > 0 ? { ...rest, variables: next } : rest, key);
  };
  return (
    <Stack gap="sm">
      <Select
        label="Start"
        allowDeselect={false}
        data={[
          { value: "auto", label: "With the conversation" },
          { value: "manual", label: "When the model calls it" },
        ]}
        value={task.start ?? "auto"}
        onChange={(start) => onChange({ ...task, start: start as StepsTask["start"] })}
      />
      <TextInput
        label="Tool name"
        description="The model answers the steps with this tool. Empty: the name of the workflow."
        value={task.tool?.name ?? ""}
        onChange={({ currentTarget }) => setTool("name", currentTarget.value)}
        error={useFault("tool", "name")}
      />
      <Textarea
        label="Tool description"
        autosize
        minRows={1}
        value={task.tool?.description ?? ""}
        onChange={({ currentTarget }) => setTool("description", currentTarget.value)}
        error={useFault("tool", "description")}
      />
      <MultiSelect
        label="Tools only for this workflow"
        description="The model is offered these nowhere else."
        searchable
        data={[...new Set([...tools.map(({ name }) => name), ...(task.tools ?? [])])]}
        value={[...(task.tools ?? [])]}
        onChange={(chosen) => {
          const { tools: _, ...rest } = task;
          onChange(chosen.length > 0 ? { ...rest, tools: chosen } : rest);
        }}
        error={useFault("tools")}
      />
      <Text size="sm" fw={600}>
        Variables at the start
      </Text>
      {variables.map((variable, index) => (
        <OneVariable
          // biome-ignore lint/suspicious/noArrayIndexKey: a variable is its place while its name is typed
          key={index}
          {...{ variable, index }}
          onChange={(next) => setVariables(variables.with(index, next), `variable ${index}`)}
          onRemove={() => setVariables(variables.toSpliced(index, 1))}
        />
      ))}
      {!readOnly && (
        <Button
          size="compact-sm"
          variant="subtle"
          w="fit-content"
          leftSection={<IconPlus size={14} />}
          onClick={() => setVariables([...variables, { name: "local.", value: "" }])}
        >
          Add variable
        </Button>
      )}
    </Stack>
  );
}

function OneVariable(props: {
  variable: Variable;
  index: number;
  onChange(variable: Variable): void;
  onRemove(): void;
}) {
  const { variable, index, onChange, onRemove } = props;
  const { readOnly } = useSurroundings();
  const of = `variable ${index + 1}`;
  const place = ["variables", index];
  return (
    <div className={classes.item}>
      <Group gap={4} wrap="nowrap" align="flex-end">
        <div style={{ flex: 1 }}>
          <NameField
            label="Name"
            of={of}
            value={variable.name}
            onChange={(name) => onChange({ ...variable, name })}
            place={[...place, "name"]}
          />
        </div>
        {!readOnly && (
          <ActionIcon aria-label={`Remove ${of}`} onClick={onRemove}>
            <IconTrash size={14} />
          </ActionIcon>
        )}
      </Group>
      <ValueField
        label="Value"
        of={of}
        given={{ value: variable.value, valueFrom: variable.valueFrom }}
        onChange={(given) => {
          const { value: _, valueFrom: __, ...rest } = variable;
          onChange({ ...rest, ...given });
        }}
        place={[...place, variable.valueFrom == null ? "value" : "valueFrom"]}
      />
      <ConditionField
        of={of}
        value={variable.if}
        place={[...place, "if"]}
        onChange={(condition) => {
          const { if: _, ...rest } = variable;
          onChange(condition === undefined ? rest : { ...rest, if: condition });
        }}
      />
    </div>
  );
}

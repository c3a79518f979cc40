import {
  ActionIcon,
  Button,
  Collapse,
  Group,
  Select,
  Stack,
  Switch,
  TagsInput,
  Text,
  TextInput,
} from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconArrowUp, IconPlus, IconTrash } from "@tabler/icons-react";
import { useState } from "react";
import type { InputParameter, Step } from "../api-types.ts";
import { type ChangeStep, useFault, useSurroundings } from "./step-context.ts";
import classes from "./studio.module.css";

const TYPES = [
  { value: "string", label: "Text" },
  { value: "number", label: "Number" },
  { value: "integer", label: "Whole number" },
  { value: "boolean", label: "Yes or no" },
  { value: "array", label: "List" },
  { value: "object", label: "Object" },
];

const FORMATS = [
  { value: "date", label: "Date" },
  { value: "time", label: "Time" },
  { value: "date-time", label: "Date and time" },
  { value: "email", label: "E-mail address" },
  { value: "uri", label: "Web address" },
  { value: "uuid", label: "UUID" },
];

/** What the step asks the person for. */
export function InputFields(props: {
  step: Step;
  onChange: ChangeStep;
  onRename(from: string, to: string): void;
}) {
  const { step, onChange, onRename } = props;
  const { readOnly } = useSurroundings();
  const inputs = step.inputs ?? [];
  const store = (next: InputParameter[], key?: string) => onChange((now) => ({ ...now, inputs: next }), key);
  return (
    <Stack gap={6}>
      {inputs.map((input, index) => (
        <OneInput
          // biome-ignore lint/suspicious/noArrayIndexKey: an input is its place while its name is typed
          key={index}
          {...{ input, index }}
          onChange={(next) => store(inputs.with(index, next), `input ${index}`)}
          onRename={(to) =>
            input.name === "" || inputs.filter(({ name }) => name === input.name).length > 1
              ? store(inputs.with(index, { ...input, name: to }))
              : onRename(input.name, to)
          }
          onRemove={() => store(inputs.toSpliced(index, 1))}
          onRaise={
            index === 0 ? null : () => store(inputs.toSpliced(index, 1).toSpliced(index - 1, 0, input))
          }
        />
      ))}
      {!readOnly && (
        <Button
          size="compact-sm"
          variant="subtle"
          w="fit-content"
          leftSection={<IconPlus size={14} />}
          onClick={() => store([...inputs, { name: "", type: "string", description: "", required: true }])}
        >
          Add input
        </Button>
      )}
    </Stack>
  );
}

function OneInput(props: {
  input: InputParameter;
  index: number;
  onChange(input: InputParameter): void;
  onRename(name: string): void;
  onRemove(): void;
  onRaise: (() => void) | null;
}) {
  const { input, index, onChange, onRename, onRemove, onRaise } = props;
  const { readOnly } = useSurroundings();
  const of = `input ${index + 1}`;
  const [name, setName] = useState(input.name);
  const [stored, setStored] = useState(input.name);
  if (input.name !== stored) {
    setStored(input.name);
    setName(input.name);
  }
  const [opened, { toggle }] = useDisclosure(false);
  const own = useFault("inputs", index, "name");
  const all = useFault("inputs", index);
  const set = (change: Partial<InputParameter>) => onChange({ ...input, ...change });
  /** An empty value is left out. */
  const setOptional = (key: "format" | "pattern" | "title", value: string | null) => {
    const { [key]: _, ...rest } = input;
    onChange(value ? { ...rest, [key]: value } : rest);
  };
  const setChoices = (choices: string[]) => {
    const { enum: _, ...rest } = input;
    onChange(choices.length > 0 ? { ...rest, enum: choices } : rest);
  };
  const isText = input.type === "string" || input.type == null;
  return (
    <fieldset className={classes.item} aria-label={`Input ${input.name || index + 1}`}>
      <Group gap={4} wrap="nowrap" align="flex-end">
        <TextInput
          size="xs"
          label="Name"
          style={{ flex: "1 1 55%" }}
          value={name}
          data-own-undo={name !== input.name || undefined}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
          onBlur={() => name !== input.name && onRename(name.trim())}
          onKeyDown={(event) => {
            if (event.key !== "Enter") return;
            event.preventDefault();
            if (name !== input.name) onRename(name.trim());
          }}
          error={own !== null}
        />
        <Select
          size="xs"
          label="Type"
          style={{ flex: "1 1 45%" }}
          data={TYPES}
          allowDeselect={false}
          value={input.type ?? "string"}
          onChange={(type) => set({ type: type as InputParameter["type"] })}
        />
        {!readOnly && (
          <Stack gap={2}>
            {onRaise && (
              <ActionIcon size="sm" aria-label={`Move ${of} up`} onClick={onRaise}>
                <IconArrowUp size={14} />
              </ActionIcon>
            )}
            <ActionIcon size="sm" aria-label={`Remove ${of}`} onClick={onRemove}>
              <IconTrash size={14} />
            </ActionIcon>
          </Stack>
        )}
      </Group>
      {all && (
        <Text size="xs" c="var(--mantine-color-error)">
          {all}
        </Text>
      )}
      <TextInput
        size="xs"
        mt={4}
        label="Question"
        value={input.description ?? ""}
        onChange={({ currentTarget }) => set({ description: currentTarget.value })}
      />
      <Group gap="sm" mt={6}>
        <Switch
          size="xs"
          label="Required"
          checked={input.required ?? true}
          onChange={({ currentTarget }) => set({ required: currentTarget.checked })}
        />
        <Button
          size="compact-xs"
          variant="subtle"
          onClick={toggle}
          aria-expanded={opened}
          aria-label={`Validation of ${of}`}
        >
          Validation
        </Button>
      </Group>
      <Collapse expanded={opened}>
        {opened && (
          <Stack gap={4} mt={4}>
            {input.type !== "boolean" && (
              <TagsInput
                size="xs"
                label="Choices"
                description="Press Enter after each. Empty: anything."
                value={[...(input.enum ?? [])]}
                onChange={setChoices}
              />
            )}
            {isText && (
              <>
                <Select
                  size="xs"
                  label="Format"
                  clearable
                  placeholder="any"
                  data={
                    input.format && !FORMATS.some(({ value }) => value === input.format)
                      ? [...FORMATS, { value: input.format, label: input.format }]
                      : FORMATS
                  }
                  value={input.format ?? null}
                  onChange={(format) => setOptional("format", format)}
                />
                <TextInput
                  size="xs"
                  label="Pattern"
                  description="A regular expression, such as ^[0-9]{5}$."
                  ff="monospace"
                  value={input.pattern ?? ""}
                  onChange={({ currentTarget }) => setOptional("pattern", currentTarget.value)}
                />
              </>
            )}
          </Stack>
        )}
      </Collapse>
    </fieldset>
  );
}

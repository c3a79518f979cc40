import { Button, Group, Select, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import { useState } from "react";
import type { Step } from "../api-types.ts";
import { JsonEditor } from "../editors/json-editor.tsx";
import { conditionText, type NextEntry, nextOf } from "./workflow.ts";

type Props = {
  step: Step;
  ids: string[];
  readOnly: boolean;
  onChange(step: Step): void;
  onRename(id: string): void;
  onRemove(): void;
};

/** One step: its instructions, inputs, actions and next steps. */
export function StepPanel({ step, ids, readOnly, onChange, onRename, onRemove }: Props) {
  const [id, setId] = useState(step.id);
  const isTaken = id !== step.id && ids.includes(id);
  return (
    <Stack gap="sm">
      <TextInput
        label="Step"
        value={id}
        onChange={({ currentTarget }) => setId(currentTarget.value)}
        onBlur={() => {
          if (id !== step.id && id !== "" && !isTaken) onRename(id);
          else setId(step.id);
        }}
        error={isTaken ? "Another step has this name" : id === "" ? "A step needs a name" : null}
        disabled={readOnly}
      />
      <Textarea
        label="Goal"
        description="Tells the model what the step is for."
        dir="auto"
        autosize
        minRows={1}
        value={step.goal}
        onChange={({ currentTarget }) => onChange({ ...step, goal: currentTarget.value })}
        disabled={readOnly}
      />
      <JsonEditor
        label="Instructions"
        description={'A list of texts; {"if": …, "text": …} shows one only when the condition holds.'}
        value={step.instructions ?? []}
        onChange={(instructions) => onChange({ ...step, instructions: instructions as Step["instructions"] })}
        readOnly={readOnly}
      />
      <JsonEditor
        label="Inputs"
        description="Values the model collects: name, type, description, enum, pattern, format, required."
        value={step.inputs ?? []}
        onChange={(inputs) => onChange({ ...step, inputs: inputs as Step["inputs"] })}
        readOnly={readOnly}
      />
      <JsonEditor
        label="Actions"
        description="start, enter, presubmit and submit: set, inc, get, save, call, say."
        value={step.on ?? {}}
        onChange={(on) => onChange({ ...step, on: on as Step["on"] })}
        readOnly={readOnly}
      />
      <NextEntries step={step} ids={ids} readOnly={readOnly} onChange={onChange} />
      {!readOnly && (
        <Group>
          <Button
            size="xs"
            variant="default"
            color="red"
            leftSection={<IconTrash size={14} />}
            onClick={onRemove}
          >
            Remove this step
          </Button>
        </Group>
      )}
    </Stack>
  );
}

/** Transitions are tried in this order; the first whose condition holds is taken. */
function NextEntries({ step, ids, readOnly, onChange }: Omit<Props, "onRename" | "onRemove">) {
  const entries = nextOf(step);
  const store = (next: NextEntry[]) =>
    onChange({
      ...step,
      next: next.map((entry) =>
        entry.if == null && !entry.requires?.length ? entry.id : entry,
      ) as Step["next"],
    });
  return (
    <Stack gap={6}>
      <Text size="sm" fw={500}>
        Next steps
      </Text>
      <Text size="xs" c="dimmed">
        The first whose condition holds decides. Without one it always does; with none at all the workflow
        ends here.
      </Text>
      {entries.map((entry, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an entry is its place in the order
        <Group key={index} gap={6} wrap="nowrap" align="flex-start">
          <Select
            aria-label={`Target step of transition ${index + 1}`}
            size="xs"
            style={{ flex: "1 1 40%" }}
            data={ids}
            value={ids.includes(entry.id) ? entry.id : null}
            placeholder={`${entry.id} is gone`}
            allowDeselect={false}
            onChange={(id) => id && store(entries.with(index, { ...entry, id }))}
            disabled={readOnly}
          />
          <TextInput
            aria-label={`Condition of ${entry.id}`}
            size="xs"
            style={{ flex: "1 1 60%" }}
            placeholder="always"
            ff="monospace"
            value={typeof entry.if === "string" || entry.if == null ? (entry.if ?? "") : ""}
            {...(typeof entry.if === "object" && entry.if !== null
              ? { placeholder: conditionText(entry.if) ?? "", readOnly: true, title: "Edit it as JSON" }
              : {})}
            onChange={({ currentTarget }) =>
              store(entries.with(index, withCondition(entry, currentTarget.value)))
            }
            disabled={readOnly}
          />
          {!readOnly && (
            <Button
              size="xs"
              variant="subtle"
              color="gray"
              aria-label={`Remove transition to ${entry.id}`}
              onClick={() => store(entries.toSpliced(index, 1))}
            >
              <IconTrash size={14} />
            </Button>
          )}
        </Group>
      ))}
      {!readOnly && (
        <div>
          <Button
            size="compact-sm"
            variant="subtle"
            leftSection={<IconPlus size={14} />}
            onClick={() => store([...entries, { id: ids.find((id) => id !== step.id) ?? step.id }])}
          >
            Add transition
          </Button>
        </div>
      )}
    </Stack>
  );
}

function withCondition({ if: _, ...entry }: NextEntry, text: string): NextEntry {
  return text.trim() === "" ? entry : { ...entry, if: text };
}

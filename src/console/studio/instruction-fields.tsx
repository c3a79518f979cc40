import { ActionIcon, Button, Group, Stack } from "@mantine/core";
import { IconArrowUp, IconPlus, IconTrash } from "@tabler/icons-react";
import type { ConditionalText, Step } from "../api-types.ts";
import { TemplateEditor } from "../editors/template-editor.tsx";
import { ConditionField } from "./condition-field.tsx";
import { type ChangeStep, useFault, useSurroundings } from "./step-context.ts";
import classes from "./studio.module.css";

type Instruction = string | ConditionalText;

/** What the model reads when the step begins: texts, each maybe with a condition. */
export function InstructionFields(props: { step: Step; onChange: ChangeStep }) {
  const { step, onChange } = props;
  const { readOnly } = useSurroundings();
  const instructions = (step.instructions ?? []) as Instruction[];
  const store = (next: Instruction[], key?: string) =>
    onChange((now) => ({ ...now, instructions: next }), key);
  return (
    <Stack gap={6}>
      {instructions.map((instruction, index) => (
        <OneInstruction
          // biome-ignore lint/suspicious/noArrayIndexKey: instructions are read in this order
          key={index}
          instruction={instruction}
          index={index}
          onChange={(next) => store(instructions.with(index, next), `instruction ${index}`)}
          onRemove={() => store(instructions.toSpliced(index, 1))}
          onRaise={
            index === 0
              ? null
              : () => store(instructions.toSpliced(index, 1).toSpliced(index - 1, 0, instruction))
          }
        />
      ))}
      {!readOnly && (
        <Button
          size="compact-sm"
          variant="subtle"
          w="fit-content"
          leftSection={<IconPlus size={14} />}
          onClick={() => store([...instructions, ""])}
        >
          Add instruction
        </Button>
      )}
    </Stack>
  );
}

function OneInstruction(props: {
  instruction: Instruction;
  index: number;
  onChange(instruction: Instruction): void;
  onRemove(): void;
  onRaise: (() => void) | null;
}) {
  const { instruction, index, onChange, onRemove, onRaise } = props;
  const { names, readOnly } = useSurroundings();
  const {
    text,
    if: condition,
    ...more
  } = typeof instruction === "string" ? { text: instruction, if: undefined } : instruction;
  const of = `instruction ${index + 1}`;
  const fault = useFault("instructions", index, "text");
  const own = useFault("instructions", index);
  return (
    <div className={classes.item}>
      <Group gap={4} wrap="nowrap" align="flex-start">
        <div style={{ flex: 1, minWidth: 0 }}>
          <TemplateEditor
            label={`Instruction ${index + 1}`}
            size="line"
            value={text}
            variables={names}
            onChange={(typed) =>
              onChange(condition == null ? typed : { ...more, if: condition, text: typed })
            }
            error={typeof instruction === "string" ? own : fault}
            readOnly={readOnly}
          />
        </div>
        {!readOnly && (
          <Stack gap={2}>
            <ActionIcon size="sm" aria-label={`Remove ${of}`} onClick={onRemove}>
              <IconTrash size={14} />
            </ActionIcon>
            {onRaise && (
              <ActionIcon size="sm" aria-label={`Move ${of} up`} onClick={onRaise}>
                <IconArrowUp size={14} />
              </ActionIcon>
            )}
          </Stack>
        )}
      </Group>
      <ConditionField
        of={of}
        value={condition}
        place={["instructions", index, "if"]}
        onChange={(next) => onChange(next === undefined ? text : { ...more, if: next, text })}
      />
    </div>
  );
}

import {
  Button,
  Collapse,
  Group,
  MultiSelect,
  Stack,
  Switch,
  Text,
  Textarea,
  TextInput,
} from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconFlag, IconTrash } from "@tabler/icons-react";
import { type ReactNode, useState } from "react";
import type { Step, StepTools } from "../api-types.ts";
import { Steady } from "../records/steady.tsx";
import { ActionList } from "./action-list.tsx";
import { InputFields } from "./input-fields.tsx";
import { InstructionFields } from "./instruction-fields.tsx";
import { type ChangeStep, useFault, useSurroundings } from "./step-context.ts";
import { TransitionFields } from "./transition-fields.tsx";

type Props = {
  step: Step;
  ids: readonly string[];
  isFirst: boolean;
  onChange: ChangeStep;
  onRename(id: string): void;
  onRenameInput(from: string, to: string): void;
  onMakeFirst(): void;
  onRemove(): void;
};

/** One step: what the model is told, what it asks, what the workflow does by itself, and where it leads. */
export function StepForm(props: Props) {
  const { step, ids, isFirst, onChange, onRename, onRenameInput, onMakeFirst, onRemove } = props;
  const { readOnly } = useSurroundings();
  const [id, setId] = useState(step.id);
  const [stored, setStored] = useState(step.id);
  if (step.id !== stored) {
    setStored(step.id);
    setId(step.id);
  }
  const isTaken = id !== step.id && ids.includes(id);
  const rename = () => {
    if (id !== step.id && id !== "" && !isTaken) onRename(id);
    else setId(step.id);
  };
  const idFault = useFault("id");
  return (
    <Stack gap="sm">
      <TextInput
        label="Step"
        value={id}
        data-own-undo={id !== step.id || undefined}
        onChange={({ currentTarget }) => setId(currentTarget.value)}
        onBlur={rename}
        onKeyDown={(event) => {
          if (event.key !== "Enter") return;
          event.preventDefault();
          rename();
        }}
        error={isTaken ? "Name already in use" : id === "" ? "Enter a name" : idFault}
        readOnly={readOnly}
      />
      <Textarea
        label="Goal"
        description="Tells the model what the step is for."
        autosize
        minRows={1}
        value={step.goal}
        onChange={({ currentTarget: { value: goal } }) => onChange((now) => ({ ...now, goal }), "goal")}
        error={useFault("goal")}
        readOnly={readOnly}
      />
      <Section title="Instructions" of={[step.id, step.instructions]}>
        {() => <InstructionFields step={step} onChange={onChange} />}
      </Section>
      <Section title="Inputs" of={[step.id, step.inputs]}>
        {() => <InputFields step={step} onChange={onChange} onRename={onRenameInput} />}
      </Section>
      <Section title="Actions" of={[step.id, step.on, step.inputs, isFirst]}>
        {() => <ActionList step={step} isFirst={isFirst} onChange={onChange} />}
      </Section>
      <Section title="Next steps" of={[step.id, step.next, step.inputs, ids]}>
        {() => <TransitionFields step={step} ids={ids} onChange={onChange} />}
      </Section>
      <Steady of={[step.id, step.tools]}>{() => <StepToolFields step={step} onChange={onChange} />}</Steady>
      {!readOnly && (
        <Group gap="xs">
          {!isFirst && (
            <Button size="xs" variant="default" leftSection={<IconFlag size={14} />} onClick={onMakeFirst}>
              Begin with this step
            </Button>
          )}
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

/** `of` is all of the step that the section shows, and the name by which its edits find the step. */
function Section({ title, of, children }: { title: string; of: unknown[]; children(): ReactNode }) {
  return (
    <Steady of={of}>
      {() => (
        <Stack gap={4} component="section" aria-label={title}>
          <Text size="sm" fw={600}>
            {title}
          </Text>
          {children()}
        </Stack>
      )}
    </Steady>
  );
}

/** Which tools the model has in the step, and whether the step waits for the person. */
function StepToolFields({ step, onChange }: Pick<Props, "step" | "onChange">) {
  const { tools } = useSurroundings();
  const [opened, { toggle }] = useDisclosure(step.tools != null);
  const fault = useFault("tools");
  const given = step.tools ?? {};
  const store = (next: StepTools) => {
    const kept = Object.fromEntries(
      Object.entries(next).filter(([, value]) => value != null && value !== false),
    );
    onChange(({ tools: _, ...rest }) => (Object.keys(kept).length > 0 ? { ...rest, tools: kept } : rest));
  };
  return (
    <Stack gap={4}>
      <Button size="compact-sm" variant="subtle" w="fit-content" onClick={toggle} aria-expanded={opened}>
        Tools in this step
      </Button>
      <Collapse expanded={opened}>
        {opened && (
          <Stack gap="xs">
            <Switch
              size="xs"
              label="Continue at once, without waiting for the person"
              checked={given.call ?? false}
              onChange={({ currentTarget }) => store({ ...given, call: currentTarget.checked })}
            />
            <Switch
              size="xs"
              label="Let the model jump to another step"
              checked={given.allowGoToStep ?? false}
              onChange={({ currentTarget }) => store({ ...given, allowGoToStep: currentTarget.checked })}
            />
            <Switch
              size="xs"
              label="Limit the tools"
              checked={given.allow != null}
              onChange={({ currentTarget }) => store({ ...given, allow: currentTarget.checked ? [] : null })}
            />
            {given.allow != null && (
              <MultiSelect
                size="xs"
                label="Tools the model may use"
                searchable
                data={[...new Set([...tools.map(({ name }) => name), ...given.allow])]}
                value={[...given.allow]}
                onChange={(allow) => store({ ...given, allow })}
              />
            )}
            {fault && (
              <Text size="xs" c="var(--mantine-color-error)">
                {fault}
              </Text>
            )}
          </Stack>
        )}
      </Collapse>
    </Stack>
  );
}

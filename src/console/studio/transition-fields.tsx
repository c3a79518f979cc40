import { ActionIcon, Button, Group, MultiSelect, Select, Stack, Text } from "@mantine/core";
import { IconArrowUp, IconPlus, IconTrash } from "@tabler/icons-react";
import type { Step } from "../api-types.ts";
import { withNext } from "../workflows/step-edits.ts";
import { type NextEntry, nextOf } from "../workflows/workflow.ts";
import { ConditionField } from "./condition-field.tsx";
import { type ChangeStep, useFault, useSurroundings } from "./step-context.ts";
import classes from "./studio.module.css";

/** Transitions are tried in this order; the first whose condition holds is taken. */
export function TransitionFields(props: { step: Step; ids: readonly string[]; onChange: ChangeStep }) {
  const { step, ids, onChange } = props;
  const { readOnly } = useSurroundings();
  const entries = nextOf(step);
  const store = (next: NextEntry[], key?: string) => onChange((now) => withNext(now, next), key);
  return (
    <Stack gap={6}>
      <Text size="xs" c="dimmed">
        The first transition whose condition holds is taken. Without transitions, the workflow ends here.
      </Text>
      {entries.map((entry, index) => (
        <OneTransition
          // biome-ignore lint/suspicious/noArrayIndexKey: a transition is its place in the order
          key={index}
          {...{ step, ids, entry, index }}
          onChange={(next) => store(entries.with(index, next), `transition ${index}`)}
          onRemove={() => store(entries.toSpliced(index, 1))}
          onRaise={
            index === 0 ? null : () => store(entries.toSpliced(index, 1).toSpliced(index - 1, 0, entry))
          }
        />
      ))}
      {!readOnly && (
        <Button
          size="compact-sm"
          variant="subtle"
          w="fit-content"
          leftSection={<IconPlus size={14} />}
          onClick={() => store([...entries, { id: ids.find((id) => isNewTarget(id, step)) ?? step.id }])}
        >
          Add transition
        </Button>
      )}
    </Stack>
  );
}

const isNewTarget = (id: string, step: Step): boolean =>
  id !== step.id && !nextOf(step).some((entry) => entry.id === id);

function OneTransition(props: {
  step: Step;
  ids: readonly string[];
  entry: NextEntry;
  index: number;
  onChange(entry: NextEntry): void;
  onRemove(): void;
  onRaise: (() => void) | null;
}) {
  const { step, ids, entry, index, onChange, onRemove, onRaise } = props;
  const { readOnly } = useSurroundings();
  const of = `transition ${index + 1}`;
  const isPlain = typeof step.next?.[index] === "string";
  const byId = useFault("next", index, "id");
  const all = useFault("next", index);
  const requires = useFault("next", index, "requires");
  const condition = useFault("next", index, "if");
  const fault = isPlain ? all : (byId ?? (requires || condition ? null : all));
  const inputs = (step.inputs ?? []).map(({ name }) => name).filter(Boolean);
  return (
    <fieldset className={classes.item} aria-label={`Transition ${index + 1} to ${entry.id}`}>
      <Group gap={4} wrap="nowrap">
        <Select
          aria-label={`Target step of ${of}`}
          size="xs"
          style={{ flex: 1 }}
          data={[...new Set(ids)]}
          value={ids.includes(entry.id) ? entry.id : null}
          placeholder={`${entry.id} is gone`}
          allowDeselect={false}
          onChange={(id) => id && onChange({ ...entry, id })}
        />
        {!readOnly && (
          <>
            {onRaise && (
              <ActionIcon aria-label={`Move ${of} up`} onClick={onRaise}>
                <IconArrowUp size={14} />
              </ActionIcon>
            )}
            <ActionIcon aria-label={`Remove transition to ${entry.id}`} onClick={onRemove}>
              <IconTrash size={14} />
            </ActionIcon>
          </>
        )}
      </Group>
      {fault && (
        <Text size="xs" c="var(--mantine-color-error)">
          {fault}
        </Text>
      )}
      <ConditionField
        of={of}
        value={entry.if}
        place={["next", index, "if"]}
        onChange={(next) => {
          const { if: _, ...rest } = entry;
          onChange(next === undefined ? rest : { ...rest, if: next });
        }}
      />
      {(inputs.length > 0 || !!entry.requires?.length) && (
        <MultiSelect
          size="xs"
          mt={4}
          aria-label={`Required before ${of}`}
          placeholder={entry.requires?.length ? "" : "Required answers"}
          data={[...new Set([...inputs, ...(entry.requires ?? [])])]}
          value={[...(entry.requires ?? [])]}
          onChange={(chosen) => {
            const { requires: _, ...rest } = entry;
            onChange(chosen.length > 0 ? { ...rest, requires: chosen } : rest);
          }}
          error={requires}
        />
      )}
    </fieldset>
  );
}

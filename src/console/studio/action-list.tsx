import { ActionIcon, Button, Group, Menu, Stack, Text } from "@mantine/core";
import { IconArrowUp, IconPlus, IconTrash } from "@tabler/icons-react";
import type { Step } from "../api-types.ts";
import { STEP_EVENTS, type StepAction, type StepEvent } from "../workflows/workflow.ts";
import { ActionFields } from "./action-fields.tsx";
import { ConditionField } from "./condition-field.tsx";
import { type ChangeStep, useFault, useSurroundings } from "./step-context.ts";
import classes from "./studio.module.css";

const EVENT_WORDS: Record<StepEvent, string> = {
  start: "When the workflow starts",
  enter: "When the step begins",
  presubmit: "Before the answers are checked",
  submit: "After the answers",
};

const KIND_WORDS: Record<StepAction["action"], string> = {
  say: "Say a text",
  call: "Call a tool",
  set: "Set a variable",
  inc: "Count",
  get: "Fill inputs",
  load: "Fill inputs",
  save: "Save answers",
};

/** What each event takes: as the API's checker has it. */
const TAKES: Record<StepEvent, readonly StepAction["action"][]> = {
  start: ["say", "call", "set", "inc"],
  enter: ["say", "call", "set", "inc", "get"],
  presubmit: ["save", "set", "inc", "get"],
  submit: ["save", "call", "say", "set", "inc"],
};

const NEW_ACTIONS: Record<StepAction["action"], StepAction> = {
  say: { action: "say", text: "", role: "assistant" },
  call: { action: "call", name: "" },
  set: { action: "set", name: "local.", value: "" },
  inc: { action: "inc", name: "local.", by: 1 },
  get: { action: "get", overwrite: false },
  load: { action: "load", overwrite: false },
  save: { action: "save" },
};

/** What a step does by itself, without asking the model. */
export function ActionList(props: { step: Step; isFirst: boolean; onChange: ChangeStep }) {
  const { step, isFirst, onChange } = props;
  const { readOnly } = useSurroundings();
  const storeOf = (event: StepEvent) => (actions: StepAction[], key?: string) =>
    onChange(({ on: before, ...rest }) => {
      const { [event]: _, ...others } = before ?? {};
      const on = actions.length > 0 ? { ...before, [event]: actions } : others;
      return Object.keys(on).length > 0 ? { ...rest, on } : rest;
    }, key);
  const events = STEP_EVENTS.filter((event) => event !== "start" || isFirst || step.on?.start?.length);
  return (
    <Stack gap="sm">
      {events.map((event) => (
        <EventActions
          key={event}
          event={event}
          step={step}
          actions={[...(step.on?.[event] ?? [])]}
          store={storeOf(event)}
        />
      ))}
      {!readOnly && (
        <Menu position="bottom-start">
          <Menu.Target>
            <Button size="compact-sm" variant="subtle" leftSection={<IconPlus size={14} />} w="fit-content">
              Add action
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {events.map((event) => [
              <Menu.Label key={event}>{EVENT_WORDS[event]}</Menu.Label>,
              ...TAKES[event].map((kind) => (
                <Menu.Item
                  key={`${event} ${kind}`}
                  aria-label={`${EVENT_WORDS[event]}: ${KIND_WORDS[kind]}`}
                  onClick={() => storeOf(event)([...(step.on?.[event] ?? []), NEW_ACTIONS[kind]])}
                >
                  {KIND_WORDS[kind]}
                </Menu.Item>
              )),
            ])}
          </Menu.Dropdown>
        </Menu>
      )}
    </Stack>
  );
}

function EventActions(props: {
  event: StepEvent;
  step: Step;
  actions: StepAction[];
  store(actions: StepAction[], key?: string): void;
}) {
  const { event, step, actions, store } = props;
  if (actions.length === 0) return null;
  return (
    <Stack gap={6} role="group" aria-label={EVENT_WORDS[event]}>
      <Text size="xs" fw={600}>
        {EVENT_WORDS[event]}
      </Text>
      {actions.map((action, index) => (
        <OneAction
          // biome-ignore lint/suspicious/noArrayIndexKey: actions are run in this order
          key={index}
          {...{ event, step, action, index }}
          onChange={(next) => store(actions.with(index, next), `${event} ${index}`)}
          onRemove={() => store(actions.toSpliced(index, 1))}
          onRaise={
            index === 0 ? null : () => store(actions.toSpliced(index, 1).toSpliced(index - 1, 0, action))
          }
        />
      ))}
    </Stack>
  );
}

function OneAction(props: {
  event: StepEvent;
  step: Step;
  action: StepAction;
  index: number;
  onChange(action: StepAction): void;
  onRemove(): void;
  onRaise: (() => void) | null;
}) {
  const { event, step, action, index, onChange, onRemove, onRaise } = props;
  const { readOnly } = useSurroundings();
  const place = ["on", event, index];
  const of = `action ${index + 1} ${lowered(EVENT_WORDS[event])}`;
  const fault = useFault(...place, "action");
  return (
    <fieldset className={classes.item} aria-label={`Action ${index + 1}: ${KIND_WORDS[action.action]}`}>
      <Group gap={4} justify="space-between" mb={4}>
        <Text size="sm" fw={550}>
          {KIND_WORDS[action.action]}
        </Text>
        {!readOnly && (
          <Group gap={2}>
            {onRaise && (
              <ActionIcon size="sm" aria-label={`Move up ${of}`} onClick={onRaise}>
                <IconArrowUp size={14} />
              </ActionIcon>
            )}
            <ActionIcon size="sm" aria-label={`Remove ${of}`} onClick={onRemove}>
              <IconTrash size={14} />
            </ActionIcon>
          </Group>
        )}
      </Group>
      {fault && (
        <Text size="xs" c="var(--mantine-color-error)">
          {fault}
        </Text>
      )}
      <ActionFields action={action} onChange={onChange} step={step} place={place} of={of} />
      <ConditionField
        of={of}
        value={action.if}
        place={[...place, "if"]}
        onChange={(condition) => {
          const { if: _, ...rest } = action;
          onChange((condition === undefined ? rest : { ...rest, if: condition }) as StepAction);
        }}
      />
    </fieldset>
  );
}

const lowered = (words: string): string => words.charAt(0).toLowerCase() + words.slice(1);

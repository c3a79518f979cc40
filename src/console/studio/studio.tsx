import { Alert, Button, Group, Select, Text } from "@mantine/core";
import {
  IconAlertTriangle,
  IconArrowBackUp,
  IconArrowForwardUp,
  IconLayoutGrid,
  IconPlus,
} from "@tabler/icons-react";
import { Fragment, type RefObject, useCallback, useContext, useEffect, useMemo, useState } from "react";
import type { PlayedEvent, StepsTask, ToolDefinition } from "../api-types.ts";
import { Unreadable } from "../editors/unreadable.ts";
import { ViewSwitch } from "../parts/view-switch.tsx";
import { ReadOnly } from "../records/read-only.tsx";
import { issuesBelow, type PlacedIssue } from "../workflows/issue-places.ts";
import { arrange, isArranged, moveSteps } from "../workflows/layout.ts";
import { namesAt } from "../workflows/names.ts";
import { renameInput } from "../workflows/rename-input.ts";
import {
  addStep,
  connectSteps,
  disconnect,
  editStep,
  makeFirst,
  removeStep,
  renameStep,
} from "../workflows/step-edits.ts";
import { stepsTasks, withTask } from "../workflows/workflow.ts";
import { Canvas, type CanvasActs } from "./canvas.tsx";
import { FoundInWorkflow } from "./found-in-workflow.tsx";
import { JsonPane } from "./json-pane.tsx";
import { PlayPane, type RecordedSession } from "./play-pane.tsx";
import { PlayVariables } from "./play-variables.tsx";
import { StepContext } from "./step-context.ts";
import { StepForm } from "./step-form.tsx";
import classes from "./studio.module.css";
import { useAround } from "./use-around.ts";
import { useBreakpoints } from "./use-breakpoints.ts";
import { useKept } from "./use-kept.ts";
import { useUndoKeys } from "./use-undo-keys.ts";
import { WorkflowForm } from "./workflow-form.tsx";

type Props = {
  definition: ToolDefinition;
  /** `key` names the field that is typed in, so that typing on is one edit. */
  onChange(edit: (now: ToolDefinition) => ToolDefinition, key?: string): void;
  undo: (() => void) | null;
  redo: (() => void) | null;
  issues: readonly PlacedIssue[];
  readOnly: boolean;
  /** A session to play with the workflow as it is now. */
  recorded: RecordedSession | null;
  /** Kept by the page: its form is drawn anew after a merge, and nobody wants to be led to the first step. */
  left: RefObject<StudioPlace | null>;
};

type Side = "step" | "workflow" | "json" | "play";

/** Where somebody is in a studio. */
export type StudioPlace = { task: number; step: string | null; side: Side };

/** A workflow on a canvas, edited by forms beside it, as JSON, or played as a conversation. */
export default function Studio(props: Props) {
  const { definition, onChange, undo, redo, issues, recorded, left } = props;
  const tasks = useMemo(() => stepsTasks(definition), [definition]);
  const [chosenTask, chooseTask] = useState(left.current?.task ?? tasks[0]?.index ?? 0);
  const { task, index, path } =
    tasks.find((each) => each.index === chosenTask) ?? (tasks[0] as (typeof tasks)[0]);
  const [side, setSide] = useState<Side>(left.current?.side ?? (recorded ? "play" : "step"));
  // Another step is another form; a renamed one stays the same, so that typing goes on in the next field.
  const [{ selected, form }, setSelected] = useState({
    selected: left.current?.step ?? task.steps[0]?.id ?? null,
    form: 0,
  });
  left.current = { task: index, step: selected, side };
  const select = (id: string | null) =>
    setSelected((before) => (before.selected === id ? before : { selected: id, form: before.form + 1 }));
  const [played, setPlayed] = useState<readonly PlayedEvent[]>([]);
  const last = played.at(-1);
  // What is typed as JSON and can't be applied yet. The rest can't be edited meanwhile: it would be typed over.
  const [text, setText] = useState<string | null>(null);
  const [edition, setEdition] = useState(0);
  useToldUnreadable(text !== null && side !== "json");
  const readOnly = props.readOnly || text !== null;
  const breakpoints = useBreakpoints();
  const isPlaying = side === "play";

  const change = (edited: (now: StepsTask) => StepsTask, key?: string) =>
    onChange(
      (now) =>
        withTask(now, index, edited(stepsTasks(now).find((each) => each.index === index)?.task ?? task)),
      key === undefined ? undefined : `${index} ${key}`,
    );
  const step = task.steps.find(({ id }) => id === selected) ?? null;
  const place = task.steps.findIndex(({ id }) => id === selected);
  // A renamed or removed step that Undo brings back is not the one that was selected: its neighbour is.
  const [lastPlace, setLastPlace] = useState(place);
  if (place >= 0 && place !== lastPlace) setLastPlace(place);
  if (place < 0 && selected !== null)
    select(task.steps[Math.min(Math.max(lastPlace, 0), task.steps.length - 1)]?.id ?? null);

  const visited = useMemo(() => played.flatMap(({ step }) => step ?? []), [played]);
  const around = useAround();
  const byStep = useMemo(() => {
    const inTask = issuesBelow(issues, path);
    return new Map(task.steps.map(({ id }, at) => [id, issuesBelow(inTask, ["steps", at])]));
  }, [issues, path, task.steps]);
  // All fields of the step read these, and a key changes them seldom.
  const surroundings = useKept({
    issues: side === "workflow" ? issuesBelow(issues, path) : (step && byStep.get(step.id)) || [],
    names: useMemo(() => namesAt(task, step, around.names), [task, step, around.names]),
    tools: around.tools,
    readOnly,
  });

  const edit: CanvasActs = {
    select(id) {
      select(id);
      setSide("step");
    },
    connect: (from, to) => change((now) => connectSteps(now, from, to)),
    addAt(from, at, shown) {
      const added = addStep(moveSteps(task, shown), { at });
      change(() => connectSteps(added.task, from, added.id));
      edit.select(added.id);
    },
    move: (places) => change((now) => moveSteps(now, places)),
    remove: (id) => change((now) => removeStep(now, id)),
    disconnect: (from, at) => change((now) => disconnect(now, from, at)),
  };
  const acts: Partial<CanvasActs> = isPlaying || readOnly ? { select: edit.select } : edit;

  useUndoKeys(readOnly ? null : { undo, redo });

  const Fields = readOnly ? ReadOnly : Fragment;
  return (
    <section
      aria-label="Workflow studio"
      onKeyDown={(event) => {
        // Enter ends a field here; the form around the studio is saved by its button or Ctrl S.
        if (event.key === "Enter" && event.target instanceof HTMLInputElement) event.preventDefault();
      }}
    >
      <Group gap="xs" justify="space-between" mb="sm">
        <Group gap="xs">
          {!props.readOnly && (
            <>
              <Button
                size="xs"
                variant="default"
                aria-label="Undo"
                title="Undo (Ctrl Z)"
                disabled={!undo || readOnly}
                onClick={() => undo?.()}
              >
                <IconArrowBackUp size={15} />
              </Button>
              <Button
                size="xs"
                variant="default"
                aria-label="Redo"
                title="Redo (Ctrl Shift Z)"
                disabled={!redo || readOnly}
                onClick={() => redo?.()}
              >
                <IconArrowForwardUp size={15} />
              </Button>
              <Button
                size="xs"
                variant="default"
                leftSection={<IconPlus size={14} />}
                disabled={readOnly}
                onClick={() => {
                  const added = addStep(task, { below: selected });
                  change(() => added.task);
                  edit.select(added.id);
                }}
              >
                Add step
              </Button>
              <Button
                size="xs"
                variant="default"
                leftSection={<IconLayoutGrid size={14} />}
                disabled={readOnly || !isArranged(task)}
                onClick={() => change(arrange)}
              >
                Arrange
              </Button>
            </>
          )}
          {tasks.length > 1 && (
            <Select
              aria-label="Workflow"
              size="xs"
              allowDeselect={false}
              data={tasks.map(({ task: each, index: at }) => ({
                value: String(at),
                label: each.id ?? each.tool?.name ?? `Task ${at + 1}`,
              }))}
              value={String(index)}
              onChange={(at) => chooseTask(Number(at))}
            />
          )}
        </Group>
        <ViewSwitch
          label="Beside the canvas"
          views={{ step: "Step", workflow: "Settings", json: "JSON", play: "Play" }}
          value={side}
          onChange={setSide}
        />
      </Group>
      {text !== null && side !== "json" && (
        <Alert color="yellow" icon={<IconAlertTriangle />} mb="sm">
          The JSON that you typed is invalid. Correct it under JSON, or restore the last valid definition
          there.
        </Alert>
      )}
      <StepContext.Provider value={surroundings}>
        <div className={classes.split}>
          <div className={classes.canvas}>
            <Canvas
              task={task}
              selected={selected}
              current={isPlaying && last?.status === "active" ? last.step : null}
              {...(isPlaying && { visited })}
              issues={byStep}
              acts={acts}
              breakpoints={isPlaying ? breakpoints : undefined}
            />
            {isPlaying && <PlayVariables played={played} />}
          </div>
          <div className={classes.side}>
            {side === "play" ? (
              <PlayPane
                definition={definition}
                task={index}
                recorded={recorded}
                breakpoints={breakpoints}
                onPlayed={setPlayed}
              />
            ) : side === "json" ? (
              <JsonPane
                key={edition}
                definition={definition}
                onChange={(next) => onChange(() => next, "json")}
                issues={issues}
                text={text}
                onText={setText}
                onRestore={() => {
                  setText(null);
                  setEdition(edition + 1);
                }}
                readOnly={props.readOnly}
              />
            ) : side === "workflow" ? (
              <Fields>
                <WorkflowForm task={task} onChange={(next, key) => change(() => next, key)} />
              </Fields>
            ) : step ? (
              <Fields>
                <StepForm
                  key={form}
                  step={step}
                  ids={task.steps.map(({ id }) => id)}
                  isFirst={place === 0}
                  onChange={(edited, key) =>
                    change((now) => editStep(now, step.id, edited), key && `${step.id} ${key}`)
                  }
                  onRename={(id) => {
                    change((now) => renameStep(now, step.id, id));
                    setSelected({ selected: id, form });
                  }}
                  onRenameInput={(from, to) => change((now) => renameInput(now, step.id, from, to))}
                  onMakeFirst={() => change((now) => makeFirst(now, step.id))}
                  onRemove={() => edit.remove(step.id)}
                />
              </Fields>
            ) : (
              <Text size="sm" c="dimmed">
                This workflow has no steps. Add one.
              </Text>
            )}
          </div>
        </div>
      </StepContext.Provider>
      <FoundInWorkflow issues={issues} byStep={byStep} onSelect={edit.select} />
    </section>
  );
}

/** The form can't be saved while a text is kept that it doesn't have; the JSON editor tells that itself while it is shown. */
function useToldUnreadable(isKept: boolean): void {
  const tell = useContext(Unreadable);
  const count = useCallback((by: number) => tell((before) => before + by), [tell]);
  useEffect(() => {
    if (!isKept) return;
    count(1);
    return () => count(-1);
  }, [isKept, count]);
}

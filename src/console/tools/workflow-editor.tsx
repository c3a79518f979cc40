import { Button, Group, Select, Stack, Text } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useCallback, useContext, useState } from "react";
import type { ToolDefinition } from "../api-types.ts";
import { Unreadable } from "../editors/unreadable.ts";
import { ViewSwitch } from "../parts/view-switch.tsx";
import { StepPanel } from "./step-panel.tsx";
import {
  addStep,
  connectSteps,
  removeStep,
  renameStep,
  replaceStep,
  stepsTasks,
  withTask,
} from "./workflow.ts";
import classes from "./workflow-editor.module.css";
import { WorkflowGraph } from "./workflow-graph.tsx";
import { WorkflowPlay } from "./workflow-play.tsx";

type Props = { definition: ToolDefinition; onChange(definition: ToolDefinition): void; readOnly: boolean };

/** The steps of a context tool as a graph, edited in place or played without a model. */
export default function WorkflowEditor({ definition, onChange, readOnly }: Props) {
  const tasks = stepsTasks(definition);
  const [chosenTask, chooseTask] = useState(tasks[0]?.index ?? 0);
  const { task, index } = tasks.find((each) => each.index === chosenTask) ?? (tasks[0] as (typeof tasks)[0]);
  const [mode, setMode] = useState<"edit" | "play">("edit");
  const [selected, select] = useState<string | null>(task.steps?.[0]?.id ?? null);
  const [played, setPlayed] = useState<{ current: string | null; visited: string[] }>({
    current: null,
    visited: [],
  });
  const change = (next: typeof task) => onChange(withTask(definition, index, next));
  const step = task.steps?.find(({ id }) => id === selected) ?? null;
  const isPlaying = mode === "play";

  // Invalid JSON is not in the form's values: it would be lost when the step's panel closes.
  const tellForm = useContext(Unreadable);
  const [unreadable, setUnreadable] = useState(0);
  const tell = useCallback(
    (counted: (count: number) => number) => {
      setUnreadable(counted);
      tellForm(counted);
    },
    [tellForm],
  );
  const mayLeave = () =>
    unreadable === 0 || window.confirm("Leave this step? Its JSON can't be read yet, and is lost then.");

  return (
    <Stack gap="sm">
      <Group gap="xs" justify="space-between">
        <Group gap="xs">
          <ViewSwitch
            label="Workflow actions"
            views={{ edit: readOnly ? "Look" : "Edit", play: "Play" }}
            value={mode}
            onChange={(chosen) => mayLeave() && setMode(chosen)}
          />
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
              onChange={(at) => mayLeave() && chooseTask(Number(at))}
            />
          )}
        </Group>
        {!readOnly && !isPlaying && (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPlus size={14} />}
            onClick={() => {
              if (!mayLeave()) return;
              const added = addStep(task);
              change(added.task);
              select(added.id);
            }}
          >
            Add step
          </Button>
        )}
      </Group>
      <div className={classes.split}>
        <WorkflowGraph
          steps={task.steps ?? []}
          selected={isPlaying ? played.current : selected}
          visited={isPlaying ? played.visited : []}
          onSelect={isPlaying ? null : (id) => (id === selected || mayLeave()) && select(id)}
          onConnect={readOnly || isPlaying ? null : (from, to) => change(connectSteps(task, from, to))}
        />
        <div className={classes.side}>
          {isPlaying ? (
            <WorkflowPlay definition={definition} task={index} onStep={setPlayed} />
          ) : step ? (
            <Unreadable value={tell}>
              <StepPanel
                key={step.id}
                step={step}
                ids={(task.steps ?? []).map(({ id }) => id)}
                readOnly={readOnly}
                onChange={(next) => change(replaceStep(task, step.id, next))}
                onRename={(id) => {
                  if (!mayLeave()) return;
                  change(renameStep(task, step.id, id));
                  select(id);
                }}
                onRemove={() => {
                  change(removeStep(task, step.id));
                  select(null);
                }}
              />
            </Unreadable>
          ) : (
            <Text size="sm" c="dimmed">
              Select a step to see its inputs and transitions.
            </Text>
          )}
        </div>
      </div>
    </Stack>
  );
}

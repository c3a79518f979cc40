import type { Issue, Path } from "../../schemas/validation-issue.ts";
import { isRoutingStep } from "../routing-step.ts";
import type { Step, StepsTask, Task } from "../task-definition.ts";
import { actionsOf, hookedActions, taskToolName } from "../task-parts.ts";

/*
 * Steps that move on by themselves, and tasks that wait for one another.
 */

/** In a ring of routing steps where nothing is written no condition ever changes: entered, it is not left. */
export function endlessRouting(task: StepsTask, path: Path): Issue[] {
  const own = task.tool?.name;
  const still = new Map(
    task.steps
      .filter((step) => isRoutingStep(step, own) && !writes(step))
      .map((step) => [step.id, new Set(waysOf(step))]),
  );
  // Without those that lead out of the ring, or that nothing in it leads to, the rings are left.
  for (let before = -1; before !== still.size; ) {
    before = still.size;
    const entered = new Set([...still.values()].flatMap((ways) => [...ways]));
    for (const [id, ways] of still)
      if (!entered.has(id) || ways.isDisjointFrom(new Set(still.keys()))) still.delete(id);
  }
  return task.steps.flatMap((step, index): Issue[] =>
    still.has(step.id)
      ? [
          {
            id: "endless-routing",
            severity: "warning",
            message: `"${step.id}" moves on by itself in a ring of steps that change nothing, so the task ends there with an error. Let one of them ask, count or leave the ring.`,
            path: [...path, "steps", index, "next"],
            value: step.id,
          },
        ]
      : [],
  );
}

const writes = (step: Step): boolean =>
  hookedActions(step.on, [], ["enter", "presubmit", "submit"]).some(({ action }) => action.action !== "say");

/** Up to the first entry without a condition, which is always taken. */
function waysOf({ next = [] }: Step): string[] {
  const entries = next.map((entry) => (typeof entry === "string" ? { id: entry } : entry));
  const last = entries.findIndex((entry) => !("if" in entry) || entry.if == null);
  return entries.slice(0, last < 0 ? entries.length : last + 1).map(({ id }) => id);
}

type Placed = { task: Task; path: Path };

/** A call waits only in a steps task, and for one that somebody has to start. Judged among the tasks of one tool. */
export function waitIssues(tasks: readonly Placed[]): Issue[] {
  const byName = new Map(tasks.map(({ task, path }) => [taskToolName(task, path)?.name ?? "", task]));
  return tasks.flatMap(({ task, path }) =>
    actionsOf(task, path).flatMap(({ action, path }): Issue[] => {
      if (action.action !== "call" || !action.wait) return [];
      const called = byName.get(action.name);
      const issue = (id: string, message: string): Issue[] => [
        { id, severity: "warning", message, path: [...path, "wait"], value: action.name },
      ];
      if (task.type !== "steps" || (called && called.type !== "steps"))
        return issue(
          "wait-without-effect",
          "Only a steps task waits, and only for a steps task. Leave out wait.",
        );
      if (called?.type === "steps" && called.start === "auto")
        return issue(
          "wait-for-automatic-task",
          `${action.name} starts by itself with the session, and a task that is under way can't be called with wait. Set its start to manual.`,
        );
      if (called && leadsTo(called, task, byName))
        return issue("wait-in-a-ring", `${action.name} waits for this task in turn; that call is refused.`);
      return [];
    }),
  );
}

function leadsTo(from: Task, wanted: Task, byName: ReadonlyMap<string, Task>): boolean {
  const reached = new Set([from]);
  for (const task of reached) {
    for (const { action } of actionsOf(task, [])) {
      const called = action.action === "call" && action.wait ? byName.get(action.name) : undefined;
      if (called === wanted) return true;
      if (called) reached.add(called);
    }
  }
  return false;
}

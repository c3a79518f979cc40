/**
 * What one event of a step workflow costs, from the state as it is stored to the state as it is stored again: entering,
 * submitting, refusing, an injected call, and with 500 variables in the conversation.
 *
 *   node bench/steps.ts
 *
 * Medians of 15 rounds; a turn's budget for an event is 200 µs.
 */
import { ADDRESS_AND_TIME, steps, taskOf } from "../src/workflows/run-steps.examples.ts";
import { runTask, type WorkflowEvent } from "../src/workflows/run-steps.ts";
import type { TaskSurroundings } from "../src/workflows/task-run.ts";
import { taskTool } from "../src/workflows/task-tools.ts";
import { freshTask, type SessionTask, type TaskState } from "../src/workflows/workflow-state.ts";

const ROUNDS = 15;
const ROUND_MS = 30;

const system = {
  "vars.session.id": "1",
  "vars.session.date": "2026-11-20",
  "vars.session.language": "en-US",
  "vars.session.timezone": "America/New_York",
};
const around = (count: number): TaskSurroundings => ({
  variables: {
    "vars.name": "Ann",
    ...Object.fromEntries(Array.from({ length: count }, (_, i) => [`vars.field_${i}`, `value ${i}`])),
  },
  system,
  callable: () => ({ required: [] }),
});

const walk = taskOf(ADDRESS_AND_TIME);
const caller = taskOf(
  steps([
    {
      id: "A",
      on: {
        enter: [
          {
            action: "call",
            name: "lookup",
            arguments: { id: "{{ vars.name }}" },
            result: { save: [{ from: "slots[?open].id | [0]", to: "slot" }] },
          },
          { action: "set", name: "vars.slot", value: "{{ slot }}" },
        ],
      },
    },
  ]),
);
const slots = { slots: Array.from({ length: 50 }, (_, id) => ({ id, open: id % 3 === 1 })) };

/** Where these events lead, as it is stored. */
const stored = (task: SessionTask, ...events: WorkflowEvent[]): string => {
  let state = freshTask();
  for (const event of events) state = runTask(task, state, event, around(0)).state;
  return JSON.stringify(state);
};
const submit = (given: Record<string, unknown>): WorkflowEvent => ({ type: "submit", arguments: given });
const activate: WorkflowEvent = { type: "activate" };
const goodMail = submit({ email: "ann@example.com" });

const rows: string[][] = [];
for (const count of [40, 500]) {
  row(
    `activation: variables, start hook, first step (${count} variables)`,
    walk,
    stored(walk),
    activate,
    count,
  );
  row(
    `submission taken: 5 actions, 1 condition, next step (${count})`,
    walk,
    stored(walk, activate),
    goodMail,
    count,
  );
  row(
    `submission in a loop: say, 3 conditions (${count})`,
    walk,
    stored(walk, activate),
    submit({ email: "no" }),
    count,
  );
  row(
    `submission refused (${count})`,
    walk,
    stored(walk, activate, goodMail),
    submit({ when: "noon" }),
    count,
  );
  row(`up to an injected call (${count})`, caller, stored(caller), activate, count);
  const called: WorkflowEvent = { type: "called", result: slots, error: null };
  row(
    `its answer: a query over 50 items, two writes (${count})`,
    caller,
    stored(caller, activate),
    called,
    count,
  );
}
const live = { task: walk, state: JSON.parse(stored(walk, activate)) as TaskState };
rows.push(["the submit tool of a step", micros(median(() => taskTool(live, around(10))))]);

const header = ["event", "µs"];
process.stdout.write(
  `${[header, ["---", "---"], ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n")}\n`,
);

function row(name: string, task: SessionTask, state: string, event: WorkflowEvent, count: number): void {
  const surroundings = around(count);
  const work = () => JSON.stringify(runTask(task, JSON.parse(state) as TaskState, event, surroundings).state);
  rows.push([name, micros(median(work))]);
}

function median(work: () => unknown): number {
  const times = Array.from({ length: ROUNDS + 3 }, () => {
    let calls = 0;
    const start = performance.now();
    while (performance.now() - start < ROUND_MS) {
      for (let i = 0; i < 20; i++) work();
      calls += 20;
    }
    return ((performance.now() - start) * 1000) / calls;
  });
  return times.slice(3).toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)] as number;
}

function micros(value: number): string {
  return value.toFixed(1);
}

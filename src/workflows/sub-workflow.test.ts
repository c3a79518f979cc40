import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rounds } from "../../test/harness/seed.ts";
import { taskOf } from "./run-steps.examples.ts";
import { beginWait, cancelWait, dueReturn } from "./sub-workflow.ts";
import { freshTask, type SessionTask, type TaskState, type WorkflowsState } from "./workflow-state.ts";

const KEYS = ["a", "b", "c", "d"];
const tasks = Object.fromEntries(
  KEYS.map((id): [string, SessionTask] => [
    id,
    taskOf({ type: "steps", id, tool: { name: id }, steps: [{ id: "S", goal: "" }] }),
  ]),
);
const named = (key: string) => tasks[key] as SessionTask;
const all = (states: Record<string, Partial<TaskState>>): WorkflowsState => ({
  started: true,
  tasks: Object.fromEntries(Object.entries(states).map(([key, part]) => [key, { ...freshTask(), ...part }])),
});
const active: Partial<TaskState> = { status: "active", step: "S" };
const at = (workflows: WorkflowsState, key: string) => workflows.tasks[key] as TaskState;

describe("a task that waits for another one", () => {
  test("is told its output when it is completed, and waits no more", () => {
    const begun = beginWait(all({ a: { ...active, awaiting: true }, b: {} }), named("a"), named("b"));
    if (!begun.ok) throw new Error(begun.error);
    const running = all({ ...begun.workflows.tasks, b: active });
    expect(dueReturn(running)).toBeNull();
    const due = dueReturn(
      all({ ...running.tasks, b: { status: "completed", step: "S", output: { ok: 1 } } }),
    );
    expect(due).toMatchObject({
      caller: "a",
      event: { type: "called", result: { status: "completed", step: "S", output: { ok: 1 } }, error: null },
    });
    expect(at(due?.workflows as WorkflowsState, "a")).toMatchObject({ waits_for: null, awaiting: true });
  });

  test("is told why the other one ended early", () => {
    const error = 'There is no step "X".';
    const waiting = all({ a: { ...active, waits_for: "b" }, b: { status: "completed", error } });
    expect(dueReturn(waiting)?.event.error).toBe(error);
  });

  test("is told that the other one was never started, when the program stopped before", () => {
    expect(dueReturn(all({ a: { ...active, waits_for: "b" }, b: {} }))?.event).toMatchObject({
      result: null,
      error: "The program stopped before the task began.",
    });
  });

  test("begins a completed task anew, and refuses one that is under way", () => {
    const before = all({ a: active, b: { status: "completed", local: { n: 1 }, visits: { S: 9 } } });
    const begun = beginWait(before, named("a"), named("b"));
    expect(begun.ok && at(begun.workflows, "b")).toEqual(freshTask());
    expect(beginWait(all({ a: active, b: active }), named("a"), named("b"))).toEqual({
      ok: false,
      error: "The task b is under way already.",
    });
  });

  test("ends everything it waits for when it goes elsewhere", () => {
    const chain = all({
      a: { ...active, awaiting: true, waits_for: "b" },
      b: { ...active, awaiting: true, waits_for: "c" },
      c: { ...active, pending_calls: [{ tool: "x", arguments: {}, immediate: true }] },
      d: active,
    });
    const left = cancelWait(chain, "a");
    expect(at(left, "a")).toMatchObject({ status: "active", awaiting: false, waits_for: null, agenda: [] });
    for (const key of ["b", "c"])
      expect(at(left, key)).toMatchObject({ status: "completed", waits_for: null, pending_calls: [] });
    expect(at(left, "d")).toBe(at(chain, "d"));
    expect(dueReturn(left)).toBeNull();
  });

  test("is refused more than ten deep", () => {
    const names = Array.from({ length: 10 }, (_, n) => `t${n}`);
    const chain = all(
      Object.fromEntries(
        names.map((name, n) => [name, n < 9 ? { ...active, waits_for: names[n + 1] } : active]),
      ),
    );
    const of = (key: string) => beginWait(chain, { ...named("a"), key }, named("b"));
    expect(of("t8")).toMatchObject({ ok: true });
    expect(of("t9")).toEqual({ ok: false, error: "Tasks wait for one another more than 10 deep." });
  });

  test("is the one that is asked for, where several could go on", () => {
    const ended = { status: "completed" as const };
    const two = all({
      a: { ...active, waits_for: "c" },
      b: { ...active, waits_for: "d" },
      c: ended,
      d: ended,
    });
    expect([dueReturn(two, "b")?.caller, dueReturn(two, "c"), dueReturn(two)?.caller]).toEqual([
      "b",
      null,
      "a",
    ]);
  });
});

test("for all orders of calls, ends and jumps, nobody waits in a ring or for what has ended", () => {
  const act = fc.record({
    kind: fc.constantFrom("call", "end", "leave", "crash"),
    who: fc.constantFrom(...KEYS),
    whom: fc.constantFrom(...KEYS),
  });
  fc.assert(
    fc.property(fc.array(act, { maxLength: 40 }), (acts) => {
      let workflows = all({ a: active, b: {}, c: {}, d: {} });
      for (const { kind, who, whom } of acts) {
        const state = at(workflows, who);
        const free = state.status === "active" && state.waits_for == null;
        if (kind === "call" && free) {
          const begun = beginWait(workflows, named(who), named(whom));
          if (begun.ok)
            workflows = all({
              ...begun.workflows.tasks,
              [whom]: { ...at(begun.workflows, whom), ...active },
            });
        }
        if (kind === "end" && free)
          workflows = all({ ...workflows.tasks, [who]: { ...state, status: "completed" } });
        if (kind === "leave" && state.status === "active") workflows = cancelWait(workflows, who);
        if (kind === "crash") workflows = JSON.parse(JSON.stringify(workflows));
        for (let due = dueReturn(workflows); due; due = dueReturn(workflows)) workflows = due.workflows;
        for (const key of KEYS) {
          const seen = new Set<string>();
          for (
            let next: string | null | undefined = key;
            next != null;
            next = at(workflows, next).waits_for
          ) {
            expect(seen.has(next)).toBe(false);
            seen.add(next);
            if (next !== key) expect(at(workflows, next).status).toBe("active");
          }
        }
      }
    }),
    { numRuns: rounds(500) },
  );
});

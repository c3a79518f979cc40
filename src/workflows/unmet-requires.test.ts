import fc from "fast-check";
import { expect, test } from "vitest";
import { rounds } from "../../test/harness/seed.ts";
import { type FakeTool, steps, TaskDriver } from "./run-steps.examples.ts";
import type { PathMembers } from "./variable-path.ts";

/*
 * A submission that its transition is going to refuse calls no tool: the next one would call it again.
 */

const ANSWER = { v: "found", none: null };
const tools: Record<string, FakeTool> = {
  book: { answer: () => ANSWER },
  fail: {
    answer: () => {
      throw new Error("down");
    },
  },
  task: { is_task: true, answer: () => ANSWER },
};

type Action = { action: string; name?: string | null; result?: { save: { from: string; to: string }[] } };

const save = fc.record({
  action: fc.constant("save"),
  inputs: fc.constantFrom(null, ["a"], ["a", "b"]),
  name: fc.constantFrom(null, null, "saved"),
});
const set = fc.record({
  action: fc.constant("set"),
  name: fc.constantFrom("x", "order.paid", "local.order.paid"),
  value: fc.constantFrom<unknown>("found", "", null),
});
const inc = fc.constant({ action: "inc", name: "vars.x", by: 1 });
const call = fc.record({
  action: fc.constant("call"),
  name: fc.constantFrom("book", "book", "fail", "task"),
  result: fc.record({
    save: fc.array(
      fc.record({ from: fc.constantFrom("v", "none"), to: fc.constantFrom("vars.x", "local.order.paid") }),
      { maxLength: 1 },
    ),
  }),
});
const some = fc.array(fc.oneof(save, save, set, inc), { maxLength: 2 });
const actions: fc.Arbitrary<Action[]> = fc
  .tuple(some, call, some)
  .map(([before, call, after]) => [...before, call, ...after]);
const condition = fc.constantFrom<unknown>(
  "a == 'old'",
  "b == 'old'",
  "a == 'new'",
  "x",
  "saved",
  "order",
  { type: "cel", expression: "local.order.paid == 'found'" },
  "local.last_call_error",
);
const next = fc.tuple(
  fc.record({ id: fc.constant("B"), if: condition, requires: fc.subarray(["c"]) }),
  fc.record({
    id: fc.constant("C"),
    requires: fc.subarray(["a", "x", "saved", "order", "vars.b"], { maxLength: 2 }),
  }),
);
const given = fc.dictionary(fc.constantFrom("a", "b"), fc.constantFrom("new", ""), { maxKeys: 2 });
const variables = fc.dictionary(fc.constantFrom("a", "b", "vars.x"), fc.constantFrom("old", ""), {
  maxKeys: 2,
});

const submitted = (submit: object[], next: object[], given: PathMembers, variables: PathMembers) => {
  const input = (name: string) => ({ name, type: "string", description: "", required: false });
  const first = { id: "A", inputs: [input("a"), input("b")], on: { submit }, next };
  const run = new TaskDriver(steps([first, { id: "B" }, { id: "C" }]), tools, variables);
  run.start();
  const reply = run.submit(given);
  const missing = (reply?.errors ?? []) as { input: string }[];
  return { called: run.called.length, reply, missing: missing.map(({ input }) => input) };
};

/** The same actions, with what their calls would leave as values that are set. */
const withoutCalls = (actions: readonly Action[]): object[] =>
  actions.flatMap((action) => {
    if (action.action !== "call") return [action];
    if (action.name === "fail") return [{ action: "set", name: "local.last_call_error", value: "down" }];
    return (action.result?.save ?? []).map(({ from, to }) => ({
      action: "set",
      name: to,
      value: ANSWER[from as keyof typeof ANSWER],
    }));
  });

test("a submission is refused before its calls only where it would be refused after them, for the same reasons", () => {
  let early = 0;
  fc.assert(
    fc.property(actions, next, given, variables, (actions, next, given, variables) => {
      const run = submitted(actions, next, given, variables);
      if (run.called > 0) return;
      early++;
      const after = submitted(withoutCalls(actions), next, given, variables);
      expect(after.reply?.status).toBe("error");
      expect(after.missing).toEqual(expect.arrayContaining(run.missing));
    }),
    { numRuns: rounds(300) },
  );
  expect(early).toBeGreaterThan(rounds(10));
});

test("where actions only save what was collected and call tools, a submission that is refused called none", () => {
  let refused = 0;
  const collecting = fc.record({ action: fc.constant("save"), inputs: fc.constantFrom(null, ["a"], ["b"]) });
  const booking = fc.constant({
    action: "call",
    name: "book",
    result: { save: [{ from: "v", to: "local.booking" }] },
  });
  const ways = fc.array(
    fc.record({
      id: fc.constantFrom("B", "C"),
      if: fc.constantFrom(null, "inputs.c", "local.l", "`true`"),
      requires: fc.subarray(["a", "b"]),
    }),
    { minLength: 1, maxLength: 3 },
  );
  fc.assert(
    fc.property(
      fc.array(fc.oneof(collecting, booking), { minLength: 1, maxLength: 4 }),
      ways,
      given,
      variables,
      (actions, next, given, variables) => {
        const { reply, called } = submitted(actions, next, given, variables);
        if (reply?.status !== "error") return;
        refused++;
        expect(called).toBe(0);
      },
    ),
    { numRuns: rounds(300) },
  );
  expect(refused).toBeGreaterThan(rounds(10));
});

test("a required variable that only a called task can give does not refuse the call", () => {
  const actions = [{ action: "call", name: "task" }];
  expect(submitted(actions, [{ id: "B", requires: ["x"] }], {}, {}).called).toBe(1);
});

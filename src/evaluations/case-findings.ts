import { z } from "zod";
import { type Snapshot, toolsIn } from "../agents/snapshot.ts";
import { stepsOf } from "../tools/task-parts.ts";
import { tasksOf } from "../tools/tool-definition.ts";
import { sessionTasks } from "../workflows/workflow-state.ts";
import type { TestCase } from "./test-case.ts";

/** What is doubtful about a case that can be saved: a name that its agent doesn't have. */
export const TestFinding = z
  .object({ path: z.string().describe("cases[2].mocks[0].tool"), message: z.string() })
  .meta({ id: "TestFinding" });
export type TestFinding = z.infer<typeof TestFinding>;

/** Names of tools and steps are those of the agent as it is now. Pure. */
export function findingsOf(
  cases: readonly TestCase[],
  snapshot: Snapshot,
  judges: readonly string[] = [],
): TestFinding[] {
  const { tools } = snapshot;
  const plain = new Set(toolsIn(snapshot).map(({ name }) => name));
  const called = new Set(plain);
  for (const { tool_name } of sessionTasks(tools)) if (tool_name !== null) called.add(tool_name);
  const steps = new Set(
    tools.flatMap(({ definition }) =>
      tasksOf(definition).flatMap(({ task }) => stepsOf(task, []).map(({ step }) => step.id)),
    ),
  );
  const judgeNames = new Set(judges);
  const known = (names: Set<string>) => [...names].toSorted().join(", ") || "none";

  return cases.flatMap((one, at) => {
    const path = `cases[${at}]`;
    const { mocks, expect, person } = one;
    const unknown = (where: string, tool: string, among: Set<string>): TestFinding[] =>
      among.has(tool)
        ? []
        : [{ path: `${path}.${where}`, message: `The agent has no tool ${tool}; it has ${known(among)}.` }];
    const isEmpty = Object.values(expect).every((value) => value == null);
    const isUnplayed = !Array.isArray(person) && "goal" in person && !person.model;
    return [
      ...(isUnplayed ? [{ path: `${path}.person.model`, message: NO_MODEL }] : []),
      ...mocks.flatMap(({ tool }, n) => unknown(`mocks[${n}].tool`, tool, plain)),
      ...(expect.called ?? []).flatMap(({ tool }, n) => unknown(`expect.called[${n}].tool`, tool, called)),
      ...(expect.not_called ?? []).flatMap((tool, n) => unknown(`expect.not_called[${n}]`, tool, called)),
      ...(expect.order ?? []).flatMap((tool, n) => unknown(`expect.order[${n}]`, tool, called)),
      ...(expect.final ?? []).flatMap(({ tool }, n) => unknown(`expect.final[${n}].tool`, tool, called)),
      ...(["steps", "path"] as const).flatMap((field) =>
        (expect[field] ?? []).flatMap((step, n) =>
          steps.has(step)
            ? []
            : [
                {
                  path: `${path}.expect.${field}[${n}]`,
                  message: `The agent has no step ${step}; it has ${known(steps)}.`,
                },
              ],
        ),
      ),
      ...(expect.judges ?? []).flatMap((name, n) =>
        judgeNames.has(name)
          ? []
          : [
              {
                path: `${path}.expect.judges[${n}]`,
                message: `There is no judge ${name}; there is ${known(judgeNames)}.`,
              },
            ],
      ),
      ...(isEmpty
        ? [{ path: `${path}.expect`, message: "The case expects nothing, so it always passes." }]
        : []),
    ];
  });
}

const NO_MODEL =
  "The persona has no model that plays it. Choose one, or model: scripted for the offline persona, which follows simple rules.";

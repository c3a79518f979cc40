import { type InputIssue, InvalidInput } from "../base/errors.ts";
import type { placesOf } from "./origin-turn.ts";
import type { TurnBreakpoints } from "./recorded-turn.ts";

type Named = { breakpoints?: TurnBreakpoints | null | undefined; tool_results?: { tool: string }[] };

/**
 * Throws at each name that the session's agent has not, all of them at once: a turn would never stop there, and nobody would
 * know why. Pure.
 */
export function refuseUnknownPlaces(
  { breakpoints, tool_results = [] }: Named,
  { steps, tools }: Pick<ReturnType<typeof placesOf>, "steps" | "tools">,
): void {
  const known = {
    steps: new Set(steps.map(({ step }) => step)),
    guards: new Set(steps.filter(({ has_guards }) => has_guards).map(({ step }) => step)),
    tools: new Set(tools),
  };
  const words = { steps: "step", guards: "step that is left under conditions", tools: "tool" };
  const issues = (["steps", "guards", "tools"] as const).flatMap((kind) =>
    (breakpoints?.[kind] ?? []).flatMap((name, at): InputIssue[] =>
      known[kind].has(name) ? [] : [unknown(["breakpoints", kind, at], words[kind], name, known[kind])],
    ),
  );
  const answers = tool_results.flatMap(({ tool }, at): InputIssue[] =>
    known.tools.has(tool) ? [] : [unknown(["tool_results", at, "tool"], words.tools, tool, known.tools)],
  );
  if (issues.length + answers.length > 0) throw new InvalidInput([...issues, ...answers]);
}

const unknown = (
  place: (string | number)[],
  word: string,
  name: string,
  known: ReadonlySet<string>,
): InputIssue => ({
  loc: ["body", ...place],
  msg: `The agent of this session has no ${word} ${name}. It has ${[...known].join(", ") || "none"}`,
  type: "value_error",
});

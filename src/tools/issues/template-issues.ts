import { compileExpression } from "../../expressions/expression.ts";
import { readsOf } from "../../expressions/jmespath-reads.ts";
import { nearest } from "../../schemas/nearest.ts";
import type { Issue, Path } from "../../schemas/validation-issue.ts";
import { isKnownSystemVariable, SYSTEM_VARIABLES } from "../system-variable.ts";
import type { Task } from "../task-definition.ts";
import { expressionsOf, textsOf } from "../task-parts.ts";
import type { ToolDefinition } from "../tool-definition.ts";

/*
 * Templates that never have a value: a system variable that there is none of, and what only looks like a template.
 * Other names are variables of the conversation, which may come from anywhere.
 */

/** `{{ … }}` and `${ … }` with something in them. */
const TEMPLATE = /\{\{([^{}]*)\}\}|\$\{([^{}]*)\}/g;
/** `{{ name }`, where the second brace is missing. */
const HALF_CLOSED = /\{\{\s*[\p{L}\p{M}\p{N}_.]+\s*\}(?!\})/gu;
const NAME = /^[\p{L}\p{M}\p{N}_.]+$/u;
/** What nobody would write who means a variable: JSON, code. */
const NOT_MEANT = /^[^\p{L}]*$|["':;\n]/u;

export function templateIssues(text: string, path: Path): Issue[] {
  const found = new Map<string, Issue>();
  for (const [written, braced, dollar] of text.matchAll(TEMPLATE)) {
    if (found.has(written)) continue;
    const issue = dollar === undefined ? bracedIssue(written, braced ?? "") : dollarIssue(written, dollar);
    if (issue) found.set(written, { ...issue, severity: "warning", path, value: text });
  }
  for (const [written] of text.matchAll(HALF_CLOSED)) {
    const message = `${written} is no template: the second brace at its end is missing.`;
    found.set(written, { id: "template-never-filled", severity: "warning", message, path, value: text });
  }
  return [...found.values()];
}

type TemplateFault = Pick<Issue, "id" | "message">;

function bracedIssue(written: string, inside: string): TemplateFault | null {
  const name = inside.trim();
  if (NAME.test(name)) return unknownSystemName(name);
  if (NOT_MEANT.test(inside)) return null;
  return {
    id: "template-never-filled",
    message: `${written} is no template: between the braces stands one name of letters, digits, _ and dots. A default is written \${name=default}.`,
  };
}

function dollarIssue(written: string, inside: string): TemplateFault | null {
  const [name = ""] = inside.split("=");
  if (NAME.test(name)) return unknownSystemName(name);
  if (!NAME.test(name.trim())) return null;
  return {
    id: "template-never-filled",
    message: `${written} is never filled in: in this form spaces count. Write it without them.`,
  };
}

const unknownSystemName = (name: string): TemplateFault | null =>
  isKnownSystemVariable(name)
    ? null
    : {
        id: "unknown-system-variable",
        message: `There is no system variable ${name}, so it has no value${nearest(name, SYSTEM_VARIABLES)}.`,
      };

/** All texts of a definition in which templates are filled in. */
export function toolTemplateIssues({ tool, endpoint, static_parameters }: ToolDefinition): Issue[] {
  const texts = [
    { text: tool.function.description, path: ["tool", "function", "description"] },
    ...(endpoint ? [{ text: endpoint.url, path: ["endpoint", "url"] }] : []),
    ...(static_parameters ?? []).map((parameter, index) => ({
      text: parameter.default,
      path: ["static_parameters", index, "default"] as Path,
    })),
  ];
  return texts.flatMap(({ text, path }) => (typeof text === "string" ? templateIssues(text, path) : []));
}

export function taskTemplateIssues(task: Task, path: Path): Issue[] {
  const described = task.tool?.description
    ? [{ text: task.tool.description, path: [...path, "tool", "description"] }]
    : [];
  return [
    ...[...textsOf(task, path), ...described].flatMap(({ text, path }) => templateIssues(text, path)),
    ...unknownSystemReads(task, path),
  ];
}

/** The same names in conditions and values; what `result.save` takes is a part of a tool's answer. */
function unknownSystemReads(task: Task, path: Path): Issue[] {
  return expressionsOf(task, path)
    .filter(({ path }) => path.at(-1) !== "from")
    .flatMap(({ expression, path }) => {
      const compilation = compileExpression(expression);
      if (!compilation.ok || compilation.expression.language !== "jmespath") return [];
      const { source } = compilation.expression;
      const names = new Set(readsOf(source).paths.map((parts) => parts.join(".")));
      return [...names].flatMap((name): Issue[] => {
        const finding = unknownSystemName(name);
        return finding ? [{ ...finding, severity: "warning", path, value: source }] : [];
      });
    });
}

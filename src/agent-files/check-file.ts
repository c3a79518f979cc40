import { z } from "zod";
import { messageIssues } from "../agents/custom-message.ts";
import { promptIssues } from "../agents/prompt-issues.ts";
import { type LlmOffer, llmIssues } from "../agents/prompt-llm.ts";
import { type FileFault, placesIn, readYaml } from "../api/input/yaml-file.ts";
import { name } from "../api/schema.ts";
import { isRecord } from "../expressions/member.ts";
import { type Issue, type Path, toValidationIssue } from "../schemas/validation-issue.ts";
import { languageChangeIssues, voiceIssues } from "../speech/language-config.ts";
import { sttIssues } from "../speech/speech.ts";
import { type CallTarget, eitherTarget, targetOfTask, targetOfTool } from "../tools/call-target.ts";
import { definitionIssues } from "../tools/issues/definition-alone.ts";
import { settingIssues } from "../tools/issues/setting-issues.ts";
import { sourcesOfTool } from "../tools/issues/source-issues.ts";
import { toolIssues } from "../tools/issues/tool-issues.ts";
import { variableIssues } from "../tools/issues/variable-issues.ts";
import { SYSTEM_TOOLS } from "../tools/system-tools.ts";
import { taskToolName } from "../tools/task-parts.ts";
import { ToolDefinition, tasksOf } from "../tools/tool-definition.ts";
import { AgentFile } from "./agent-file.ts";

type FileFinding = ReturnType<typeof toValidationIssue> & { line: number; column: number };
type CheckedFile = { ok: true; findings: FileFinding[] } | { ok: false; faults: FileFault[] };

/** A tool as the API takes it, without the number of its service. */
const NamedTool = z.looseObject({ name: name(), definition: ToolDefinition });

/**
 * What saving would find in a file: an agent's, a tool's (`name` and `definition`) or a definition alone. Pure: what the
 * file does not hold, such as data sources and the other tools of an installation, is taken to be there.
 */
export function checkFile(text: string, offer: LlmOffer): CheckedFile {
  const given = readYaml(text, z.unknown());
  if (!given.ok) return given;
  const document = isRecord(given.value) ? given.value : {};
  if ("format" in document) return checked(text, AgentFile, (file) => agentIssues(file, offer));
  if ("cases" in document)
    return otherShape(text, ["cases"], "This is a suite of tests: ./parley evaluate runs it.");
  if (!("definition" in document || "tool" in document)) return otherShape(text, [], NEITHER);
  if ("definition" in document)
    return checked(text, NamedTool, (tool) =>
      prefixed(["definition"], definitionIssues(tool.name, tool.definition)),
    );
  return checked(text, ToolDefinition, (definition) =>
    definitionIssues(definition.tool.function.name, definition),
  );
}

const NEITHER =
  'This is no agent\'s file, which says "format: parley-agent-1", and no tool\'s, which has a "definition" or a "tool".';

const otherShape = (text: string, path: string[], message: string): CheckedFile => ({
  ok: false,
  faults: [{ path, ...placesIn(text)(path), message }],
});

function checked<S extends z.ZodType>(
  text: string,
  schema: S,
  issuesOf: (value: z.output<S>) => Issue[],
): CheckedFile {
  const read = readYaml(text, schema);
  if (!read.ok) return read;
  const issues = issuesOf(read.value);
  if (issues.length === 0) return { ok: true, findings: [] };
  const placeOf = placesIn(text);
  return {
    ok: true,
    findings: issues
      .map((issue) => ({ ...toValidationIssue(issue), ...placeOf(issue.path) }))
      .toSorted((a, b) => a.line - b.line || a.column - b.column),
  };
}

const prefixed = (prefix: Path, issues: Issue[]): Issue[] =>
  issues.map((issue) => ({ ...issue, path: [...prefix, ...issue.path] }));

function agentIssues(file: AgentFile, offer: LlmOffer): Issue[] {
  const { tools, prompt, greeting, languages } = file;
  const all = [...SYSTEM_TOOLS, ...tools];
  const targets = new Map<string, CallTarget>();
  for (const tool of all) {
    targets.set(tool.name, targetOfTool(tool.definition));
    for (const { task, path } of tasksOf(tool.definition)) {
      const shown = taskToolName(task, path)?.name;
      if (shown) targets.set(shown, eitherTarget(targets.get(shown), targetOfTask(task)));
    }
  }
  const found = tools.flatMap((tool, index) => {
    const { name, definition } = tool;
    const taken = new Set(all.filter((other) => other !== tool).map((other) => other.name));
    const around = { name, is_system: false, callable: new Set(targets.keys()), targets, taken };
    const sources = new Set(sourcesOfTool(definition));
    return prefixed(["tools", index, "definition"], toolIssues(definition, { ...around, sources }));
  });
  const tools_full = tools.filter(({ name }) => prompt.tools.includes(name));
  const ofPrompt = [
    ...llmIssues(prompt.llm_config, offer),
    ...promptIssues({ ...prompt, tools_full }, offer),
  ];
  const ofAgent = [
    ...sttIssues(file.stt_provider),
    ...variableIssues(file.variables),
    ...languageChangeIssues(file, languages?.language_configs),
    ...settingIssues({ ...file, tools: all.filter(({ name }) => prompt.tools.includes(name)) }),
  ];
  return [
    ...found,
    ...prefixed(["prompt"], ofPrompt),
    ...ofAgent,
    ...prefixed(["greeting"], greeting ? messageIssues(greeting) : []),
    ...prefixed(["languages"], voiceIssues(languages?.language_configs ?? [])),
  ];
}

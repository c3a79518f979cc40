import type { SnapshotTool } from "../agents/snapshot.ts";
import { unreachable } from "../base/errors.ts";
import type { LoggedEvent, LoggedType } from "../events/event-types.ts";
import { renderDeep } from "../expressions/template.ts";
import type { ToolCall } from "../llm/model.ts";
import { coerceArguments } from "../tools/coerce-arguments.ts";
import { prepareArguments } from "../tools/tool-arguments.ts";
import { parameterDefaults, toolFields, toolType } from "../tools/tool-definition.ts";
import { callClient } from "./call-client.ts";
import { callEndpoint } from "./call-endpoint.ts";
import { givenFaults, preparedFaults } from "./call-faults.ts";
import { callMcp } from "./call-mcp.ts";
import { runContextTool } from "./context-tool.ts";
import { answerInTest } from "./mocked-call.ts";
import { answerFromRecording } from "./recorded-call.ts";
import { runSystemTool } from "./system-tool.ts";
import {
  done,
  failed,
  type ToolContext,
  type ToolEffects,
  type ToolOutcome,
  type ToolParts,
} from "./tool-outcome.ts";

/** The longest arguments: no tool needs more, a longer text is a loop of the model, and validating it would be slow. */
const MAX_ARGUMENT_CHARACTERS = 256 * 1024;

/** Runs one call of a tool of the snapshot. Never throws because of tools, people or models. */
export async function runTool(
  parts: ToolParts,
  context: ToolContext,
  tool: SnapshotTool | undefined,
  call: ToolCall,
): Promise<ToolOutcome> {
  if (!tool) return failed(`There is no tool named ${call.name}.`);
  if (tool.definition.requires_verified && !context.verified) return unproven(tool);
  if (call.arguments_error) return failed(call.arguments_error);
  if (JSON.stringify(call.arguments).length > MAX_ARGUMENT_CHARACTERS) {
    return failed(`Invalid arguments: they are longer than ${MAX_ARGUMENT_CHARACTERS} characters.`);
  }

  const { definition } = tool;
  const agentDefaults = context.snapshot.agent.prompt_tool_defaults.find(
    (entry) => entry.tool_name === tool.name,
  );
  const schema = definition.tool.function.parameters;
  const given = coerceArguments(schema, call.arguments);
  const prepared = prepareArguments(definition, given, agentDefaults?.default_values ?? [], context.lookup);
  if (!prepared.ok) return failed(prepared.problem);

  const values = coerceArguments(schema, prepared.arguments);
  const faulty = givenFaults(definition, given);
  const faults = faulty.length > 0 ? faulty : preparedFaults(definition, values);
  const outcome =
    faults.length > 0
      ? failed(`Invalid arguments: ${faults.join("; ")}.`, values)
      : (context.gate?.(tool, { given, values }) ?? (await execute(parts, context, tool, values)));
  const notes = prepared.notes.map((note) => ({ category: "note", label: note }) as const);
  const effects = context.snapshot.test ? withoutPromises(outcome.effects) : outcome.effects;
  return { ...outcome, effects, prepared: values, trace: [...notes, ...outcome.trace] };
}

/** The suppression list and the dialer are for real people, whose addresses a test may use. */
const withoutPromises = ({ opt_out: _, call_back: __, ...effects }: ToolEffects): ToolEffects => effects;

/** The refusal of a call. The model can explain it, but no words of the model or the person can change it. */
const unproven = ({ name }: SnapshotTool): ToolOutcome =>
  failed(
    `The tool ${name} is only for people whose identity is verified, and this person's is not. ` +
      "Tell them that they have to sign in or use another way first; don't call it again in this session.",
    null,
    [{ category: "note", label: `${name} was refused: the person is not verified` }],
  );

async function execute(
  parts: ToolParts,
  context: ToolContext,
  tool: SnapshotTool,
  values: Record<string, unknown>,
): Promise<ToolOutcome> {
  const { test } = context.snapshot;
  if (test) {
    const answered =
      (await answerFromRecording(parts, context, tool, values)) ?? answerInTest(test, tool, values);
    if (answered) return answered;
  }
  if (tool.is_system && test?.network === "closed")
    return runSystemTool({ ...parts, embedderOf: async () => null }, context, tool.name, values);
  if (tool.is_system) return runSystemTool(parts, context, tool.name, values);
  const type = toolType(tool.definition);
  const staticResult = () => renderDeep(tool.definition.result ?? null, context.lookup);
  switch (type) {
    case "endpoint":
      return callEndpoint(parts, context, tool, values);
    case "mcp":
      return callMcp(parts, context, tool, values);
    case "client":
      return callClient(context, tool, values);
    case "log":
      return done(
        tool.definition.result == null ? { status: "logged" } : staticResult(),
        { event: logEvent(tool, values) },
        values,
      );
    case "context":
      return runContextTool(context, tool, values);
    case "action":
      return done(tool.definition.result == null ? { status: "ok" } : staticResult(), {}, values);
    default:
      return unreachable(type);
  }
}

/**
 * A `log` tool writes an event from its arguments. Its author names the arguments that say what kind of event it is: else a
 * person could talk the model into an event of any kind, which people and programs wait for.
 */
function logEvent({ name, definition }: SnapshotTool, values: Record<string, unknown>): LoggedEvent {
  const named = new Set([
    ...toolFields(definition),
    ...parameterDefaults(definition).map(([field]) => field),
  ]);
  const { description, ...others } = values;
  const attributes: Record<string, unknown> = {};
  const kind: { type?: unknown; category?: unknown } = {};
  for (const [field, value] of Object.entries(others))
    if ((field === "type" || field === "category") && named.has(field)) kind[field] = value;
    else attributes[field] = value;
  return {
    category: typeof kind.category === "string" ? kind.category : "log",
    type: (typeof kind.type === "string" ? kind.type : name) as LoggedType,
    description: typeof description === "string" ? description : name,
    attributes,
  };
}

import { z } from "zod";
import { isRecord } from "../expressions/member.ts";
import type { ImportTools } from "./import-draft.ts";
import type { FieldPath } from "./report.ts";
import { RetellTool, retellTool } from "./retell-tools.ts";

const RetellEdge = z.looseObject({
  destination_state_name: z.string(),
  description: z.string().nullish(),
  parameters: z.unknown().optional(),
});
export const RetellState = z.looseObject({
  name: z.string(),
  state_prompt: z.string().nullish(),
  edges: z.array(RetellEdge).nullish(),
  tools: z.array(RetellTool).nullish(),
});
type RetellState = z.infer<typeof RetellState>;
type RetellEdge = z.infer<typeof RetellEdge>;

type GivenStates = {
  agent_name: string;
  states: RetellState[];
  starting_state: string | null;
  /** The tools that every state has. */
  general: string[];
};

type EdgeInput = {
  name: string;
  type: (typeof TYPES)[number];
  description?: string;
  enum?: string[];
  required: boolean;
};

/** What the model answers with to say which edge it takes. */
const CHOICE = "next_state";
const TYPES = ["string", "number", "integer", "boolean"] as const;

/**
 * States as the steps of a workflow, where each edge asks for plain values; else as chapters of the prompt. In both the
 * model decides which edge it takes, as it does there.
 */
export function retellStates(
  given: GivenStates,
  llm_path: FieldPath,
  prompt: string[],
  tools: ImportTools,
): void {
  const root = [...llm_path, "states"];
  const start = given.starting_state ?? given.states[0]?.name ?? "";
  const own = given.states.map((state, index) => ({
    state,
    path: [...root, index],
    made: (state.tools ?? []).flatMap(
      (tool, at) => retellTool(tool, [...root, index, "tools", at], prompt, tools) ?? [],
    ),
  }));
  const reason = whyNotSteps(given.states, start);
  for (const { state, path } of own) {
    tools.note(
      [...path, "name"],
      reason === null ? "mapped" : "approximated",
      reason === null ? "A step of the workflow." : "A chapter of the prompt.",
    );
    for (const at of (state.edges ?? []).keys())
      tools.note(
        [...path, "edges", at],
        reason === null ? "mapped" : "approximated",
        reason === null ? "Where the step leads; the model says which." : "A line of the prompt.",
      );
  }
  if (given.starting_state !== null)
    tools.note([...llm_path, "starting_state"], "mapped", "Where the conversation begins.");
  const texts = own.map(({ state, path }) =>
    state.state_prompt
      ? tools.text(state.state_prompt, [...path, "state_prompt"], "What the model reads in this state.")
      : "",
  );
  if (reason !== null) {
    for (const { path } of own) tools.note(path, "approximated", reason);
    prompt.push(...chapters(given.states, texts, start));
    return;
  }
  const ordered = own
    .map((each, index) => ({ ...each, text: texts[index] ?? "" }))
    .toSorted((a, b) => Number(b.state.name === start) - Number(a.state.name === start));
  const slug = given.agent_name.replaceAll(/[^A-Za-z0-9]+/g, "_").slice(0, 40) || "agent";
  const submit = `${slug}_next`.toLowerCase();
  tools.toolbox.own(`${slug}_states`.toLowerCase(), {
    type: "context",
    tool: {
      type: "function",
      function: {
        name: `${slug}_states`.toLowerCase(),
        description: "Leads through the states of the conversation.",
        parameters: { type: "object", properties: {}, required: [] },
      },
    },
    context: {
      task: {
        type: "steps",
        version: "v1alpha",
        start: "auto",
        id: "states",
        tool: { name: submit, description: "Moves the conversation on." },
        steps: ordered.map(({ state, text, made }) => stepOf(state, text, [...given.general, ...made])),
      },
    },
  });
  prompt.push(`Follow the step that ${submit} gives you, and call ${submit} when a step is done.`);
}

function stepOf(state: RetellState, text: string, allowed: string[]) {
  const edges = state.edges ?? [];
  const inputs = new Map<string, EdgeInput>();
  if (edges.length > 1)
    inputs.set(CHOICE, {
      name: CHOICE,
      type: "string",
      enum: edges.map((edge) => edge.destination_state_name),
      description: edges
        .map((edge) => `${edge.destination_state_name}: ${edge.description ?? ""}`)
        .join("\n"),
      required: true,
    });
  for (const edge of edges)
    for (const input of inputsOf(edge) ?? [])
      inputs.set(input.name, { ...input, required: input.required && edges.length === 1 });
  const saved = [...inputs.keys()].filter((name) => name !== CHOICE);
  const leads = edges.length === 1 ? ` ${edges[0]?.description ?? ""}`.trimEnd() : "";
  return {
    id: state.name,
    goal: `The state ${state.name} of the conversation.${leads}`,
    ...(text !== "" && { instructions: [text] }),
    ...(inputs.size > 0 && { inputs: [...inputs.values()] }),
    tools: { allow: [...new Set(allowed)] },
    ...(saved.length > 0 && { on: { submit: [{ action: "save" as const, inputs: saved }] } }),
    ...(edges.length > 0 && {
      next: edges.map((edge, index) => ({
        id: edge.destination_state_name,
        // The last one needs no condition: the choice is one of those that the step names.
        ...(index < edges.length - 1 && { if: `inputs.${CHOICE} == '${edge.destination_state_name}'` }),
        ...(requiredOf(edge).length > 0 && { requires: requiredOf(edge) }),
      })),
    }),
  };
}

/** A sentence where the states can't be steps. */
function whyNotSteps(states: readonly RetellState[], start: string): string | null {
  const names = new Set(states.map(({ name }) => name));
  if (names.size < states.length)
    return "Two states have one name, so the states are chapters of the prompt.";
  if (![...names].every((name) => /^[\w-]{1,64}$/.test(name)))
    return "A state's name has other signs than letters, digits, _ and -, so the states are chapters of the prompt.";
  if (!names.has(start)) return "There is no state to begin with, so the states are chapters of the prompt.";
  for (const { edges } of states) {
    const types = new Map<string, string>();
    const destinations = new Set((edges ?? []).map((edge) => edge.destination_state_name));
    if (destinations.size < (edges ?? []).length)
      return "Two edges of a state lead to one other, so the states are chapters of the prompt.";
    for (const edge of edges ?? []) {
      if (!names.has(edge.destination_state_name))
        return "An edge leads to a state that is not there, so the states are chapters of the prompt.";
      const inputs = inputsOf(edge);
      if (inputs === null)
        return "An edge asks for more than plain values, so the states are chapters of the prompt.";
      for (const { name, required: _, ...input } of inputs) {
        const kind = JSON.stringify(input);
        if ((types.get(name) ?? kind) !== kind || name === CHOICE)
          return "Two edges of a state ask for different things under one name, so the states are chapters of the prompt.";
        types.set(name, kind);
      }
    }
  }
  return null;
}

const requiredOf = (edge: RetellEdge): string[] =>
  isRecord(edge.parameters) && Array.isArray(edge.parameters.required)
    ? edge.parameters.required.filter((name) => typeof name === "string")
    : [];

/** What an edge asks for, where these are plain values; null else. */
function inputsOf(edge: RetellEdge): EdgeInput[] | null {
  if (edge.parameters == null) return [];
  if (!isRecord(edge.parameters)) return null;
  const properties = isRecord(edge.parameters.properties) ? edge.parameters.properties : {};
  const required = requiredOf(edge);
  if (required.some((name) => !Object.hasOwn(properties, name))) return null;
  const inputs: EdgeInput[] = [];
  for (const [name, schema] of Object.entries(properties)) {
    const type = isRecord(schema) ? TYPES.find((each) => each === schema.type) : undefined;
    if (!isRecord(schema) || type === undefined || !/^[A-Za-z_]\w*$/.test(name)) return null;
    const choices = schema.enum;
    const areTexts = Array.isArray(choices) && choices.every((choice) => typeof choice === "string");
    if (choices !== undefined && !areTexts) return null;
    inputs.push({
      name,
      type,
      ...(typeof schema.description === "string" && { description: schema.description }),
      ...(areTexts && { enum: choices as string[] }),
      required: required.includes(name),
    });
  }
  return inputs;
}

const chapters = (states: readonly RetellState[], texts: readonly string[], start: string): string[] => [
  `The conversation has states. Begin with ${start}.`,
  ...states.map((state, index) =>
    [
      `## State ${state.name}`,
      texts[index] ?? "",
      ...(state.edges ?? []).map(
        (edge) => `Go on to ${edge.destination_state_name} when: ${edge.description ?? "it is done"}`,
      ),
    ]
      .filter((line) => line !== "")
      .join("\n"),
  ),
];

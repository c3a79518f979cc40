/** Which rule of a script answers, and with what. */
import { isDeepStrictEqual } from "node:util";
import type { ModelMessage } from "../model.ts";
import { lastUserText, type Occasion, occasionOf, type ToolAnswer, today } from "./scripted-history.ts";
import { matcherOf } from "./scripted-patterns.ts";
import type { Condition, Script, ScriptedAction, ScriptedPattern, ScriptedRule } from "./scripted-rules.ts";
import { filled, filledJson, type TemplateScope, valueAt } from "./scripted-template.ts";
import { type HeardWords, heardIn, mentions } from "./scripted-words.ts";

type Match = { rule: ScriptedRule; scope: TemplateScope };
type UserWords = HeardWords & { text: string };

/** The actions of the first rule that matches, placeholders filled; null when none does. */
export function answerByRule(script: Script, messages: readonly ModelMessage[]): ScriptedAction[] | null {
  const match = matchAt(script, messages, spentRules(script, messages));
  return match?.rule.actions.map((action) => filledAction(action, match.scope)) ?? null;
}

function matchAt(
  script: Script,
  messages: readonly ModelMessage[],
  spent: ReadonlySet<ScriptedRule>,
): Match | null {
  const base = baseScope(messages);
  const occasion = occasionOf(messages);
  const heard = occasion.type === "user" ? { text: occasion.text, ...heardIn(occasion.text) } : null;
  for (const rule of script.rules) {
    if (spent.has(rule)) continue;
    const scope = triggered(rule, occasion, heard, base);
    if (scope) return { rule, scope };
  }
  return null;
}

/**
 * The `once` rules that have answered already. Nothing is remembered between calls, so the conversation is replayed: a rule
 * counts as spent where it would have answered and the agent's next message is indeed its answer.
 */
function spentRules(script: Script, messages: readonly ModelMessage[]): Set<ScriptedRule> {
  const spent = new Set<ScriptedRule>();
  if (!script.rules.some((rule) => rule.once)) return spent;
  for (const [index, message] of messages.entries()) {
    if (message.role !== "assistant") continue;
    const match = matchAt(script, messages.slice(0, index), spent);
    if (match?.rule.once && match.rule.actions.some((action) => isSeenIn(action, message, match.scope))) {
      spent.add(match.rule);
    }
  }
  return spent;
}

/** Words that were cut off when the user interrupted still count. */
function isSeenIn(
  action: ScriptedAction,
  message: Extract<ModelMessage, { role: "assistant" }>,
  scope: TemplateScope,
): boolean {
  if (action.type === "call") return message.calls.some((call) => call.name === action.tool);
  if (action.type !== "say") return false;
  const text = filled(action.text, scope);
  return message.text.includes(text) || (message.text !== "" && text.startsWith(message.text));
}

function baseScope(messages: readonly ModelMessage[]): Map<string, unknown> {
  const results = Object.fromEntries(
    messages.flatMap((message) => (message.role === "tool" ? [[message.tool_name, message.result]] : [])),
  );
  const last = messages.findLast((message) => message.role === "tool")?.result;
  return new Map<string, unknown>([
    ["result", last],
    ["last_result", last],
    ["results", results],
    ["user", { text: lastUserText(messages) }],
    ["today", today(messages)],
  ]);
}

/** The scope the rule answers with, or null when it does not apply now. */
function triggered(
  rule: ScriptedRule,
  occasion: Occasion,
  heard: UserWords | null,
  base: ReadonlyMap<string, unknown>,
): TemplateScope | null {
  const { trigger } = rule;
  if (trigger.on === "result") {
    if (occasion.type !== "results") return null;
    for (const answer of occasion.answers) {
      if (answer.tool_name !== trigger.tool) continue;
      const scope = new Map([...base, ["result", answer.result], ["last_result", answer.result]]);
      if (holds(rule.conditions, scope, answer)) return scope;
    }
    return null;
  }
  let scope: TemplateScope | null = null;
  if (trigger.on === "words") scope = heard === null ? null : patternScope(trigger.patterns, heard, base);
  else if (trigger.on === "otherwise") scope = heard === null ? null : base;
  else scope = occasion.type === trigger.on ? base : null;
  return scope && holds(rule.conditions, scope, null) ? scope : null;
}

function patternScope(
  patterns: ScriptedPattern[],
  heard: UserWords,
  base: ReadonlyMap<string, unknown>,
): TemplateScope | null {
  for (const pattern of patterns) {
    if ("words" in pattern) {
      if (mentions(heard, pattern.words)) return base;
      continue;
    }
    const matcher = matcherOf(pattern.regex, heard.text);
    if (!matcher.find()) continue;
    const scope = new Map(base);
    for (let group = 1; group <= matcher.groupCount(); group += 1)
      scope.set(String(group), matcher.group(group));
    for (const name of Object.keys(pattern.regex.program.namedGroups())) scope.set(name, matcher.group(name));
    return scope;
  }
  return null;
}

function holds(conditions: Condition[], scope: TemplateScope, answer: ToolAnswer | null): boolean {
  return conditions.every((condition) => {
    if (condition.type === "error") return answer?.is_error === true;
    const value = valueAt(scope, condition.path);
    if (condition.type === "present") return value !== undefined && value !== null && value !== false;
    return isDeepStrictEqual(value ?? null, condition.value) === condition.equal;
  });
}

function filledAction(action: ScriptedAction, scope: TemplateScope): ScriptedAction {
  switch (action.type) {
    case "say":
      return { ...action, text: filled(action.text, scope) };
    case "call":
      return { ...action, arguments: filledJson(action.arguments, scope) as Record<string, unknown> };
    case "fail":
      return { ...action, message: filled(action.message, scope) };
    default:
      return action;
  }
}

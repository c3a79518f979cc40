/**
 * Rules for the scripted model, written in a prompt between "```script" and "```". Other models see only text there; this
 * one obeys it, first matching rule first. A rule is a trigger, an arrow and what to do:
 *
 *   # comment
 *   on start -> say "Hello, this is the clinic."
 *   on "opening hours" or /open(ed)? (on|at) (?<day>\w+)/ -> say "We open at nine."
 *   on /book (?<service>check-up|cleaning) for (?<day>\S+)/
 *     -> say "Let me look." then call find_slots {"service": "{service}", "date": "{day}"}
 *   after find_slots if error -> say "The calendar does not answer."
 *   after find_slots if result.slots.length == 0 -> say "Nothing is free that day."
 *   after find_slots -> say "I have {result.slots.*.time}. Which one?"
 *   once on silence -> say "Are you still there?"
 *   on "crash" -> wait 50ms then fail 503 "The model is gone."
 *   otherwise -> say "I did not understand {user.text}."
 *
 *   script    = { rule }
 *   rule      = ["once"] trigger {"if" condition} ("->" | "→") action {"then" action}
 *   trigger   = "on" "start"                    nobody has spoken yet, and the agent begins
 *             | "on" "silence"                  the user said nothing
 *             | "on" pattern {"or" pattern}     about the user's last words
 *             | "after" tool                    that tool has just answered
 *             | "otherwise"                     the user spoke and nothing above matched
 *   pattern   = "words in quotes"               they stand together in the text, whatever the case and the endings
 *             | /regular expression/            RE2 syntax, case never counts; its groups are {1}, {2} … and {name}
 *   condition = "error"                         the tool failed
 *             | path                            there is something at that path, and it is not false
 *             | path ("==" | "!=") json
 *   action    = "say" "text"
 *             | "call" tool [json object]
 *             | "wait" number ("ms" | "s")
 *             | "fail" [http status] "message"  429 and 5xx may be tried again, as with a real provider
 *
 * A rule may run over several lines. What `then` joins belongs to one answer: everything is said and called at once, and what
 * needs a tool's result goes under `after`. With `once` a rule answers one time in a conversation.
 *
 * Paths begin with `result` (the tool's answer; `last_result` is the same), `results.<tool>`, `user.text`, `today`, or a
 * group; a number picks an item, `*` all of them, `length` counts. Placeholders are {path}, {{path}} or ${path}; inside a
 * prompt only the first survives, because prompts are rendered before any model sees them.
 */
import { PublicError } from "../../base/errors.ts";
import { PatternError, type Pattern as Regex } from "../../base/pattern.ts";
import { compile } from "./scripted-patterns.ts";

export type Script = { rules: ScriptedRule[]; faults: string[] };
export type ScriptedRule = {
  once: boolean;
  trigger: Trigger;
  conditions: Condition[];
  actions: ScriptedAction[];
};
type Trigger =
  | { on: "start" | "silence" | "otherwise" }
  | { on: "words"; patterns: ScriptedPattern[] }
  | { on: "result"; tool: string };
export type ScriptedPattern = { words: string } | { regex: Regex };
export type Condition =
  | { type: "error" }
  | { type: "present"; path: string }
  | { type: "compare"; path: string; equal: boolean; value: unknown };
export type ScriptedAction =
  | { type: "say"; text: string }
  | { type: "call"; tool: string; arguments: Record<string, unknown> }
  | { type: "wait"; ms: number }
  | { type: "fail"; status: number | null; message: string };

/** No turn is worth waiting longer for, whatever a rule says. */
const LONGEST_WAIT_MS = 60_000;
const BLOCK = /```script[^\n`]*\n([\s\S]*?)```/g;
/** Some hundred rules; each turn reads them all again. */
export const LONGEST_SCRIPT = 50_000;
/** Its author mends these first. */
const MOST_FAULTS = 20;

/** The script in a prompt, or null when it has none. Faults are sentences for its author, with the line in the script. */
export function scriptIn(prompt: string): Script | null {
  const scripts = scriptsIn(prompt);
  return scripts.length === 0 ? null : parseScript(scripts.map(({ source }) => source).join("\n"));
}

/** What stands between the fences, and where in the prompt each begins. */
export const scriptsIn = (prompt: string): { source: string; at: number }[] =>
  [...prompt.matchAll(BLOCK)].map(({ 0: block, 1: source = "", index }) => ({
    source,
    at: index + block.indexOf("\n") + 1,
  }));

export function parseScript(source: string): Script {
  const script: Script = { rules: [], faults: [] };
  if (source.length > LONGEST_SCRIPT) {
    script.faults.push(`it is longer than ${LONGEST_SCRIPT} characters`);
    return script;
  }
  const cursor = { source, at: 0 };
  for (
    skipBlank(cursor);
    cursor.at < source.length && script.faults.length < MOST_FAULTS;
    skipBlank(cursor)
  ) {
    const from = cursor.at;
    try {
      script.rules.push(rule(cursor));
    } catch (error) {
      const line = source.slice(0, cursor.at).split("\n").length;
      if (!(error instanceof ScriptFault)) throw error;
      script.faults.push(`line ${line}: ${error.message}`);
      toNextRule(cursor, from);
    }
  }
  return script;
}

/** What is wrong with a rule, as its author reads it. */
class ScriptFault extends PublicError {
  override readonly name = "ScriptFault";
}

type Cursor = { readonly source: string; at: number };

function rule(cursor: Cursor): ScriptedRule {
  const once = word(cursor, "once");
  const trigger = triggerAt(cursor);
  const conditions: Condition[] = [];
  while (word(cursor, "if")) conditions.push(condition(cursor));
  if (take(cursor, /->|→/y) === null) throw new ScriptFault(`expected "->" before ${ahead(cursor)}`);
  const actions = [action(cursor)];
  while (word(cursor, "then")) actions.push(action(cursor));
  return { once, trigger, conditions, actions };
}

function triggerAt(cursor: Cursor): Trigger {
  if (word(cursor, "otherwise")) return { on: "otherwise" };
  if (word(cursor, "after")) return { on: "result", tool: toolName(cursor) };
  if (!word(cursor, "on"))
    throw new ScriptFault(`a rule begins with on, after or otherwise, not with ${ahead(cursor)}`);
  if (word(cursor, "start")) return { on: "start" };
  if (word(cursor, "silence")) return { on: "silence" };
  const patterns = [pattern(cursor)];
  while (word(cursor, "or")) patterns.push(pattern(cursor));
  return { on: "words", patterns };
}

function pattern(cursor: Cursor): ScriptedPattern {
  const regex = take(cursor, /\/((?:[^/\\\n]|\\.)+)\//y);
  if (regex === null) return { words: quoted(cursor) };
  const source = regex.slice(1, -1).replaceAll("\\/", "/");
  try {
    return { regex: compile(source, { ignoreCase: true }) };
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    throw new ScriptFault(`/${source}/ can't be used as a pattern: ${error.message}`);
  }
}

function condition(cursor: Cursor): Condition {
  if (word(cursor, "error")) return { type: "error" };
  const path = take(cursor, /[\w.*-]*[\w*]/y);
  if (path === null) throw new ScriptFault(`expected "error" or a path after "if", not ${ahead(cursor)}`);
  const sign = take(cursor, /==|!=/y);
  if (sign === null) return { type: "present", path };
  return { type: "compare", path, equal: sign === "==", value: json(cursor) };
}

function action(cursor: Cursor): ScriptedAction {
  if (word(cursor, "say")) return { type: "say", text: quoted(cursor) };
  if (word(cursor, "call")) {
    const tool = toolName(cursor);
    return { type: "call", tool, arguments: nextIs(cursor, "{") ? jsonObject(cursor) : {} };
  }
  if (word(cursor, "fail")) {
    const status = take(cursor, /\d{3}\b/y);
    return { type: "fail", status: status === null ? null : Number(status), message: quoted(cursor) };
  }
  if (word(cursor, "wait")) {
    const length = take(cursor, /\d+(\.\d+)?\s*(ms|s)\b/y);
    if (length === null)
      throw new ScriptFault(`expected a time such as 50ms or 2s after "wait", not ${ahead(cursor)}`);
    const ms = Number.parseFloat(length) * (length.endsWith("ms") ? 1 : 1000);
    return { type: "wait", ms: Math.min(ms, LONGEST_WAIT_MS) };
  }
  throw new ScriptFault(`expected say, call, wait or fail, not ${ahead(cursor)}`);
}

function toolName(cursor: Cursor): string {
  const name = take(cursor, /[^\s{"]+/y);
  if (name === null) throw new ScriptFault(`expected the name of a tool, not ${ahead(cursor)}`);
  return name;
}

const QUOTED = /"((?:[^"\\]|\\[\s\S])*)"/y;

/** A JSON string, which here may also run over lines. */
function quoted(cursor: Cursor): string {
  const text = take(cursor, QUOTED);
  if (text === null) throw new ScriptFault(`expected a text in quotes, not ${ahead(cursor)}`);
  return parsed(text.replaceAll("\n", "\\n").replaceAll("\r", "").replaceAll("\t", "\\t")) as string;
}

function json(cursor: Cursor): unknown {
  if (nextIs(cursor, "{")) return jsonObject(cursor);
  const text = take(cursor, QUOTED) ?? take(cursor, /\[[^\]\n]*\]|[^\s"{[]+/y);
  if (text === null) throw new ScriptFault(`expected a JSON value, not ${ahead(cursor)}`);
  return parsed(text);
}

function jsonObject(cursor: Cursor): Record<string, unknown> {
  const { source, at } = cursor;
  let depth = 0;
  // A text that is never closed is read to the end once, not from each of the quotes in it.
  for (const token of source.slice(at).matchAll(/"(?:[^"\\]|\\[\s\S])*"?|[{}]/g)) {
    if (token[0] === "{") depth += 1;
    if (token[0] === "}") depth -= 1;
    if (depth > 0) continue;
    cursor.at = at + token.index + 1;
    return parsed(source.slice(at, cursor.at)) as Record<string, unknown>;
  }
  throw new ScriptFault("the brace after the tool's name is never closed");
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ScriptFault(`${text.length > 60 ? `${text.slice(0, 60)}…` : text} is not valid JSON`);
  }
}

const word = (cursor: Cursor, name: string): boolean => take(cursor, new RegExp(`${name}\\b`, "y")) !== null;

const nextIs = (cursor: Cursor, start: string): boolean => {
  skipBlank(cursor);
  return cursor.source.startsWith(start, cursor.at);
};

/**
 * What the (sticky) pattern matches after blanks; null, and nothing consumed, when it doesn't. Blanks stay unread then, so that
 * a fault is reported where the rule broke and not at the line after it.
 */
function take(cursor: Cursor, what: RegExp): string | null {
  what.lastIndex = afterBlank(cursor);
  const found = what.exec(cursor.source)?.[0];
  if (found === undefined) return null;
  cursor.at = what.lastIndex;
  return found;
}

function afterBlank(cursor: Cursor): number {
  const blank = /(?:\s|#[^\n]*)*/y;
  blank.lastIndex = cursor.at;
  return cursor.at + (blank.exec(cursor.source)?.[0].length ?? 0);
}

function skipBlank(cursor: Cursor): void {
  cursor.at = afterBlank(cursor);
}

function ahead(cursor: Cursor): string {
  const rest = cursor.source.slice(afterBlank(cursor)).split("\n")[0]?.trim() ?? "";
  return rest === "" ? "the end" : `“${rest.length > 40 ? `${rest.slice(0, 40)}…` : rest}”`;
}

/** After a fault the reader goes on at the next line that looks like a rule, so that one typing slip hides no other. */
function toNextRule(cursor: Cursor, from: number): void {
  const { source } = cursor;
  const end = source.indexOf("\n", Math.max(cursor.at, from));
  const start = /\n[^\S\n]*(?:once|on|after|otherwise)\b/g;
  start.lastIndex = end === -1 ? source.length : end;
  const next = start.exec(source);
  cursor.at = next === null ? source.length : next.index + 1;
}

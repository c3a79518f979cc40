/**
 * The language model that ships with the program: no network, no chance, and honest about being one. It obeys the script in
 * the prompt (`scripted-rules.ts`), else it fills in the offered tools' parameters by asking (`scripted-walk.ts`), else it
 * says what it is. The same request always gives the same parts.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { sha256 } from "../../base/crypto.ts";
import { PatternError } from "../../base/pattern.ts";
import type { Provider } from "../catalogue.ts";
import { SCRIPTED_MODEL } from "../catalogue.ts";
import { abortedError, type LanguageModel, ModelError, type ModelPart, type ModelRequest } from "../model.ts";
import { coerced } from "./scripted-coerce.ts";
import { lastUserText, systemText } from "./scripted-history.ts";
import { answerByRule } from "./scripted-match.ts";
import { startAnswer } from "./scripted-patterns.ts";
import { type ScriptedAction, scriptIn } from "./scripted-rules.ts";
import { jsonText } from "./scripted-template.ts";
import { structuredAnswer, walk } from "./scripted-walk.ts";
import { readable } from "./scripted-words.ts";

/** `provider` is the one it stands in for. */
export const scriptedModel = (provider: Provider): LanguageModel => ({
  provider,
  model: SCRIPTED_MODEL,
  scripted: true,
  stream: (request) => perform(provider, request),
});

type ScriptedPlan = { actions: ScriptedAction[]; warnings: string[] };

async function* perform(provider: Provider, request: ModelRequest): AsyncGenerator<ModelPart> {
  const { actions, warnings } = plan(request);
  const seed = callSeed(request);
  let calls = 0;
  let spoke = false;
  for (const [at, action] of actions.entries()) {
    if (request.signal.aborted) throw abortedError(provider, request.signal);
    switch (action.type) {
      case "say":
        for (const delta of deltas(spoke ? ` ${action.text}` : action.text)) {
          yield { type: "text", delta };
          if (request.signal.aborted) throw abortedError(provider, request.signal);
        }
        spoke = true;
        if (!goesOn(actions.slice(at + 1))) yield { type: "text_end" };
        break;
      case "call":
        calls += 1;
        yield {
          type: "call",
          call: {
            id: `call_${sha256(`${seed}#${calls}`).slice(0, 24)}`,
            name: action.tool,
            arguments: action.arguments,
          },
        };
        break;
      case "wait":
        await sleep(action.ms, undefined, { signal: request.signal }).catch(() => {
          throw abortedError(provider, request.signal);
        });
        break;
      case "fail":
        throw new ModelError(
          action.status === 429 ? "rate-limited" : (action.status ?? 0) >= 500 ? "unavailable" : "refused",
          provider,
          action.message,
          { status: action.status },
        );
    }
  }
  yield {
    type: "done",
    finish: calls > 0 ? "tool-calls" : "stop",
    // Nothing here counts tokens, and a made-up number would end in somebody's bill.
    usage: { input_tokens: null, output_tokens: null, cached_input_tokens: null },
    warnings,
  };
}

/** Whether more words come before anything else does. */
const goesOn = (next: ScriptedAction[]): boolean => next.find(({ type }) => type !== "wait")?.type === "say";

/** Everything it will say and do, decided before the first word. */
function plan(request: ModelRequest): ScriptedPlan {
  startAnswer();
  try {
    return planned(request);
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    return faulty([error.message]);
  }
}

function planned(request: ModelRequest): ScriptedPlan {
  const script = scriptIn(systemText(request.messages));
  if (script && script.faults.length > 0) return faulty(script.faults);
  const warnings: string[] = [];
  const ruled = script && answerByRule(script, request.messages);
  const scripted = ruled && allowed(ruled, request, warnings);
  if (scripted) return { actions: scripted, warnings };
  if (request.output_schema) return { actions: structuredAnswer(request), warnings };
  const walked = walk(request);
  return { actions: allowed(walked, request, warnings) ?? walked, warnings };
}

/** A script that can't be read is said aloud: guessing what its author meant would look like an answer. */
function faulty(faults: readonly string[]): ScriptedPlan {
  return {
    actions: [{ type: "say", text: `The script in my prompt has a mistake: ${faults.join("; ")}.` }],
    warnings: faults.map((fault) => `The script in the prompt has a mistake: ${fault}.`),
  };
}

/**
 * The actions with their calls held to what the request allows: only offered tools, none under `none`, the wanted one when a
 * call is demanded. Null when a demand is not met, so that something else may answer.
 */
function allowed(
  actions: ScriptedAction[],
  request: ModelRequest,
  warnings: string[],
): ScriptedAction[] | null {
  const { tool_choice, tools } = request;
  const kept: ScriptedAction[] = [];
  for (const action of actions) {
    if (action.type !== "call") {
      kept.push(action);
      continue;
    }
    const tool = tools.find((offered) => offered.name === action.tool);
    if (tool_choice === "none" || !tool) {
      const why = tool ? "no tool may be used now" : "it is not offered";
      warnings.push(`${action.tool} was not called: ${why}.`);
      kept.push({ type: "say", text: `I would use ${readable(action.tool)} now, but ${why}.` });
      continue;
    }
    kept.push({ ...action, arguments: coerced(action.arguments, tool.parameters) });
  }
  const demand =
    typeof tool_choice === "object" ? tool_choice.tool : tool_choice === "required" ? null : undefined;
  if (demand === undefined) return kept;
  const met = kept.some(
    (action) =>
      action.type === "fail" || (action.type === "call" && (demand === null || action.tool === demand)),
  );
  return met ? kept : null;
}

/** Ids differ from call to call within a conversation and are the same when the same conversation is replayed. */
function callSeed({ messages }: ModelRequest): string {
  const ids = messages.flatMap((message) =>
    message.role === "assistant" ? message.calls.map((call) => call.id) : [],
  );
  return jsonText([messages.length, ids, lastUserText(messages)]);
}

/** A word and the space after it at a time. */
const deltas = (text: string): string[] => text.match(/\s*\S+\s*|\s+/g) ?? [];

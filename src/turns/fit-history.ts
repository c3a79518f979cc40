import { cutTo } from "../base/storable.ts";
import { messageTokens, toolTokens } from "../llm/estimate-tokens.ts";
import type { ModelMessage, OfferedTool } from "../llm/model.ts";

/** What was trimmed so that a request fits the context window, for the trace. */
type Trimmed = {
  budget_tokens: number;
  tokens_before: number;
  tokens_after: number;
  /** Tool results that were replaced by a short note. */
  results_shortened: number;
  messages_dropped: number;
  /** Whether the person's last message was cut. */
  words_cut: boolean;
};

type Fitted = { messages: ModelMessage[]; tokens: number; trimmed: Trimmed | null };

/** Tokens reserved for the answer: a quarter of a small window, and no more than a spoken answer needs. */
const ANSWER_SHARE = 0.25;
const MOST_FOR_ANSWER = 16_000;

/** The tokens of a model's window that are left for the conversation, after its answer and tool definitions. */
export function historyBudget(
  context_window: number | null | undefined,
  tools: readonly OfferedTool[],
  most: number,
): number {
  if (context_window == null) return most;
  const answer = Math.min(MOST_FOR_ANSWER, context_window * ANSWER_SHARE);
  return Math.max(0, Math.min(most, Math.floor(context_window - answer) - toolTokens(tools)));
}

/** The ids of the last call of each of these tools, whose results hold the current steps of workflows. */
export function lastResults(
  messages: readonly ModelMessage[],
  tools: readonly string[],
): ReadonlySet<string> {
  const last = new Map<string, string>();
  for (const message of messages) {
    if (message.role === "tool" && tools.includes(message.tool_name))
      last.set(message.tool_name, message.call_id);
  }
  return new Set(last.values());
}

const LEFT_OUT = "(left out: the conversation has become long)";
const CUT = "… (cut)";

/**
 * Trims a conversation to a number of tokens. Removed in this order, the oldest of each first: tool results before the
 * person's last message; whole turns; results of the current turn, then its rounds of calls; last the end of the person's
 * message. Never removed: system text, and the calls in `pinned` with their results, which hold the open step of a
 * workflow. A call and its result are kept or removed together. Pure.
 */
export function fitHistory(
  given: readonly ModelMessage[],
  budget_tokens: number,
  pinned: ReadonlySet<string>,
): Fitted {
  const messages: (ModelMessage | null)[] = [...given];
  const costs = given.map(messageTokens);
  const tokens_before = costs.reduce((sum, cost) => sum + cost, 0);
  if (tokens_before <= budget_tokens) return { messages: [...given], tokens: tokens_before, trimmed: null };

  let tokens = tokens_before;
  const fits = () => tokens <= budget_tokens;
  const replace = (index: number, message: ModelMessage | null) => {
    const cost = message ? messageTokens(message) : 0;
    tokens += cost - (costs[index] as number);
    costs[index] = cost;
    messages[index] = message;
  };

  let results_shortened = 0;
  const shortenResults = (from: number, to: number) => {
    for (let index = from; index < to && !fits(); index++) {
      const message = messages[index];
      if (message?.role !== "tool" || pinned.has(message.call_id)) continue;
      const shorter = { ...message, result: LEFT_OUT };
      if (messageTokens(shorter) >= (costs[index] as number)) continue;
      replace(index, shorter);
      results_shortened++;
    }
  };
  /** Everything but system text and pinned calls. */
  const drop = (from: number, to: number) => {
    for (let index = from; index < to; index++) {
      const message = messages[index];
      if (!message || message.role === "system") continue;
      if (message.role === "tool" && pinned.has(message.call_id)) continue;
      const calls = message.role === "assistant" ? message.calls.filter(({ id }) => pinned.has(id)) : [];
      replace(index, calls.length > 0 ? { role: "assistant", text: "", calls } : null);
    }
  };
  const dropEach = (starts: number[], end: number) => {
    for (const [at, start] of starts.entries()) {
      if (fits()) return;
      drop(start, starts[at + 1] ?? end);
    }
  };
  const indexesOf = (role: ModelMessage["role"], from: number, to: number): number[] =>
    given.flatMap((message, index) => (index >= from && index < to && message.role === role ? [index] : []));

  const last = given.findLastIndex(({ role }) => role === "user");
  const present = last < 0 ? given.length : last;
  shortenResults(0, present);
  // The greeting, before the person's first message, is a turn of its own.
  dropEach([...new Set([0, ...indexesOf("user", 0, present)])], present);
  shortenResults(present, given.length);
  dropEach(indexesOf("assistant", present, given.length), given.length);
  const words_cut = !fits() && last >= 0;
  if (words_cut)
    replace(last, cut(messages[last] as ModelMessage, (costs[last] as number) - tokens + budget_tokens));

  const kept = messages.filter((message) => message !== null);
  const messages_dropped = given.length - kept.length;
  const trimmed = {
    budget_tokens,
    tokens_before,
    tokens_after: tokens,
    results_shortened,
    messages_dropped,
    words_cut,
  };
  return { messages: kept, tokens, trimmed };
}

/** The message cut to this many tokens; its text is empty when nothing fits. */
function cut(message: ModelMessage, most: number): ModelMessage {
  if (message.role !== "user") return message;
  let [low, high] = [0, message.text.length];
  const shortened = (length: number): ModelMessage => ({
    role: "user",
    text: cutTo(message.text, length) + CUT,
  });
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (messageTokens(shortened(middle)) <= most) low = middle;
    else high = middle - 1;
  }
  return shortened(low);
}

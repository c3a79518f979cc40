/*
 * The phrases that fill the wait for a slow model or tool: which apply, when each is said, and in which order. Pure.
 */

/** A phrase with a default text and translations by language tag. */
export type PhraseSet = { messages: string[]; localized?: Record<string, { messages: string[] }> };

/** A configuration that agents refer to, or the sub-organization's default. */
export type NamedPhrases = {
  phrases: PhraseSet;
  tools: { tool_name: string; phrases: PhraseSet }[];
  smart_turn_timeout_seconds: number | null;
  randomize_bridge_phrases: boolean;
  /** Said when the model gave no answer. */
  apology?: PhraseSet | null;
};

/** The older API's lists, one per scope. */
export type ScopedPhrases = {
  agent_id: number | null;
  tool_name: string | null;
  config: {
    messages: string[];
    randomize_messages?: boolean;
    first_slow_messages?: string[];
    very_slow_messages?: string[];
    tool_responses?: string[];
    localized?: Record<string, OlderSet>;
    smart_turn_timeout_seconds?: number | null;
  };
};
type OlderSet = {
  messages?: string[];
  first_slow_messages?: string[];
  very_slow_messages?: string[];
  tool_responses?: string[];
};

/** All phrases of an agent's sessions, without rows of other agents. */
export type PhraseSources = { named: NamedPhrases | null; scoped: ScopedPhrases[]; agent_id: number };

/** The default wait before the first phrase. */
const DEFAULT_BASE_MS = 2750;

export type Phrases = { messages: string[]; base_ms: number; random: boolean };

const NONE: Phrases = { messages: [], base_ms: DEFAULT_BASE_MS, random: false };

/** The phrases of the first source that has any; `tool_name` null: for the wait for the model. */
export function choosePhrases(
  sources: PhraseSources,
  waiting: { tool_name: string | null; language: string },
): Phrases {
  const { named, scoped, agent_id } = sources;
  const { tool_name, language } = waiting;
  if (named) {
    const tool = named.tools.find((entry) => tool_name !== null && entry.tool_name === tool_name)?.phrases;
    const messages = firstFilled([
      localized(tool?.localized, language)?.messages,
      tool?.messages,
      localized(named.phrases.localized, language)?.messages,
      named.phrases.messages,
    ]);
    if (messages) {
      const base_ms = (named.smart_turn_timeout_seconds ?? DEFAULT_BASE_MS / 1000) * 1000;
      return { messages, base_ms, random: named.randomize_bridge_phrases };
    }
  }
  for (const [agent, tool] of [
    [agent_id, tool_name],
    [agent_id, null],
    [null, tool_name],
    [null, null],
  ] as const) {
    const found = scoped.find((entry) => entry.agent_id === agent && entry.tool_name === tool);
    if (!found) continue;
    const { config } = found;
    const messages = firstFilled([
      olderMessages(localized(config.localized, language), tool_name),
      olderMessages(config, tool_name),
    ]);
    if (messages) {
      const base_ms = (config.smart_turn_timeout_seconds ?? DEFAULT_BASE_MS / 1000) * 1000;
      return { messages, base_ms, random: config.randomize_messages ?? false };
    }
  }
  return NONE;
}

/** The three older lists in order; those for tools come first while a tool runs. */
function olderMessages(set: OlderSet | undefined, tool_name: string | null): string[] {
  if (set?.messages?.length) return set.messages;
  const responses = tool_name === null ? [] : (set?.tool_responses ?? []);
  return [...responses, ...(set?.first_slow_messages ?? []), ...(set?.very_slow_messages ?? [])];
}

/** The exact language tag, else the same language of any country. */
function localized<T>(by_tag: Record<string, T> | undefined, language: string): T | undefined {
  if (!by_tag) return undefined;
  const base = language.split("-")[0] as string;
  return by_tag[language] ?? by_tag[base];
}

/** The phrases of a set in a language, else its defaults; undefined when it has none. */
export const languagePhrases = (set: PhraseSet | null | undefined, language: string): string[] | undefined =>
  firstFilled([localized(set?.localized, language)?.messages, set?.messages]);

const firstFilled = (lists: (string[] | undefined)[]): string[] | undefined =>
  lists.map((list) => list?.filter((phrase) => phrase.trim() !== "")).find((list) => list?.length);

/** The silence before phrase `n` (from 0): the base, then twice, three and four times it, and so on. */
export const phraseWait_ms = (base_ms: number, n: number): number => base_ms * Math.min(n + 1, 4);

/**
 * The `n`th phrase (from 0): in order, repeated; or at random, each once per round and never twice in a row. The same seed
 * gives the same order.
 */
export function phraseAt(messages: string[], random: boolean, seed: number, n: number): string {
  const count = messages.length;
  if (!random || count < 2) return messages[n % count] as string;
  let order: number[] = [];
  for (let round = 0; round <= Math.floor(n / count); round++) {
    const last = order.at(-1);
    order = shuffled(count, seed + round);
    if (order[0] === last) order.push(order.shift() as number);
  }
  return messages[order[n % count] as number] as string;
}

function shuffled(count: number, seed: number): number[] {
  const order = Array.from({ length: count }, (_, index) => index);
  let state = seed >>> 0;
  for (let i = count - 1; i > 0; i--) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const j = Math.floor((state / 2 ** 32) * (i + 1));
    [order[i], order[j]] = [order[j] as number, order[i] as number];
  }
  return order;
}

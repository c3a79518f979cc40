import type { Snapshot } from "../agents/snapshot.ts";
import { type Lookup, renderTemplate } from "../expressions/template.ts";
import type { ModelMessage, ProviderData } from "../llm/model.ts";
import { authoredTexts, instructionLookup } from "../workflows/instruction-lookup.ts";

/** An entry of the model's history: one message or call of the session, in order. */
export type HistoryEntry =
  | { kind: "message"; seq: number; role: "user" | "agent"; text: string; aside: boolean }
  | {
      kind: "call";
      seq: number;
      turn_index: number;
      round: number;
      call_id: string;
      tool_name: string;
      arguments: Record<string, unknown>;
      result: unknown;
      is_error: boolean;
      provider_data: ProviderData | null;
    };

/** Stands for silence, because most providers reject an empty message. */
export const SILENCE = "(silence)";

/** The model's whole input: instructions with their variables resolved, and the history. Pure. */
export function buildMessages(
  snapshot: Snapshot,
  history: HistoryEntry[],
  lookup: Lookup,
  language: { code: string; changed: boolean },
  /** Notes to the model about the current state. */
  notes: string[] = [],
): ModelMessage[] {
  const context = renderTemplate(
    snapshot.prompt.context ?? "",
    instructionLookup(lookup, authoredTexts(snapshot)),
  );
  const inLanguage = language.changed
    ? `The conversation is now in ${language.code}. Answer in that language.`
    : "";
  const system = [context, inLanguage, ...notes].filter((text) => text !== "").join("\n\n");
  return [...(system === "" ? [] : [{ role: "system" as const, text: system }]), ...historyMessages(history)];
}

/** Calls of one round belong to one assistant message, together with the words just before them. */
function historyMessages(history: HistoryEntry[]): ModelMessage[] {
  const messages: ModelMessage[] = [];
  const ordered = history.toSorted((a, b) => a.seq - b.seq);
  for (let i = 0; i < ordered.length; i++) {
    const entry = ordered[i] as HistoryEntry;
    if (entry.kind === "message") {
      if (entry.aside) continue;
      const { role, text } = entry;
      if (role === "user") messages.push({ role, text: text === "" ? SILENCE : text });
      // Words that were cut off entirely are left out.
      else if (text !== "") messages.push({ role: "assistant", text, calls: [] });
      continue;
    }
    const round = [entry];
    for (let next = ordered[i + 1]; next?.kind === "call" && sameRound(next, entry); next = ordered[i + 1]) {
      round.push(next);
      i++;
    }
    const calls = round.map((call) => ({
      id: call.call_id,
      name: call.tool_name,
      arguments: call.arguments,
      ...(call.provider_data && { provider_data: call.provider_data }),
    }));
    const said = messages.at(-1);
    if (said?.role === "assistant" && said.calls.length === 0) said.calls = calls;
    else messages.push({ role: "assistant", text: "", calls });
    for (const call of round) {
      const { call_id, tool_name, result, is_error } = call;
      messages.push({ role: "tool", call_id, tool_name, result, is_error });
    }
  }
  return messages;
}

const sameRound = (
  a: { turn_index: number; round: number },
  b: { turn_index: number; round: number },
): boolean => a.turn_index === b.turn_index && a.round === b.round;

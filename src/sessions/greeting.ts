import { chooseMessageText, type MessageRule } from "../agents/message-rules.ts";
import { renderTemplate } from "../expressions/template.ts";
import type { Snapshot } from "./snapshot.ts";
import {
  localTime,
  type SessionFacts,
  type SessionState,
  sessionLookup,
  systemVariables,
} from "./variables.ts";

/** The greeting of this moment: preamble, then the text of the rule that fits best (domain decision 8). */
export function greetingText(
  snapshot: Snapshot,
  state: SessionState,
  facts: SessionFacts,
  at: Date,
): string | null {
  const { message, agent } = snapshot;
  if (message?.type !== "greeting") return null;
  const local = Temporal.Instant.fromEpochMilliseconds(at.getTime())
    .toZonedDateTimeISO(agent.timezone)
    .toPlainDateTime();
  const lookup = sessionLookup(state, systemVariables(facts, state.language, localTime(at, agent.timezone)));
  return [
    message.preamble,
    chooseMessageText({ text: message.text, rules: message.rules as MessageRule[] }, local),
  ]
    .filter((part): part is string => !!part)
    .map((part) => renderTemplate(part, lookup))
    .join("\n\n");
}

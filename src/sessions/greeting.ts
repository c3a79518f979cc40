import { chooseMessageText, type MessageRule } from "../agents/message-rules.ts";
import { renderTemplate } from "../expressions/template.ts";
import { holdsMenu, menuEntries, splitAtMenu, spokenMenu, writtenMenu } from "./language-menu.ts";
import type { Snapshot } from "./snapshot.ts";
import {
  localTime,
  type SessionFacts,
  type SessionState,
  sessionLookup,
  systemVariables,
} from "./variables.ts";

/** A part of what the agent says unasked. `language` null: the session's. */
export type SpokenPart = { text: string; language: string | null; interruptible: boolean; is_menu: boolean };

/**
 * The greeting of this moment: preamble, then the text of the rule that fits best (domain decision 8), each language of
 * its menu in a part of its own. The preamble is heard to its end. Empty: the agent does not greet.
 */
export function greetingParts(
  snapshot: Snapshot,
  state: SessionState,
  facts: SessionFacts,
  at: Date,
  menu: "with-menu" | "without-menu" = "with-menu",
): SpokenPart[] {
  const { message, agent } = snapshot;
  if (message?.type !== "greeting") return [];
  const local = Temporal.Instant.fromEpochMilliseconds(at.getTime())
    .toZonedDateTimeISO(agent.timezone)
    .toPlainDateTime();
  const lookup = sessionLookup(state, systemVariables(facts, state.language, localTime(at, agent.timezone)));
  const say = (text: string, more: Partial<SpokenPart> = {}): SpokenPart => ({
    text: renderTemplate(text, lookup).trim(),
    language: null,
    interruptible: true,
    is_menu: false,
    ...more,
  });
  const chosen = chooseMessageText({ text: message.text, rules: message.rules as MessageRule[] }, local);
  const entries = menu === "with-menu" ? menuEntries(snapshot.language_group, state.language) : [];
  const menuParts =
    facts.channel === "voice"
      ? spokenMenu(entries).map((line) => ({ ...line, interruptible: true, is_menu: true }))
      : [{ ...say(""), text: writtenMenu(entries), is_menu: true }];
  const parts = splitAtMenu(chosen).flatMap((text, index) => [...(index === 0 ? [] : menuParts), say(text)]);
  return [...(message.preamble ? [say(message.preamble, { interruptible: false })] : []), ...parts].filter(
    (part) => part.text !== "",
  );
}

/** The same as one text: a preamble stands alone, what follows is one paragraph. */
export function greetingText(
  snapshot: Snapshot,
  state: SessionState,
  facts: SessionFacts,
  at: Date,
  menu?: "with-menu" | "without-menu",
): string | null {
  const parts = greetingParts(snapshot, state, facts, at, menu);
  return parts.length === 0 ? null : joinParts(parts);
}

export const joinParts = (parts: SpokenPart[]): string =>
  [parts.filter((part) => !part.interruptible), parts.filter((part) => part.interruptible)]
    .filter((group) => group.length > 0)
    .map((group) => group.map((part) => part.text).join(" "))
    .join("\n\n");

/** Whether some text of the agent's greeting offers its languages. */
export const offersMenu = ({ message, language_group }: Snapshot): boolean =>
  message?.type === "greeting" &&
  (language_group?.language_configs.length ?? 0) > 0 &&
  [message.text, ...message.rules.map((rule) => rule.text)].some(holdsMenu);

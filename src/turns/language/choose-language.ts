import { sessionFacts } from "../../sessions/session-facts.ts";
import { applyEffects } from "../draft/apply-effects.ts";
import type { TurnDraft } from "../draft/turn-draft.ts";
import { greetingText, greetingTrace, offersMenu } from "../greeting.ts";
import { chosenLanguage } from "./language-menu.ts";

/**
 * A message that is only a key of the greeting's menu changes the language, if it is the person's first message or the first
 * after the greeting was repeated. Returns whether the greeting was repeated, which is then the whole answer; otherwise the
 * agent continues in the chosen language.
 */
export function chooseLanguage(draft: TurnDraft, text: string): boolean {
  const { session } = draft.facts;
  const { snapshot } = session;
  const { memory } = draft.state;
  const choices = memory.menu_choices ?? 0;
  const repeats = snapshot.message?.repeat_after_language_change ?? false;
  const isOpen = session.turn_count === choices + 1 && (choices === 0 || repeats);
  const language = chosenLanguage(snapshot.language_group, text);
  if (!isOpen || language === null || !offersMenu(snapshot)) return false;

  draft.remember({ menu_choices: choices + 1 });
  const event = {
    category: "automation",
    type: "language-change",
    description: `Language changed from ${memory.language} to ${language}`,
    attributes: { from: memory.language, to: language },
  } as const;
  applyEffects(draft, { language, ...(language !== memory.language && { event }) }, undefined);
  if (!repeats) return false;
  const said_before = draft.state.messages.length;
  const { at } = draft.surroundings();
  draft.trace(...greetingTrace(snapshot, at));
  draft.say(greetingText(snapshot, draft.state.memory, sessionFacts(session), at, "without-menu") ?? "");
  return draft.state.messages.length > said_before;
}

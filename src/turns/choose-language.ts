import { sessionFacts } from "../sessions/session-facts.ts";
import { greetingText, greetingTrace, offersMenu } from "./greeting.ts";
import { chosenLanguage } from "./language-menu.ts";
import type { TurnRecord } from "./turn-record.ts";

/**
 * A message that is nothing but a key of the greeting's menu changes the language. That holds for
 * the person's first message, and again after each repetition of the greeting. Tells whether the greeting was repeated,
 * which is all the answer there is; else the agent goes on in the language that was chosen.
 */
export function chooseLanguage(record: TurnRecord): boolean {
  const { session, input } = record;
  const { snapshot, state } = session;
  const choices = state.menu_choices ?? 0;
  const repeats = snapshot.message?.repeat_after_language_change ?? false;
  const isOpen = session.turn_count === choices + 1 && (choices === 0 || repeats);
  const language = chosenLanguage(snapshot.language_group, input.text ?? "");
  if (!isOpen || language === null || !offersMenu(snapshot)) return false;

  state.menu_choices = choices + 1;
  const event = {
    category: "automation",
    type: "language-change",
    description: `Language changed from ${state.language} to ${language}`,
    attributes: { from: state.language, to: language },
  };
  record.apply({ language, ...(language !== state.language && { event }) }, undefined);
  if (!repeats) return false;
  const { at } = record.surroundings();
  record.trace(...greetingTrace(snapshot, at));
  record.say(greetingText(snapshot, state, sessionFacts(session), at, "without-menu") ?? "");
  return record.messages.length > 0;
}

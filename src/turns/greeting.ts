import { chooseMessageText, explainChoice, type MessageRule } from "../agents/message-rules.ts";
import type { Snapshot, SnapshotMessage } from "../agents/snapshot.ts";
import { type Announcement, announcementReason, isSameLanguage } from "../announcements/announcement.ts";
import type { TraceEntry } from "../events/trace.ts";
import { renderTemplate } from "../expressions/template.ts";
import { voiceInForce } from "../sessions/session-voice.ts";
import {
  localTime,
  type SessionFacts,
  type SessionState,
  sessionLookup,
  systemVariables,
} from "../sessions/variables.ts";
import { holdsMenu, menuEntries, splitAtMenu, spokenMenu, writtenMenu } from "./language/language-menu.ts";

/** A part of the greeting. `language` null: the session's. */
export type SpokenPart = { text: string; language: string | null; interruptible: boolean; is_menu: boolean };

/**
 * The greeting at this time: the preamble, which can't be interrupted, then the text of the rule that fits best, with each
 * language of its menu in a part of its own. Empty: the agent does not greet.
 */
export function greetingParts(
  snapshot: Snapshot,
  state: Readonly<SessionState>,
  facts: SessionFacts,
  at: Date,
  menu: "with-menu" | "without-menu" = "with-menu",
): SpokenPart[] {
  const { message, agent } = snapshot;
  if (message?.type !== "greeting") return [];
  const now = localTime(at, agent.timezone);
  const voice = voiceInForce(facts.channel, snapshot, state.language);
  const lookup = sessionLookup(state, systemVariables(facts, state.language, now, voice));
  const say = (text: string, more: Partial<SpokenPart> = {}): SpokenPart => ({
    text: renderTemplate(text, lookup).trim(),
    language: null,
    interruptible: true,
    is_menu: false,
    ...more,
  });
  const chosen = chooseMessageText({ text: message.text, rules: rulesOf(message) }, wallClock(at, agent));
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

const rulesOf = (message: SnapshotMessage) => message.rules as MessageRule[];

const wallClock = (at: Date, { timezone }: Snapshot["agent"]): Temporal.PlainDateTime =>
  Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timezone).toPlainDateTime();

export const announcementText = (announcements: readonly Announcement[]): string =>
  announcements.map(({ text }) => text).join(" ");

/** For speech: each in a language that the agent has a voice for. */
export function announcementParts(
  announcements: readonly Announcement[],
  { language_group }: Pick<Snapshot, "language_group">,
  spoken: string,
): SpokenPart[] {
  const codes = (language_group?.language_configs ?? []).map(({ language_code }) => language_code);
  return announcements.map(({ text, language }) => ({
    text,
    language: isSameLanguage(language, spoken)
      ? null
      : (codes.find((code) => isSameLanguage(code, language)) ?? null),
    interruptible: false,
    is_menu: false,
  }));
}

/** Which rows had the agent say something before its greeting. */
export const announcementTrace = (announcements: readonly Announcement[]): TraceEntry[] =>
  announcements.map((announcement) => ({
    category: "greeting",
    label: `announcement: ${announcement.kind}`,
    details: { ...announcement, reason: announcementReason(announcement) },
  }));

/** Which text of the greeting applies at this time, and why; undefined when the agent does not greet. */
export const greetingTrace = (snapshot: Snapshot, at: Date): TraceEntry[] =>
  snapshot.message?.type === "greeting" ? messageTrace(snapshot, at) : [];

/** The same of the agent's message, be it a greeting or the template of its mails. */
export function messageTrace({ message, agent }: Snapshot, at: Date): TraceEntry[] {
  if (!message) return [];
  const rules = rulesOf(message);
  const { rule, kind, held } = explainChoice(rules, wallClock(at, agent));
  const { datetime, day_of_week, timezone } = localTime(at, agent.timezone);
  const description = rule === null ? null : (rules[rule]?.description ?? null);
  const details = {
    message: message.type,
    rule,
    description,
    kind,
    held,
    local_time: datetime,
    day_of_week,
    timezone,
  };
  return [{ category: "greeting", label: rule === null ? "default text" : "rule", details }];
}

/** The same as one text: the preamble, then the rest as one paragraph. */
export function greetingText(
  snapshot: Snapshot,
  state: Readonly<SessionState>,
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

/** Whether any text of the agent's greeting has a language menu. */
export const offersMenu = ({ message, language_group }: Snapshot): boolean =>
  message?.type === "greeting" &&
  (language_group?.language_configs.length ?? 0) > 0 &&
  [message.text, ...message.rules.map((rule) => rule.text)].some(holdsMenu);

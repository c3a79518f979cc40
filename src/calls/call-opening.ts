import { unreachable } from "../base/errors.ts";
import { machineWords } from "../media/words/answering-words.ts";
import type { Answerer } from "../sessions/answerer.ts";
import type { CallDraft } from "./call-draft.ts";
import { isMachine } from "./call-screening.ts";
import type { CallEvent } from "./call-state.ts";
import { actOn, runTurnOf } from "./call-turn.ts";
import { measure } from "./spoken-text.ts";

/*
 * The call machine's part about the opening: the greeting or, when a campaign detects voicemail, finding out who answered
 * first.
 */

export function openLine(call: CallDraft): void {
  const { state } = call;
  if (state.phase !== "unopened") return;
  state.timers.longest = call.settings.longest_at;
  const { screening, resumes, goes_on_with } = call.settings;
  state.phase = "talking";
  // Said again: an interruption takes nothing out of the transcript of what was heard on the line before.
  if (resumes && goes_on_with !== null) call.say(goes_on_with, { turn: null, aside: true });
  else if (resumes) runTurnOf(call, null);
  else if (screening === null) greet(call);
  else if (screening.version === 2) call.wait("input", screening.pre_speech_ms);
  else if (state.answerer !== null && state.answerer !== "MACHINE") greet(call);
  else {
    state.phase = "screening";
    const { machine } = state.screening;
    call.wait("screen", machine ? screening.post_speech_ms : screening.pre_speech_ms);
    call.wait("screen_end", screening.overall_ms);
  }
}

function greet(call: CallDraft): void {
  call.state.phase = "talking";
  call.state.greeting = true;
  call.effects.push({ type: "greet" });
}

export function takeGreeting(
  call: CallDraft,
  { parts, wants_turn, action }: Extract<CallEvent, { type: "greeting" }>,
) {
  const { state } = call;
  state.greeting = false;
  if (state.closing) return;
  // While it was made, a machine was heard: nobody is there to be greeted.
  if (state.heard_by === "voicemail" && call.listening && state.turns === 0) {
    const unheard = parts.reduce((sum, part) => sum + measure(part.text), 0);
    if (unheard > 0) call.effects.push({ type: "cut", unheard });
    return leaveMessage(call);
  }
  for (const part of parts) {
    call.say(part.text, { turn: null, lang: part.language, interruptible: part.interruptible });
    state.menu ||= part.is_menu;
  }
  if (action) actOn(call, action);
  else if (wants_turn) runTurnOf(call, null);
}

/** Mode v1, before the greeting: a person is greeted at once, a machine after its announcement. */
export function screenSpeech(call: CallDraft, text: string, final: boolean) {
  const { state } = call;
  const screening = call.listening;
  if (!screening || text.trim() === "") return;
  const heard = state.screening;
  const words = [heard.words, text].filter((part) => part !== "").join(" ");
  const isOpen = state.heard_by === null || state.heard_by === "unknown";
  if (isOpen && !heard.machine && isMachine(screening, words, heard.first_heard, call.at))
    call.found("MACHINE");
  if (!final) heard.first_heard ??= call.at;
  else heard.words = words;
  if (final && state.heard_by === "human") return endScreening(call, "HUMAN");
  if (final && state.heard_by === "hold") return onHold(call, text);
  call.wait("screen", final || heard.machine ? screening.post_speech_ms : screening.overall_ms);
}

/** Silence: a person has finished their "Hello?", or a machine its announcement. */
export function endScreening(call: CallDraft, found: Exclude<Answerer, "MACHINE">) {
  const { state } = call;
  delete state.timers.screen;
  delete state.timers.screen_end;
  const { words, machine } = state.screening;
  if (!machine && state.heard_by === "screener") return answerScreener(call, words);
  if (words !== "") call.effects.push({ type: "note", role: "user", text: words, aside: true });
  if (machine) {
    call.found("MACHINE");
    return leaveMessage(call);
  }
  call.found(found);
  greet(call);
}

/** On a line that hears the beep, the message is made while the announcement goes on. */
function leaveMessage(call: CallDraft): void {
  call.state.phase = "talking";
  call.sayAfterBeep({ forget: call.state.pieces.length > 0 });
  if (call.settings.can_leave_voicemail) runTurnOf(call, null, "MACHINE");
  else call.close({ act: "hangup", reason: "agent", voicemail: false });
}

/** The carrier's word. Once our own line knows who answered, it counts no more. */
export function takeAnswerer(call: CallDraft, found: Answerer): void {
  const { state } = call;
  if (state.heard_by !== null && state.heard_by !== "unknown") return;
  if (state.phase === "unopened") {
    state.answerer = found;
    state.screening.machine = found === "MACHINE" && call.listening !== null;
    return;
  }
  if (state.phase === "screening") {
    call.found(found);
    if (found === "MACHINE") call.wait("screen", call.listening?.post_speech_ms ?? 0);
    else endScreening(call, found);
    return;
  }
  // Too late to detect before the greeting; until the first exchange a machine can still be detected.
  if (
    found !== "MACHINE" ||
    !call.listening ||
    state.turns > 0 ||
    state.closing ||
    state.answerer === "MACHINE"
  )
    return;
  call.found(found);
  if (!state.greeting) leaveMessage(call);
}

/** The words of a person whose voice was heard come so much later, or not at all. */
const WORDS_LATE_MS = 800;
/** The longest wait for a person behind an announcement that asks to hold. */
const HOLD_MS = 5 * 60_000;

/** Who answered, by what our own line hears. */
export function takeHeardAnswerer(
  call: CallDraft,
  { by, firm }: Extract<CallEvent, { type: "answerer"; by: unknown }>,
) {
  const { state } = call;
  if (state.closing) return;
  const before = state.heard_by;
  state.heard_by = by;
  // Their words show that what went on for long was no voicemail.
  const isOther = by === "human" || by === "screener" || by === "ivr" || by === "hold";
  if (state.phase === "screening" && isOther) state.screening.machine = false;
  switch (by) {
    case "fax":
    case "unavailable":
      return endUnheard(call);
    case "human":
      return takePerson(call);
    case "voicemail":
      return takeVoicemail(call, firm);
    case "hold":
      if (state.phase === "screening") return onHold(call, "");
      // "Please hold", said by the person whom we have greeted.
      state.heard_by = before;
      return;
    case "screener":
      if (state.phase === "talking" && state.turns === 0) state.screened = true;
      return;
    case "ivr":
    case "unknown":
      return;
    default:
      return unreachable(by);
  }
}

/** A fax, or the network's word that the number can't be reached: nobody can hear us. */
function endUnheard(call: CallDraft) {
  const { state } = call;
  call.found("MACHINE");
  if (state.turn) call.stopTurn(state.turn);
  call.close({ act: "hangup", reason: "agent", voicemail: false });
  call.quiet();
  call.finish();
}

/** Their voice is over before their words are recognized; these are waited for, so that they are no answer to us. */
function takePerson(call: CallDraft) {
  const { state } = call;
  if (state.phase !== "screening") return;
  if (state.screening.words !== "") endScreening(call, "HUMAN");
  else call.wait("screen", WORDS_LATE_MS);
}

function takeVoicemail(call: CallDraft, firm: boolean) {
  const { state } = call;
  if (state.phase === "screening") {
    state.screening.machine = true;
    // How long somebody speaks may mislead, so their words or the silence after them are waited for.
    if (firm) return endScreening(call, "UNKNOWN");
    return call.wait("screen", call.listening?.post_speech_ms ?? 0);
  }
  if (!firm || !call.listening || state.turns > 0 || state.answerer === "MACHINE") return;
  call.found("MACHINE");
  if (!state.greeting) leaveMessage(call);
}

/** What asks to wait is waited with; anything else is said by somebody, who is greeted. */
function onHold(call: CallDraft, text: string) {
  const asks = text === "" || machineWords(text) !== null;
  call.wait("screen", asks ? HOLD_MS : (call.listening?.post_speech_ms ?? 0));
  call.wait("screen_end", HOLD_MS);
}

/** It asked who calls and why; then whoever it brings is waited for. */
function answerScreener(call: CallDraft, words: string): void {
  call.state.phase = "talking";
  call.state.screened = true;
  runTurnOf(call, words === "" ? null : words, "SCREENER");
}

import type { Answerer } from "../sessions/answerer-notes.ts";
import type { CallDraft } from "./call-draft.ts";
import { isMachine } from "./call-screening.ts";
import type { CallEvent } from "./call-state.ts";
import { actOn, runTurnOf } from "./call-turn.ts";

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
  if (resumes && goes_on_with !== null) call.say(goes_on_with, { turn: null });
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
  for (const part of parts) {
    call.say(part.text, { turn: null, lang: part.language, interruptible: part.interruptible });
    state.menu ||= part.is_menu;
  }
  if (action) actOn(call, action);
  else if (wants_turn) runTurnOf(call, null);
}

/** Mode v1, before the greeting: a person is greeted at once, a machine after its announcement. */
export function screenSpeech(call: CallDraft, text: string, final: boolean): void {
  const { state } = call;
  const screening = call.listening;
  if (!screening || text.trim() === "") return;
  const heard = state.screening;
  const words = [heard.words, text].filter((part) => part !== "").join(" ");
  if (!heard.machine && isMachine(screening, words, heard.first_heard, call.at)) call.found("MACHINE");
  if (!final) heard.first_heard ??= call.at;
  else heard.words = words;
  call.wait("screen", final || heard.machine ? screening.post_speech_ms : screening.overall_ms);
}

/** Silence: a person has finished their "Hello?", or a machine its announcement. */
export function endScreening(call: CallDraft, found: Exclude<Answerer, "MACHINE">) {
  const { state } = call;
  delete state.timers.screen;
  delete state.timers.screen_end;
  const { words, machine } = state.screening;
  if (words !== "") call.effects.push({ type: "note", role: "user", text: words, aside: true });
  if (machine) return leaveMessage(call);
  call.found(found);
  greet(call);
}

function leaveMessage(call: CallDraft): void {
  call.state.phase = "talking";
  if (call.settings.can_leave_voicemail) runTurnOf(call, null, "MACHINE");
  else call.close({ act: "hangup", reason: "agent", voicemail: false });
}

export function takeAnswerer(call: CallDraft, found: Answerer): void {
  const { state } = call;
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

import { unreachable } from "../base/errors.ts";
import { storableText } from "../base/storable.ts";
import type { AnswererNote } from "../sessions/answerer.ts";
import { choosePhrases, phraseAt, phraseWait_ms } from "../turns/choose-phrases.ts";
import { wordsOf } from "../turns/language/language-words.ts";
import type { TurnEvent } from "../turns/turn-event.ts";
import type { CallDraft } from "./call-draft.ts";
import { nothingGathered, type RunningTurn, type TurnOutcome } from "./call-state.ts";
import { endsSentence, measure, NOTHING_UNSPOKEN, speakable } from "./spoken-text.ts";

/** People don't notice a shorter wait, and a sound in it would only click. */
const SOUND_AFTER_MS = 400;

/** A sentence that nothing follows for so long is over; many models' servers tell a call only once it is whole. */
const STALLED_MS = 500;

/*
 * The call machine's part about a running turn. Its words are spoken as they come, and phrases or sounds fill the wait.
 */

export function runTurnOf(call: CallDraft, text: string | null, answerer: AnswererNote | null = null): void {
  const { state } = call;
  const number = ++state.turns;
  state.gathered = nothingGathered();
  delete state.timers.input;
  delete state.timers.overall;
  state.turn = {
    number,
    spoke: false,
    interrupted: false,
    heard: 0,
    unheard_before: 0,
    unspoken: NOTHING_UNSPOKEN,
    written: "",
    announced: [],
    tools: [],
    phrases: 0,
  };
  const unknown = call.settings.screening?.version === 2 && state.answerer === null;
  const known = answerer ?? state.answerer ?? (unknown ? "UNKNOWN" : null);
  call.effects.push({ type: "run", turn: number, text, answerer: known });
  awaitPhrase(call, state.turn);
  if (call.settings.wait_sound_url !== null) call.wait("sound", SOUND_AFTER_MS);
}

export function takeTurnEvent(call: CallDraft, turn: RunningTurn, event: TurnEvent) {
  const { state } = call;
  switch (event.type) {
    case "delta": {
      turn.written += event.text;
      const { pieces, rest } = speakable(turn.unspoken, event.text);
      turn.unspoken = rest;
      for (const piece of pieces) speakAnswer(call, turn, piece);
      if (endsSentence(rest.text)) call.wait("words", STALLED_MS);
      else delete call.state.timers.words;
      return;
    }
    case "text_end":
      return speakRest(call, turn);
    case "words_over":
      speakRest(call, turn);
      turn.announced = [...turn.announced, storableText(turn.written).trim()].filter((text) => text !== "");
      turn.written = "";
      return;
    case "message":
      // The model's words were spoken as they streamed; a workflow's text arrives whole.
      if (turn.announced[0] === event.text) turn.announced = turn.announced.slice(1);
      else speakAnswer(call, turn, event.text);
      return;
    case "tool_call":
      turn.tools = [...turn.tools, event.tool_name];
      if (event.tool_name === "leave_voicemail") call.sayAfterBeep({ forget: false });
      return;
    case "tool_result": {
      const index = turn.tools.indexOf(event.tool_name);
      turn.tools = turn.tools.filter((_, other) => other !== index);
      return;
    }
    case "language":
      state.language = event.language;
      state.line_language = event.language;
      return call.send({ type: "language", lang: event.language });
    case "keys":
      return call.send({ type: "digits", digits: event.digits });
    case "aside":
    // Asked of no page: a turn of a call has none.
    case "client_call":
    case "session_end":
      return;
    default:
      return unreachable(event);
  }
}

export function speakRest(call: CallDraft, turn: RunningTurn): void {
  delete call.state.timers.words;
  speakAnswer(call, turn, turn.unspoken.text);
  turn.unspoken = { text: "", began: turn.unspoken.began };
}

function speakAnswer(call: CallDraft, turn: RunningTurn, text: string): void {
  if (turn.interrupted || text.trim() === "") return;
  turn.spoke = true;
  delete call.state.timers.phrase;
  call.say(text, { turn: turn.number });
}

export function endTurn(call: CallDraft, turn: RunningTurn, result: TurnOutcome | null) {
  const { state } = call;
  state.turn = null;
  delete state.timers.words;
  delete state.timers.phrase;
  delete state.timers.sound;
  if (state.sounds) call.hush();
  if (turn.interrupted) {
    const stored = (result?.messages ?? []).reduce((sum, text) => sum + measure(text), 0);
    const unheard = Math.max(0, stored - turn.heard) + turn.unheard_before;
    if (unheard > 0) call.effects.push({ type: "cut", unheard });
  }
  if (state.closing) return;
  if (result === null) return giveUp(call);
  if (result.answerer !== null && result.answerer !== "SCREENER")
    call.found(result.answerer === "UNKNOWN" ? "HUMAN" : result.answerer);
  if (result.action) return actOn(call, result.action);
  if (result.failed && call.settings.fallback !== null) return call.dial(call.settings.fallback, false);
  // A machine answered, and no message was left.
  if (state.screening.machine) call.close({ act: "hangup", reason: "agent", voicemail: false });
}

export function actOn(call: CallDraft, action: NonNullable<TurnOutcome["action"]>) {
  if (action.action === "transfer") {
    return call.dial(action.number, true);
  }
  call.close({ act: "hangup", reason: "agent", voicemail: action.voicemail ?? false });
}

/** Nothing hears the person any more. A voicemail goes on: nobody there has to be heard. */
export function goDeaf(call: CallDraft): void {
  const { state, settings } = call;
  if (state.closing || state.screening.machine) return;
  if (state.turn) call.stopTurn(state.turn);
  call.sayOutsideTurns(wordsOf(state.language).apology);
  if (settings.fallback !== null) call.dial(settings.fallback, false);
  else call.close({ act: "hangup", reason: "error", voicemail: false });
}

function giveUp(call: CallDraft): void {
  if (call.settings.fallback === null) call.goodbye("error");
  else call.dial(call.settings.fallback, false);
}

export function awaitPhrase(call: CallDraft, turn: RunningTurn): void {
  const { messages, base_ms } = phrasesFor(call, turn);
  if (!call.settings.telephony.responsive || turn.spoke || turn.interrupted) return;
  // The next phase may have phrases even if this one has none, so it is checked again.
  call.wait("phrase", phraseWait_ms(base_ms, messages.length === 0 ? 0 : turn.phrases));
}

function phrasesFor(call: CallDraft, turn: RunningTurn) {
  return choosePhrases(call.settings.phrases, {
    tool_name: turn.tools.at(-1) ?? null,
    language: call.state.language,
  });
}

export function sayPhrase(call: CallDraft) {
  const { turn } = call.state;
  if (!turn || turn.spoke || turn.interrupted || call.state.closing) return;
  const { messages, random } = phrasesFor(call, turn);
  if (messages.length === 0 || call.state.pieces.length > 0) return awaitPhrase(call, turn);
  const text = phraseAt(messages, random, call.settings.seed + turn.number, turn.phrases++);
  call.effects.push({ type: "aside", text });
  call.say(text, { turn: turn.number, aside: true });
}

import { unreachable } from "../base/errors.ts";
import { CallDraft } from "./call-draft.ts";
import {
  answerInput,
  cutOff,
  endInput,
  listen,
  takeDigit,
  takeInterruption,
  takeMaybeOver,
  takePlayed,
  takeSpeech,
} from "./call-input.ts";
import { endScreening, openLine, takeAnswerer, takeGreeting, takeHeardAnswerer } from "./call-opening.ts";
import type { CallSettings } from "./call-settings.ts";
import { type CallEffect, type CallEvent, type CallState, gatheredText, type Timer } from "./call-state.ts";
import { endTurn, goDeaf, sayPhrase, speakRest, takeTurnEvent } from "./call-turn.ts";

/**
 * A telephone call as a state machine: state, event and time in; next state and effects out. Pure: the same events with the
 * same seed give the same call. The driver (`voice-call.ts`) performs the effects.
 * How a call begins is in `call-opening.ts`, what the person does in `call-input.ts`, turns in `call-turn.ts`.
 *
 *     listening → input → (silence ends it) → turn runs, its sentences spoken as they come → played → listening
 *
 * The person may speak at any time. When they interrupt our words, the unheard rest is cut from the transcript. When they
 * speak during a turn, its model is stopped, its tools finish, and the next turn begins with what they said.
 */
export function step(
  settings: CallSettings,
  state: CallState,
  event: CallEvent,
  at: number,
): { state: CallState; effects: CallEffect[] } {
  const call = new CallDraft(settings, state, at);
  if (state.phase !== "over") {
    dispatch(call, event);
    settle(call);
  }
  return { state: call.state, effects: call.effects };
}

function dispatch(call: CallDraft, event: CallEvent) {
  switch (event.type) {
    case "open":
      return openLine(call);
    case "greeting":
      return takeGreeting(call, event);
    case "speech":
      return takeSpeech(call, event.text, event.final);
    case "maybe_over":
      return takeMaybeOver(call, event.text);
    case "resumed":
      call.effects.push({ type: "forget" });
      return;
    case "digit":
      return takeDigit(call, event.digit);
    case "interrupted":
      return takeInterruption(call, event.heard);
    case "played":
      return takePlayed(call, event.unsaid !== true);
    case "turn":
      if (call.state.turn?.number === event.turn) takeTurnEvent(call, call.state.turn, event.event);
      return;
    case "turn_over":
      if (call.state.turn?.number === event.turn) endTurn(call, call.state.turn, event.result);
      return;
    case "answerer":
      return "by" in event ? takeHeardAnswerer(call, event) : takeAnswerer(call, event.found);
    case "tick":
      return tick(call);
    case "stop":
      return stop(call);
    case "hang_up":
      cutOff(call, event.heard);
      return call.hangUp();
    case "fault":
      return;
    case "deaf":
      return goDeaf(call);
    case "closed":
      return closeLine(call, event);
    default:
      return unreachable(event);
  }
}

function closeLine(call: CallDraft, { lost = false, heard }: Extract<CallEvent, { type: "closed" }>): void {
  const { state } = call;
  cutOff(call, heard);
  if (state.turn) call.stopTurn(state.turn);
  // Who was being parted with has nothing to come back for.
  if (lost && !state.closing && state.phase !== "unopened") call.over({ type: "lost" });
  else {
    const reason = state.closing?.act === "hangup" ? state.closing.reason : "user";
    call.over({ type: "end", reason, hangs_up: false });
  }
}

function tick(call: CallDraft): void {
  for (const timer of [
    "longest",
    "screen_end",
    "screen",
    "played",
    "overall",
    "input",
    "words",
    "phrase",
    "sound",
  ] as const) {
    const moment = call.state.timers[timer];
    if (moment === undefined || moment > call.at) continue;
    delete call.state.timers[timer];
    timeUp(call, timer);
    if (call.state.phase === "over") return;
  }
}

function timeUp(call: CallDraft, timer: Timer) {
  const { state } = call;
  switch (timer) {
    case "longest":
      return endTooLong(call);
    case "screen":
      return endScreening(call, "HUMAN");
    case "screen_end":
      return endScreening(call, "UNKNOWN");
    case "played":
      return takePlayed(call, false);
    case "input":
      return endInput(call);
    case "overall":
      delete state.timers.input;
      if (gatheredText(state.gathered) === "") state.overall_timeouts++;
      return endInput(call);
    case "words":
      if (state.turn) speakRest(call, state.turn);
      return;
    case "phrase":
      return sayPhrase(call);
    case "sound": {
      const url = call.settings.wait_sound_url;
      if (
        !state.turn ||
        state.turn.spoke ||
        state.turn.interrupted ||
        state.pieces.length > 0 ||
        url === null
      )
        return;
      state.sounds = true;
      return call.send({ type: "play", url, loop: true });
    }
    default:
      return unreachable(timer);
  }
}

/** Lets the words that are being spoken finish, within a time limit. */
function endTooLong(call: CallDraft) {
  if (call.state.last_words) return call.finish();
  call.partWith("max-duration");
}

function stop(call: CallDraft): void {
  call.partWith("error");
}

/** Starts what can start now: the next turn, the end, or waiting for the person. */
function settle(call: CallDraft) {
  const { state } = call;
  if (state.phase !== "talking") return;
  if (state.closing) {
    if (!state.turn && !state.greeting && state.pieces.length === 0) call.finish();
    return;
  }
  const { ready, at_once } = state.gathered;
  if (ready && state.turn && call.settings.telephony.responsive) call.stopTurn(state.turn);
  if (ready && !state.turn && !state.greeting && (state.pieces.length === 0 || at_once))
    return answerInput(call);
  if (call.isWaiting()) listen(call);
}

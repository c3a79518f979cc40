import { machineWords } from "../media/words/answering-words.ts";
import { behindWords, countWords } from "../speech/streaming/taken-words.ts";
import type { CallDraft } from "./call-draft.ts";
import { screenSpeech } from "./call-opening.ts";
import { type Captured, gatheredText, isOpen, nothingGathered, withSpeech } from "./call-state.ts";
import { awaitPhrase, runTurnOf } from "./call-turn.ts";
import { heardOf, measure } from "./spoken-text.ts";

/** The third silence in a row, or the second timeout of a whole input, ends a call. */
const MAX_SILENCES = 3;
const MAX_OVERALL_TIMEOUTS = 2;
/** A person whom a screener asks decides within this time. */
const SCREENER_MS = 60_000;

/*
 * The call machine's part about the person: their speech, keys and silences, and where an input ends. Speech over our words
 * waits until those end, or until the carrier reports an interruption.
 */

export function takeSpeech(call: CallDraft, text: string, final: boolean) {
  const { state } = call;
  if (state.phase === "screening") return screenSpeech(call, text, final);
  if (state.phase !== "talking" || state.closing || state.screening.machine) return;
  if (text.trim() === "") return takeBack(call, final);
  if (state.pieces.length > 0) return capture(call, { kind: "speech", text, final, at: call.at });
  if (call.at >= state.listens_from) hear(call, text, final);
}

/** What was recognized was no word after all. */
function takeBack(call: CallDraft, final: boolean): void {
  const { state } = call;
  if (final) state.taken = "";
  state.captured = state.captured.filter((input) => input.kind !== "speech" || input.final);
  const { heard } = state.gathered;
  if (!heard.some(isOpen)) return;
  state.gathered.heard = heard.filter((part) => !isOpen(part));
  if (gatheredText(state.gathered) === "") delete state.timers.input;
}

/** The person may have finished: an answer is prepared, where nothing else would be said or done first. */
export function takeMaybeOver(call: CallDraft, text: string): void {
  const { state } = call;
  const { turn, greeting, pieces, closing, screening, screened } = state;
  if (state.phase !== "talking" || turn || greeting || pieces.length > 0 || closing) return;
  if (screening.machine || screened || call.at < state.listens_from) return;
  const heard = withSpeech(state.gathered.heard, beyondTaken(call, text, false), false);
  const words = gatheredText({ ...state.gathered, heard });
  if (words !== "") call.effects.push({ type: "speculate", text: words });
}

export function takeDigit(call: CallDraft, digit: string): void {
  const { state } = call;
  if (state.phase !== "talking" || state.closing || state.screening.machine) return;
  const chooses =
    state.menu &&
    !state.gathered.heard.some(({ kind }) => kind === "keys") &&
    call.settings.menu_keys.includes(digit);
  if (chooses) {
    state.gathered = { heard: [{ kind: "keys", text: digit }], ready: true, at_once: true };
    state.captured = [];
  } else if (state.pieces.length > 0) capture(call, { kind: "digit", digit, at: call.at });
  else press(call, digit);
}

/** Speech over our words: waits until those end, or until it turns out to be an interruption. */
function capture(call: CallDraft, captured: Captured): void {
  const { state } = call;
  const last = state.captured.at(-1);
  const replaces = captured.kind === "speech" && last?.kind === "speech" && !last.final;
  state.captured = [...(replaces ? state.captured.slice(0, -1) : state.captured), captured];
}

function promote(call: CallDraft, counts: (captured: Captured) => boolean): void {
  const { captured } = call.state;
  call.state.captured = [];
  for (const input of captured) {
    if (!counts(input)) continue;
    if (input.kind === "digit") press(call, input.digit);
    else hear(call, input.text, input.final);
  }
}

function hear(call: CallDraft, text: string, final: boolean): void {
  const { state } = call;
  const { telephony } = call.settings;
  const words = beyondTaken(call, text, final);
  if (words === "") return;
  const { gathered } = state;
  gathered.heard = withSpeech(gathered.heard, words, final);
  gathered.ready = final && telephony.post_final_ms === 0;
  if (gathered.ready) delete state.timers.input;
  else call.wait("input", final ? telephony.post_final_ms : telephony.post_speech_ms);
}

/** The new part of an utterance whose beginning was already used as an input. */
function beyondTaken(call: CallDraft, text: string, final: boolean): string {
  const { state } = call;
  const { taken } = state;
  if (final) state.taken = "";
  const words = text.trim();
  if (taken === "" || !plain(words).startsWith(plain(taken))) return words;
  return behindWords(words, countWords(taken));
}

function press(call: CallDraft, digit: string): void {
  const { state } = call;
  const { post_dtmf_ms } = call.settings.telephony;
  const { heard } = state.gathered;
  const last = heard.at(-1);
  const isNext = last?.kind === "keys";
  state.gathered.heard = isNext
    ? heard.with(-1, { ...last, text: last.text + digit })
    : [...heard, { kind: "keys", text: digit }];
  state.gathered.ready = post_dtmf_ms === 0;
  call.wait("input", post_dtmf_ms);
}

/** The person interrupted, and the carrier has stopped our speech. */
export function takeInterruption(call: CallDraft, heard: string): void {
  const { state } = call;
  const { turn, pieces } = state;
  if (pieces.length === 0) return;
  const unheard = countHeard(call, heard);
  call.quiet();
  if (turn) {
    turn.unheard_before += unheard;
    const ours = pieces.some((piece) => !piece.aside);
    if (ours) call.stopTurn(turn);
  } else if (unheard > 0) call.effects.push({ type: "cut", unheard });
  if (state.closing?.act === "hangup") state.closing.voicemail = false;
  promote(call, () => true);
}

/** The line is gone, or about to be: what was not heard never will be. Left out: nobody knows what was. */
export function cutOff(call: CallDraft, heard: string | undefined): void {
  const { turn } = call.state;
  if (heard === undefined) return;
  const unheard = countHeard(call, heard);
  call.quiet();
  if (turn) {
    const unheard_before = turn.unheard_before + unheard;
    call.effects.push({ type: "cut_turn", turn: turn.number, heard: turn.heard, unheard_before });
  } else if (unheard > 0) call.effects.push({ type: "cut", unheard });
}

/** Counts what came out of the words being spoken to their turn; returns how much of those before it did not. */
function countHeard({ state: { turn, pieces } }: CallDraft, heard: string): number {
  const came_out = heardOf(pieces, heard);
  let unheard = 0;
  for (const [at, piece] of pieces.entries()) {
    const heard_of_it = came_out[at] as number;
    if (piece.aside) continue;
    if (turn && piece.turn === turn.number) turn.heard += heard_of_it;
    else unheard += measure(piece.text) - heard_of_it;
  }
  return unheard;
}

/** `told`: reported by the line, of all our words, and not assumed by the clock. */
export function takePlayed(call: CallDraft, told: boolean): void {
  const { state } = call;
  const { telephony } = call.settings;
  const { turn } = state;
  for (const piece of state.pieces) {
    if (turn && piece.turn === turn.number && !piece.aside) turn.heard += measure(piece.text);
  }
  const since = state.speaking_since;
  const spoke = state.pieces.length > 0;
  call.quiet();
  if (state.closing?.act === "hangup" && !told) state.closing.voicemail = false;
  if (!spoke) {
    // Reported again, or later than estimated: the wait for the person starts now.
    if (call.isWaiting()) delete state.timers.input;
    return;
  }
  state.listens_from = call.at + Math.max(0, telephony.padding_ms);
  if (state.closing) return;
  promote(call, ({ kind, at }) =>
    kind === "digit" || telephony.passive
      ? kind === "digit" || at >= since + telephony.passive_start_ms
      : at >= call.at + Math.min(0, telephony.padding_ms),
  );
  if (turn && !turn.spoke) awaitPhrase(call, turn);
}

export function endInput(call: CallDraft) {
  const { state } = call;
  if (gatheredText(state.gathered) !== "") {
    state.taken = state.gathered.heard.find(isOpen)?.text ?? "";
    state.gathered.ready = true;
    return;
  }
  if (state.turn || state.pieces.length > 0 || state.closing || state.phase !== "talking") return;
  delete state.timers.overall;
  // Nobody came on the line behind the screener.
  if (state.screened) return call.goodbye("idle");
  // In mode v2 the first silence only means that nobody spoke first.
  if (call.settings.screening?.version === 2 && state.turns === 0) return runTurnOf(call, "");
  state.silences++;
  call.effects.push({ type: "silence", count: state.silences });
  if (state.silences >= MAX_SILENCES || state.overall_timeouts >= MAX_OVERALL_TIMEOUTS) call.goodbye("idle");
  else runTurnOf(call, "");
}

export function answerInput(call: CallDraft) {
  const { state } = call;
  const text = gatheredText(state.gathered);
  const stays = state.gathered.at_once && call.settings.repeats_greeting;
  state.silences = 0;
  state.overall_timeouts = 0;
  state.menu = state.menu && stays;
  if (state.screened) return answerScreened(call, text);
  runTurnOf(call, text);
}

/** After a screener: it may ask to wait, or once more; any other words are the person's. */
function answerScreened(call: CallDraft, text: string) {
  const { state } = call;
  const said = machineWords(text);
  if (said === "hold" || asksToWait(text)) {
    state.gathered = nothingGathered();
    return listen(call);
  }
  if (said === "screener" || state.turns === 0) return runTurnOf(call, text, "SCREENER");
  state.screened = false;
  call.found("HUMAN");
  runTurnOf(call, text);
}

const asksToWait = (text: string): boolean =>
  /\b(?:one moment|wait|hold on|un momento|un instant)\b/i.test(text);

export function listen(call: CallDraft): void {
  const { state } = call;
  const { telephony } = call.settings;
  const pre_input_ms = state.screened ? SCREENER_MS : telephony.pre_input_ms;
  const overall_ms = state.screened ? SCREENER_MS : telephony.overall_ms;
  const from = Math.max(call.at, state.listens_from);
  if (state.timers.input === undefined && pre_input_ms > 0) state.timers.input = from + pre_input_ms;
  if (state.timers.overall === undefined && overall_ms > 0) state.timers.overall = from + overall_ms;
}

const plain = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}\s]/gu, "");

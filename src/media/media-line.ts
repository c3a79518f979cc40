import { resample } from "../audio/resample.ts";
import { KeyListener, keyTones } from "../audio/tones.ts";
import { type Clock, steadyClock } from "../base/clock.ts";
import { unreachable } from "../base/errors.ts";
import type {
  CallContinuation,
  CallInput,
  CallLine,
  CallOutput,
  CallVoice,
} from "../channels/call-socket.ts";
import type { Ear, Heard, Hearing } from "../speech/hearing.ts";
import type { Speaking } from "../speech/speaking.ts";
import type { AwaitedInput } from "../workflows/awaited-input.ts";
import { AnswerLatency } from "./answer-latency.ts";
import { AnsweredEar } from "./answered-ear.ts";
import type { AudioInput, AudioLine } from "./audio-line.ts";
import { CallerSound } from "./caller-sound.ts";
import { LineEars } from "./line-ears.ts";
import type { MediaReport } from "./line-report.ts";
import { LineSpeaker } from "./line-speaker.ts";
import { type LineEffect, type LineEvent, type LineState, newLine } from "./line-state.ts";
import { PreparedWords } from "./prepared-words.ts";
import { takeLineEvent } from "./turn-taking.ts";

/** A sound by its address: samples, or null where it is none of ours. */
type SoundAt = (url: string) => { rate: number; samples: Int16Array } | null;

/** Both sides of a line, as they are heard and played. */
export type LineRecorder = {
  caller(frame: Int16Array): void;
  agent(frame: Int16Array): void;
  /** What was sent and not played never is. */
  clear(): void;
  end(): void;
};

export type MediaLineParts = {
  clock: Clock;
  line: AudioLine;
  hearing: Hearing;
  /** Knows when somebody speaks, where `hearing` does not say it. */
  detection: ((tell: (heard: Heard) => void) => Ear) | null;
  speaking: Speaking;
  voice: CallVoice;
  soundAt: SoundAt;
  /** Keys are looked for in the audio: the carrier does not tell them. */
  findsKeys: boolean;
  tell(input: CallInput): void;
  report(report: MediaReport): void;
  /** What becomes of the line after us: hang up, or another number. */
  ended(next: CallContinuation): void;
};

/**
 * A call's line made of audio. For the call it is a line like a text relay's (`CallLine`): words in, words out. Here they
 * are heard and spoken, and who may speak when is decided (`turn-taking.ts`).
 */
export class MediaLine implements CallLine, AudioInput {
  readonly #parts: MediaLineParts;
  /** Whatever is waited for on a line is waited for in real time. */
  readonly #clock: Clock;
  readonly #speaker: LineSpeaker;
  readonly #sound: CallerSound;
  readonly #keys: KeyListener | null;
  readonly #ears: LineEars;
  /** Of a call that we made: who answered it. */
  readonly #answerer: AnsweredEar | null;
  /** Nobody is there who could interrupt. */
  #isForVoicemail = false;
  #language: string;
  #state: LineState;
  #wake: { at: number; cancel: () => void } | null = null;
  #isClosed = false;
  readonly #prepared: PreparedWords;
  readonly #latency: AnswerLatency;
  #recorder: LineRecorder | null = null;

  constructor(parts: MediaLineParts) {
    this.#parts = parts;
    const { speaking } = parts;
    const clock = steadyClock(parts.clock);
    this.#clock = clock;
    const line: AudioLine = {
      ...parts.line,
      play: (frame) => {
        this.#recorder?.agent(frame);
        parts.line.play(frame);
      },
      clear: () => {
        this.#recorder?.clear();
        parts.line.clear();
      },
    };
    this.#language = parts.voice.languages[0]?.code ?? "en-US";
    this.#state = newLine(clock.now().getTime());
    this.#prepared = new PreparedWords(speaking);
    this.#latency = new AnswerLatency(clock);
    this.#sound = new CallerSound(line.rate);
    this.#keys = parts.findsKeys ? new KeyListener(line.rate) : null;
    const { hearing, detection, voice } = parts;
    const told = (heard: Heard, ago_ms: number) => this.#hear(heard, ago_ms);
    this.#ears = new LineEars({ hearing, detection, expected: voice.hints, rate: line.rate, told });
    this.#answerer = parts.voice.finds_answerer
      ? new AnsweredEar(line.rate, {
          tell: (input) => this.#tell(input),
          report: (report) => parts.report(report),
          recording: () => this.#speaker.goOn(),
        })
      : null;
    this.#speaker = new LineSpeaker({
      clock,
      line,
      speaking,
      reports: {
        playing: (playing, piece) => {
          if (playing) this.#answerer?.weSpeak();
          this.#take({
            type: "ours",
            playing,
            interruptible:
              (piece?.interruptible ?? true) && this.#isInterruptibleBySpeech && !this.#isForVoicemail,
            asks: piece?.asks ?? false,
          });
          const first = playing && this.#state.ours.phase === "speaking" && this.#latency.firstSound();
          if (first) parts.report({ type: "first_sound", ...first });
        },
        played: ({ unsaid }) => this.#tell(unsaid ? { type: "played", unsaid } : { type: "played" }),
        fault: (message) => this.#tell({ type: "fault", message }),
      },
    });
    this.#ears.listenFor(this.#language);
  }

  // What the line tells.

  hear(frame: Int16Array): void {
    if (this.#isClosed) return;
    this.#recorder?.caller(frame);
    this.#answerer?.hear(frame);
    const key = this.#keys?.push(frame);
    if (key) this.key(key);
    if (this.#sound.push(frame)) this.#take({ type: "sound", ...this.#sound.state });
    this.#ears.push(frame);
  }

  key(digit: string): void {
    const { interruptible_by } = this.#parts.voice;
    const stops = interruptible_by === "dtmf_only" || interruptible_by === "all";
    if (stops && this.#state.ours.phase !== "silent") this.#cut();
    this.#tell({ type: "digit", digit });
  }

  marked(name: string): void {
    this.#speaker.marked(name);
  }

  fault(message: string): void {
    this.#tell({ type: "fault", message });
  }

  closed(lost = false): void {
    if (this.#isClosed) return;
    const heard = this.#speaker.drop();
    this.#shut();
    this.#parts.tell(lost ? { type: "closed", lost, heard } : { type: "closed", heard });
  }

  silence(): string {
    return this.#isClosed ? "" : this.#speaker.drop();
  }

  /** From now on, and until the line is closed. */
  record(recorder: LineRecorder): void {
    if (this.#isClosed) recorder.end();
    else this.#recorder = recorder;
  }

  /** What the open step of the conversation waits for. */
  awaits(awaited: AwaitedInput): void {
    this.#take({ type: "awaited", awaited });
  }

  // What the call says.

  send(output: CallOutput) {
    if (this.#isClosed) return;
    switch (output.type) {
      case "say":
        if (output.lang !== null) this.#speakIn(output.lang);
        if (output.text === "") return this.#speaker.endLoop();
        this.#latency.words();
        this.#prepared.used();
        return this.#speaker.say(this.#utterance(output.spoken?.text ?? output.text), output.interruptible);
      case "play": {
        const sound = this.#parts.soundAt(output.url);
        const rate = this.#parts.line.rate;
        if (!sound) return this.fault("A sound can't be played on this line.");
        const samples = resample(sound.samples, sound.rate, rate);
        return output.loop ? this.#speaker.loop(samples) : this.#speaker.sound(samples);
      }
      case "digits":
        return this.#speaker.sound(keyTones(output.digits, this.#parts.line.rate));
      case "after_beep":
        return this.#holdForBeep(output.forget);
      case "language":
        return this.#speakIn(output.lang);
      case "end":
        this.#parts.ended(output.next);
        return;
      default:
        return unreachable(output);
    }
  }

  /** Makes the audio of words that will probably be said next. */
  prepare(text: string): void {
    if (!this.#isClosed) this.#prepared.prepare(this.#utterance(text));
  }

  close(): void {
    this.#shut();
    this.#parts.line.close();
  }

  get #isInterruptibleBySpeech(): boolean {
    const { interruptible_by } = this.#parts.voice;
    return interruptible_by === "speech_only" || interruptible_by === "all";
  }

  #utterance(text: string) {
    const voice = this.#parts.voice.languages.find(({ code }) => code === this.#language);
    return { text, language: this.#language, voice: voice?.voice ?? null, speed: voice?.speed ?? null };
  }

  #speakIn(language: string): void {
    if (language === this.#language) return;
    this.#language = language;
    this.#ears.listenFor(language);
  }

  /** Whatever is said from now on is made, and not sent before the machine records. */
  #holdForBeep(forget: boolean): void {
    if (!this.#answerer) return;
    if (forget) {
      this.#speaker.drop();
      this.#take({ type: "ours", playing: false, interruptible: true, asks: false });
    }
    this.#isForVoicemail = true;
    this.#speaker.hold();
    this.#answerer.awaitBeep();
  }

  #hear(heard: Heard, ago_ms: number) {
    if (this.#isClosed) return;
    if (heard.type === "partial" || heard.type === "final") this.#answerer?.words(heard.text);
    switch (heard.type) {
      case "speech_started":
        this.#sound.voice(true);
        this.#take({ type: "sound", ...this.#sound.state });
        return this.#take({ type: "voice", speaks: true, since: this.#now() - ago_ms });
      case "speech_stopped":
        this.#sound.voice(false, ago_ms);
        this.#take({ type: "sound", ...this.#sound.state });
        return this.#take({
          type: "voice",
          speaks: false,
          since: this.#now() - ago_ms,
          words_follow: heard.words_follow ?? false,
        });
      case "partial":
        return this.#take({ type: "words", text: heard.text, final: false });
      case "final":
        return this.#take({ ...heard, type: "words", final: true });
      case "turn":
        // A silence ends a turn; that the engine says so, too, is of use to it only where words are final.
        if (heard.is === "over") this.#take({ type: "turn_over" });
        return;
      case "fault":
        return this.#tell({ type: "deaf", message: heard.message });
      default:
        return unreachable(heard);
    }
  }

  #take(event: LineEvent): void {
    if (this.#isClosed) return;
    const now = this.#now();
    const { state, effects } = takeLineEvent({ language: this.#language }, this.#state, event, now);
    this.#state = state;
    for (const effect of effects) this.#do(effect);
    this.#setAlarm();
  }

  #do(effect: LineEffect) {
    const { report } = this.#parts;
    switch (effect.type) {
      case "hold":
        this.#speaker.hold();
        return report({ type: "held" });
      case "go_on":
        if (!this.#answerer?.isAwaitingBeep) this.#speaker.goOn();
        return report({ type: "went_on", reason: effect.reason });
      case "take": {
        const heard = this.#speaker.drop();
        report({ type: "cut", heard });
        return this.#tell({ type: "interrupted", heard });
      }
      case "eager":
        return this.#tell({ type: "maybe_over", text: effect.text });
      case "resumed":
        this.#prepared.drop();
        return this.#tell({ type: "resumed" });
      case "speech": {
        const { text, final } = effect;
        if (final) this.#sound.isCallers();
        this.#tell({ type: "speech", text, final, lang: this.#language });
        if (effect.final) {
          const { silence_ms, reason } = effect;
          this.#ears.endTurn();
          this.#latency.turnEnded(silence_ms);
          report({ type: "end_of_turn", text, silence_ms, reason });
        }
        return;
      }
      default:
        return unreachable(effect);
    }
  }

  #now(): number {
    return this.#clock.now().getTime();
  }

  /** A key stops us as a carrier would: at once, and without a second thought. */
  #cut(): void {
    const heard = this.#speaker.drop();
    this.#take({ type: "ours", playing: false, interruptible: true, asks: false });
    this.#tell({ type: "interrupted", heard });
  }

  #tell(input: CallInput): void {
    if (!this.#isClosed) this.#parts.tell(input);
  }

  #setAlarm(): void {
    const at = this.#state.wake;
    if (at === (this.#wake?.at ?? null)) return;
    this.#wake?.cancel();
    this.#wake = null;
    if (at === null) return;
    const cancel = this.#clock.wakeAt(new Date(at), () => {
      this.#wake = null;
      this.#take({ type: "tick" });
    });
    this.#wake = { at, cancel };
  }

  #shut(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#prepared.drop();
    this.#speaker.close();
    this.#recorder?.end();
    this.#ears.close();
    this.#wake?.cancel();
  }
}

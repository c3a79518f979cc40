import type { z } from "zod";
import type { TelephonyConfigurations } from "../channels/channel.ts";
import type { PhraseSources } from "../turns/choose-phrases.ts";

/** How one call is held; all times in milliseconds. Pure. */
export type CallSettings = {
  telephony: CallTiming;
  interruptibility: Interruptibility;
  screening: Screening | null;
  /** The agent's own tools let it leave a message on a machine. */
  can_leave_voicemail: boolean;
  /** Epoch milliseconds after which the call is ended. */
  longest_at: number;
  /** The keys of languages, for when a greeting has a menu of them. */
  menu_keys: string[];
  repeats_greeting: boolean;
  wait_sound_url: string | null;
  phrases: PhraseSources;
  /** The number that the person is connected with when the agent can't go on. */
  fallback: string | null;
  /** How other numbers are dialled. */
  transfer: Omit<Dial, "number">;
  /** Decides what is left to chance. */
  seed: number;
  /** The line is open again: after a transfer that did not come about, or after the process that held it died. */
  resumes: boolean;
  /** The agent's last words, which are then said again; null: a turn of its own begins. */
  goes_on_with: string | null;
};

export type Dial = { number: string; caller_id: string | null; detect_answerer: boolean };

type Interruptibility = "none" | "dtmf_only" | "speech_only" | "all";

export type CallTiming = {
  /** Silence after the agent's words before it checks in; 0: it doesn't. */
  pre_input_ms: number;
  /** Silence after words that the carrier has not called finished. */
  post_speech_ms: number;
  /** Wait for more after words that the carrier called finished. */
  post_final_ms: number;
  post_dtmf_ms: number;
  /** The longest wait for an input to be finished; 0: without end. */
  overall_ms: number;
  /** When listening begins, counted from the end of the agent's words; negative: that much before it. */
  padding_ms: number;
  /** What is said over the agent without stopping it counts once it is done, if said this long after it began. */
  passive: boolean;
  passive_start_ms: number;
  /** Fills the wait for a slow model or tool, and hears the person meanwhile. */
  responsive: boolean;
};

/** The platform's defaults; null in a channel's configuration stands for them. */
export function callTiming(given: z.infer<typeof TelephonyConfigurations> | null): CallTiming {
  const ms = (seconds: number | null | undefined, fallback: number) =>
    Math.round((seconds ?? fallback) * 1000);
  return {
    pre_input_ms: ms(given?.pre_input_timeout, 4),
    post_speech_ms: ms(given?.post_speech_input_timeout, 0.9),
    // A carrier that calls words finished has waited for silence itself; only who asks for more waits again.
    post_final_ms: ms(given?.post_speech_input_timeout, 0),
    post_dtmf_ms: ms(given?.post_dtmf_input_timeout, 2),
    overall_ms: ms(given?.overall_input_timeout, 30),
    padding_ms: ms(given?.output_padding, 0),
    passive: given?.passive_speech_input_enabled ?? true,
    passive_start_ms: ms(given?.passive_input_start, 0.5),
    responsive: given?.async_enabled ?? true,
  };
}

/** Listening for machines before, or instead of, the greeting. */
export type Screening =
  /** We listen, and greet a person. */
  | {
      version: 1;
      overall_ms: number;
      pre_speech_ms: number;
      post_speech_ms: number;
      /** An utterance that goes on for longer is a machine's greeting. */
      speech_threshold_ms: number;
    }
  /** The model judges by the first words, or by this much silence. */
  | { version: 2; pre_speech_ms: number };

/** As a campaign has it, in seconds; null: nobody listens for machines. */
export function screeningOf(given: Record<string, unknown> | null): Screening | null {
  if (given === null) return null;
  const ms = (name: string, fallback: number): number => {
    const found = given[`voicemail_detection_${name}`];
    return Math.round((typeof found === "number" ? found : fallback) * 1000);
  };
  if (given.mode === "v2") return { version: 2, pre_speech_ms: ms("v2_pre_speech_timeout", 3.5) };
  return {
    version: 1,
    overall_ms: ms("overall_timeout", 30),
    pre_speech_ms: ms("pre_speech_timeout", 3.5),
    post_speech_ms: ms("post_speech_timeout", 1.75),
    speech_threshold_ms: ms("speech_threshold", 2.4),
  };
}

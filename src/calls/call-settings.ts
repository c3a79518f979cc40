import type { z } from "zod";
import type { TelephonyConfigurations } from "../channels/channel-schema.ts";
import { type DetectionTime, detectionSeconds } from "../channels/voicemail-detection.ts";
import type { Pronouncing } from "../speech/spoken-form.ts";
import type { PhraseSources } from "../turns/choose-phrases.ts";

/** The settings of one call; all times in milliseconds. Pure. */
export type CallSettings = Pronouncing & {
  telephony: CallTiming;
  interruptibility: Interruptibility;
  screening: Screening | null;
  /** Whether the agent's tools let it leave a message on a machine. */
  can_leave_voicemail: boolean;
  /** Whether the line tells who answered, and holds a message until the beep. */
  hears_answerer: boolean;
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
  /** Seed of random choices. */
  seed: number;
  /** Whether the line is opened again, after a failed transfer or the death of the process that held it. */
  resumes: boolean;
  /** The agent's last words, which are then said again; null: a turn of its own begins. */
  goes_on_with: string | null;
};

export type Dial = { number: string; caller_id: string | null; detect_answerer: boolean };

type Interruptibility = "none" | "dtmf_only" | "speech_only" | "all";

export type CallTiming = {
  /** Silence after the agent's words before it asks whether the person is there; 0: never. */
  pre_input_ms: number;
  /** Silence that ends an input whose words the carrier has not marked final. */
  post_speech_ms: number;
  /** Silence that ends an input whose words the carrier has marked final. */
  post_final_ms: number;
  post_dtmf_ms: number;
  /** Timeout of a whole input; 0: none. */
  overall_ms: number;
  /** When listening starts, relative to the end of the agent's words; negative: before it. */
  padding_ms: number;
  /** Speech over the agent that doesn't interrupt it is kept if it comes this long after the agent's words began. */
  passive: boolean;
  passive_start_ms: number;
  /** Plays phrases while a model or tool is slow, and listens meanwhile. */
  responsive: boolean;
};

/** The platform's defaults, for values that are null in a channel's configuration. */
export function callTiming(given: z.infer<typeof TelephonyConfigurations> | null): CallTiming {
  const ms = (seconds: number | null | undefined, fallback: number) =>
    Math.round((seconds ?? fallback) * 1000);
  return {
    pre_input_ms: ms(given?.pre_input_timeout, 4),
    post_speech_ms: ms(given?.post_speech_input_timeout, 0.9),
    // The carrier has already waited for silence before it marks words final, so there is no further wait by default.
    post_final_ms: ms(given?.post_speech_input_timeout, 0),
    post_dtmf_ms: ms(given?.post_dtmf_input_timeout, 2),
    overall_ms: ms(given?.overall_input_timeout, 30),
    padding_ms: ms(given?.output_padding, 0),
    passive: given?.passive_speech_input_enabled ?? true,
    passive_start_ms: ms(given?.passive_input_start, 0.5),
    responsive: given?.async_enabled ?? true,
  };
}

/** How machines are detected, before or instead of the greeting. */
export type Screening =
  /** We listen, and greet a person. */
  | {
      version: 1;
      overall_ms: number;
      pre_speech_ms: number;
      post_speech_ms: number;
      /** A longer utterance counts as a machine's announcement. */
      speech_threshold_ms: number;
    }
  /** The model judges by the first words, or by this much silence. */
  | { version: 2; pre_speech_ms: number };

/** A campaign's voicemail detection, in seconds; null: none. */
export function screeningOf(given: Record<string, unknown> | null): Screening | null {
  if (given === null) return null;
  const ms = (name: DetectionTime): number => Math.round(detectionSeconds(given, name) * 1000);
  if (given.mode === "v2") return { version: 2, pre_speech_ms: ms("v2_pre_speech_timeout") };
  return {
    version: 1,
    overall_ms: ms("overall_timeout"),
    pre_speech_ms: ms("pre_speech_timeout"),
    post_speech_ms: ms("post_speech_timeout"),
    speech_threshold_ms: ms("speech_threshold"),
  };
}

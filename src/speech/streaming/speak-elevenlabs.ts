import { z } from "zod";
import { samplesOf } from "../../audio/frames.ts";
import type { Aligned } from "../../audio/playout.ts";
import { socketUrl } from "./hearing-service.ts";
import { SPEAKING_RATE, type SpeakingService, type StreamedPart } from "./speaking-service.ts";
import { TextPlaces } from "./text-places.ts";

/**
 * ElevenLabs' multi-context socket
 * (https://elevenlabs.io/docs/api-reference/text-to-speech/v-1-text-to-speech-voice-id-multi-stream-input). A socket has
 * one voice; each sentence is a context. Times of its alignment count from the chunk they come with.
 */

const Alignment = z.object({
  chars: z.array(z.string()),
  charStartTimesMs: z.array(z.number()),
  charDurationsMs: z.array(z.number()).optional(),
  charsDurationsMs: z.array(z.number()).optional(),
});

const Told = z.object({
  contextId: z.string().nullish(),
  audio: z.string().nullish(),
  alignment: Alignment.nullish(),
  isFinal: z.union([z.boolean(), z.string()]).nullish(),
  is_final: z.boolean().nullish(),
  error: z.string().nullish(),
  message: z.string().nullish(),
});

/** Between two sentences of a call; the longest it offers. */
const INACTIVITY_S = 180;

export const elevenLabs: SpeakingService = {
  name: "ElevenLabs",
  // Flash and Turbo by API; the credits of a plan may make it less.
  base_url: "https://api.elevenlabs.io",
  connection({ voice, language }, { api_key, base_url }) {
    const path = `/v1/text-to-speech/${encodeURIComponent(voice.id)}/multi-stream-input`;
    const query: [string, string][] = [
      ["model_id", voice.model],
      ["language_code", language.split("-")[0] ?? "en"],
      ["output_format", `pcm_${SPEAKING_RATE}`],
      ["inactivity_timeout", String(INACTIVITY_S)],
      ["sync_alignment", "true"],
      ["auto_mode", "true"],
    ];
    return { url: socketUrl(base_url, path, query), headers: { "xi-api-key": api_key } };
  },
  say: ({ text, speed }, context_id) => [
    {
      text: " ",
      context_id,
      ...(speed !== null && { voice_settings: { speed: Math.min(1.2, Math.max(0.7, speed)) } }),
    },
    { text: `${text.trim()} `, context_id, flush: true },
    { context_id, close_context: true },
  ],
  cancel: (context_id) => ({ context_id, close_context: true }),
  closing: { close_socket: true },
  reader({ text }, context) {
    const places = new TextPlaces(text);
    let samples = 0;
    return (message) => {
      const read = Told.safeParse(message);
      if (!read.success) return [];
      const { contextId, audio, alignment, isFinal, is_final, error, message: words } = read.data;
      if (error) return [{ type: "fault", message: words ?? error }];
      if (contextId !== context) return [];
      const parts: StreamedPart[] = [];
      if (alignment) parts.push({ type: "aligned", aligned: alignedOf(alignment, places, samples) });
      if (audio) {
        const sound = samplesOf(Buffer.from(audio, "base64"));
        samples += sound.length;
        parts.push({ type: "audio", samples: sound });
      }
      if (is_final || isFinal === true || isFinal === "true") parts.push({ type: "done" });
      return parts;
    };
  },
};

function alignedOf(
  { chars, charStartTimesMs, charDurationsMs, charsDurationsMs }: z.infer<typeof Alignment>,
  places: TextPlaces,
  offset: number,
): Aligned[] {
  const durations = charDurationsMs ?? charsDurationsMs ?? [];
  const samples = (ms: number) => offset + Math.round((ms * SPEAKING_RATE) / 1000);
  return chars.flatMap((char, at) => {
    const starts_ms = charStartTimesMs[at];
    // A sentence's own spaces are found with the character that follows them.
    const place = starts_ms === undefined || char.trim() === "" ? null : places.next(char, 40);
    if (!place || starts_ms === undefined) return [];
    return [{ ...place, begins: samples(starts_ms), ends: samples(starts_ms + (durations[at] ?? 0)) }];
  });
}

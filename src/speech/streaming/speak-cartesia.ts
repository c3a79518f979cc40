import { z } from "zod";
import { samplesOf } from "../../audio/frames.ts";
import { socketUrl } from "./hearing-service.ts";
import { SPEAKING_RATE, type SpeakingService } from "./speaking-service.ts";
import { TextPlaces } from "./text-places.ts";

/**
 * Cartesia's socket (https://docs.cartesia.ai/2026-03-01/api-reference/tts/websocket). Each sentence is a context, whose
 * words come with their times in seconds from its beginning.
 */

const VERSION = "2026-03-01";

const Told = z.discriminatedUnion("type", [
  z.object({ type: z.literal("chunk"), context_id: z.string(), data: z.string() }),
  z.object({
    type: z.literal("timestamps"),
    context_id: z.string(),
    word_timestamps: z.object({
      words: z.array(z.string()),
      start: z.array(z.number()),
      end: z.array(z.number()),
    }),
  }),
  z.object({ type: z.literal("done"), context_id: z.string() }),
  z.object({
    type: z.literal("error"),
    context_id: z.string().nullish(),
    title: z.string().nullish(),
    message: z.string().nullish(),
    error: z.string().nullish(),
  }),
]);

export const cartesia: SpeakingService = {
  name: "Cartesia",
  base_url: "https://api.cartesia.ai",
  connection: (_utterance, { api_key, base_url }) => ({
    url: socketUrl(base_url, "/tts/websocket", [["cartesia_version", VERSION]]),
    headers: { authorization: `Bearer ${api_key}`, "cartesia-version": VERSION },
  }),
  say: ({ text, language, voice, speed }, context_id) => [
    {
      model_id: voice.model,
      transcript: text,
      voice: { mode: "id", id: voice.id },
      language: language.split("-")[0],
      context_id,
      output_format: { container: "raw", encoding: "pcm_s16le", sample_rate: SPEAKING_RATE },
      add_timestamps: true,
      continue: false,
      ...(speed !== null && { generation_config: { speed: Math.min(1.5, Math.max(0.6, speed)) } }),
    },
  ],
  cancel: (context_id) => ({ context_id, cancel: true }),
  closing: null,
  reader({ text }, context) {
    const places = new TextPlaces(text);
    const samples = (seconds: number) => Math.round(seconds * SPEAKING_RATE);
    return (message) => {
      const read = Told.safeParse(message);
      if (!read.success) return [];
      const told = read.data;
      if (told.type === "error") {
        if (told.context_id && told.context_id !== context) return [];
        return [
          { type: "fault", message: told.message ?? told.title ?? told.error ?? "an error without words" },
        ];
      }
      if (told.context_id !== context) return [];
      if (told.type === "done") return [{ type: "done" }];
      if (told.type === "chunk")
        return [{ type: "audio", samples: samplesOf(Buffer.from(told.data, "base64")) }];
      const { words, start, end } = told.word_timestamps;
      const aligned = words.flatMap((word, at) => {
        const place = places.next(word, 60);
        const [begins, ends] = [start[at], end[at]];
        if (!place || begins === undefined || ends === undefined) return [];
        return [{ ...place, begins: samples(begins), ends: samples(ends) }];
      });
      return [{ type: "aligned", aligned }];
    };
  },
};

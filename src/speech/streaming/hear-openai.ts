import { z } from "zod";
import { bytesOf } from "../../audio/frames.ts";
import { Resampler } from "../../audio/resample.ts";
import { HEARING_RATE, type Heard } from "../hearing.ts";
import { type HearingService, socketUrl } from "./hearing-service.ts";

/**
 * OpenAI's realtime transcription (https://developers.openai.com/api/docs/guides/realtime-transcription). It is given
 * 24 kHz. Its own voice detection parts the items; the words of one come as deltas, then whole.
 */

const RATE = 24_000;
/** Silence after which it takes an item for finished: shorter than the shortest wait for the end of a turn. */
const SILENCE_MS = 250;

const Told = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("conversation.item.input_audio_transcription.delta"),
    item_id: z.string(),
    delta: z.string().default(""),
  }),
  z.object({
    type: z.literal("conversation.item.input_audio_transcription.completed"),
    item_id: z.string(),
    transcript: z.string(),
  }),
  z.object({
    type: z.literal("error"),
    error: z.object({ message: z.string().nullish(), code: z.string().nullish() }),
  }),
]);

/** An item that was empty when it was committed: nothing is broken. */
const HARMLESS: ReadonlySet<string | null | undefined> = new Set(["input_audio_buffer_commit_empty"]);

export const openaiRealtime: HearingService = {
  name: "OpenAI realtime transcription",
  base_url: "https://api.openai.com/v1",
  hears: () => true,
  chunk_ms: 60,
  connection: (_listening, { api_key, base_url }) => ({
    url: socketUrl(base_url, "/realtime", [["intent", "transcription"]]),
    headers: { authorization: `Bearer ${api_key}` },
  }),
  opening: ({ language }) => [
    {
      type: "session.update",
      session: {
        type: "transcription",
        audio: {
          input: {
            format: { type: "audio/pcm", rate: RATE },
            transcription: { model: "gpt-4o-transcribe", language: language.split("-")[0] },
            turn_detection: { type: "server_vad", silence_duration_ms: SILENCE_MS },
          },
        },
      },
    },
  ],
  audio() {
    const resampler = new Resampler(HEARING_RATE, RATE);
    return (samples) =>
      JSON.stringify({
        type: "input_audio_buffer.append",
        audio: bytesOf(resampler.push(samples)).toString("base64"),
      });
  },
  end_turn: { type: "input_audio_buffer.commit" },
  closing: null,
  greetings: ["session.created", "session.updated"],
  reader() {
    const partials = new Map<string, string>();
    return (message): Heard[] => {
      const read = Told.safeParse(message);
      if (!read.success) return [];
      const told = read.data;
      if (told.type === "error") {
        const { message: words, code } = told.error;
        return HARMLESS.has(code)
          ? []
          : [{ type: "fault", message: words ?? code ?? "an error without words" }];
      }
      if ("delta" in told) {
        const text = (partials.get(told.item_id) ?? "") + told.delta;
        partials.set(told.item_id, text);
        return text.trim() === "" ? [] : [{ type: "partial", text: text.trim() }];
      }
      partials.delete(told.item_id);
      return [{ type: "final", text: told.transcript.trim() }];
    };
  },
};

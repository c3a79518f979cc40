import { z } from "zod";
import { streamOf, type TranscriptionAdapter } from "./transcription-adapter.ts";

/*
 * POST /v1/listen with the bytes as body; developers.deepgram.com/reference/speech-to-text/listen-pre-recorded.
 */
const Answer = z.object({
  results: z.object({
    utterances: z
      .array(z.object({ start: z.number(), transcript: z.string(), speaker: z.int().nullish() }))
      .nullish(),
    channels: z.array(z.object({ alternatives: z.array(z.object({ transcript: z.string() })) })),
  }),
});

const BASE_URL = "https://api.deepgram.com";

export const deepgram: TranscriptionAdapter = {
  name: "Deepgram",
  max_bytes: 2_000_000_000,
  async request({ model, language, diarize }, recording, { api_key, base_url }) {
    const query = new URLSearchParams({ model, smart_format: "true", utterances: "true" });
    if (diarize) query.set("diarize", "true");
    if (language) query.set("language", language);
    else query.set("detect_language", "true");
    return {
      url: `${(base_url ?? BASE_URL).replace(/\/$/, "")}/v1/listen?${query}`,
      headers: {
        authorization: `Token ${api_key}`,
        "content-type": recording.media_type,
        accept: "application/json",
      },
      body: await streamOf(recording),
    };
  },
  read(answer) {
    const read = Answer.safeParse(answer);
    if (!read.success) return null;
    const { utterances, channels } = read.data.results;
    if (utterances) {
      return utterances.map(({ start, transcript, speaker }) => ({
        role: speaker == null ? "speaker" : `speaker ${speaker}`,
        start_time: start,
        content: transcript,
      }));
    }
    const content = channels[0]?.alternatives[0]?.transcript ?? "";
    return content === "" ? [] : [{ role: "speaker", start_time: 0, content }];
  },
};

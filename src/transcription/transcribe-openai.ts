import { randomUUID } from "node:crypto";
import { z } from "zod";
import { bytesOf, type TranscriptionAdapter } from "./transcription-adapter.ts";

/*
 * POST /audio/transcriptions, a form; platform.openai.com/docs/api-reference/audio/createTranscription. Servers that
 * imitate OpenAI speak the same: with times as verbose_json (whisper), with speakers as diarized_json, else words alone.
 */
const Answer = z.object({
  text: z.string(),
  segments: z
    .array(z.object({ start: z.number(), text: z.string(), speaker: z.string().nullish() }))
    .nullish(),
});

const BASE_URL = "https://api.openai.com/v1";

function responseFormat(model: string): string {
  if (/diarize/.test(model)) return "diarized_json";
  return /^gpt-/.test(model) ? "json" : "verbose_json";
}

export const openai: TranscriptionAdapter = {
  name: "OpenAI",
  max_bytes: 25_000_000,
  async request({ model, language }, recording, { api_key, base_url }) {
    const response_format = responseFormat(model);
    const fields = {
      model,
      response_format,
      // Asked for with recordings of more than 30 s.
      ...(response_format === "diarized_json" && { chunking_strategy: "auto" }),
      // ISO 639-1: en, not en-US.
      ...(language && { language: language.split("-")[0] as string }),
    };
    const boundary = randomUUID();
    const part = (disposition: string, more = "") =>
      `--${boundary}\r\ncontent-disposition: form-data; ${disposition}\r\n${more}\r\n`;
    const head = Object.entries(fields).map(([name, value]) => `${part(`name="${name}"`)}${value}\r\n`);
    const file = part(
      `name="file"; filename="${recording.filename}"`,
      `content-type: ${recording.media_type}\r\n`,
    );
    return {
      url: `${(base_url ?? BASE_URL).replace(/\/$/, "")}/audio/transcriptions`,
      headers: {
        authorization: `Bearer ${api_key}`,
        "content-type": `multipart/form-data; boundary=${boundary}`,
        accept: "application/json",
      },
      body: Buffer.concat([
        Buffer.from(`${head.join("")}${file}`),
        await bytesOf(recording),
        Buffer.from(`\r\n--${boundary}--\r\n`),
      ]),
    };
  },
  read(answer) {
    const read = Answer.safeParse(answer);
    if (!read.success) return null;
    const { text, segments } = read.data;
    if (!segments) return text.trim() === "" ? [] : [{ role: "speaker", start_time: 0, content: text }];
    return segments.map((segment) => ({
      role: segment.speaker ? `speaker ${segment.speaker}` : "speaker",
      start_time: segment.start,
      content: segment.text.trim(),
    }));
  },
};

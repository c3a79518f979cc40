import { z } from "zod";
import { bytesOf } from "../../audio/frames.ts";
import { HEARING_RATE, type Heard } from "../hearing.ts";
import { type HearingService, keyTerms, socketUrl } from "./hearing-service.ts";

/**
 * AssemblyAI's streaming v3 (https://www.assemblyai.com/docs/streaming/message-sequence). A turn's `transcript` holds the
 * words that are final; those after it are in `words` only. The session is charged until `Terminate`.
 */

const MULTILINGUAL = ["en", "es", "fr", "de", "it", "pt"];
const MOST_TERMS = 50;

const Told = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("Turn"),
    end_of_turn: z.boolean(),
    transcript: z.string().default(""),
    words: z.array(z.object({ text: z.string(), word_is_final: z.boolean().default(true) })).default([]),
  }),
  z.object({ type: z.literal("Error"), error: z.string().nullish() }),
]);

const isEnglish = (language: string): boolean => /^en\b/i.test(language);

export const assemblyAi: HearingService = {
  name: "AssemblyAI Universal-Streaming",
  base_url: "https://streaming.assemblyai.com",
  hears: (language) => MULTILINGUAL.includes(language.split("-")[0]?.toLowerCase() ?? ""),
  // It takes 50 to 1,000 ms a message.
  chunk_ms: 60,
  connection({ language, expected }, { api_key, base_url }) {
    const terms = keyTerms(expected, MOST_TERMS);
    const query: [string, string][] = [
      ["sample_rate", String(HEARING_RATE)],
      ["encoding", "pcm_s16le"],
      [
        "speech_model",
        isEnglish(language) ? "universal-streaming-english" : "universal-streaming-multilingual",
      ],
      ...(terms.length > 0 ? [["keyterms_prompt", JSON.stringify(terms)] as [string, string]] : []),
    ];
    return { url: socketUrl(base_url, "/v3/ws", query), headers: { authorization: api_key } };
  },
  opening: () => [],
  audio: () => bytesOf,
  end_turn: { type: "ForceEndpoint" },
  closing: { type: "Terminate" },
  greetings: ["Begin"],
  reader() {
    return (message): Heard[] => {
      const read = Told.safeParse(message);
      if (!read.success) return [];
      const told = read.data;
      if (told.type === "Error") return [{ type: "fault", message: told.error ?? "an error without words" }];
      const unsure = told.words.filter(({ word_is_final }) => !word_is_final).map(({ text }) => text);
      const text = [told.transcript.trim(), ...(told.end_of_turn ? [] : unsure)].join(" ").trim();
      if (told.end_of_turn)
        return [
          { type: "final", text },
          { type: "turn", is: "over" },
        ];
      return text === "" ? [] : [{ type: "partial", text }];
    };
  },
};

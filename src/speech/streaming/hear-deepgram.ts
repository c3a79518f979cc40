import { z } from "zod";
import { bytesOf } from "../../audio/frames.ts";
import { HEARING_RATE, type Heard } from "../hearing.ts";
import { type HearingService, keyTerms, socketUrl } from "./hearing-service.ts";

/**
 * Deepgram Flux, which knows words and turns (https://developers.deepgram.com/reference/speech-to-text/listen-flux, its
 * turns https://developers.deepgram.com/docs/flux/state). A transcript is always that of the whole turn.
 */

/** Of flux-general-multi: https://developers.deepgram.com/docs/flux/language-prompting */
const MULTILINGUAL = ["en", "es", "fr", "de", "hi", "ru", "pt", "ja", "it", "nl"];
const MOST_TERMS = 50;

const Told = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("TurnInfo"),
    event: z.string(),
    transcript: z.string().default(""),
  }),
  z.object({ type: z.literal("Error"), code: z.string().nullish(), description: z.string().nullish() }),
]);

const languageOf = (code: string): string => code.split("-")[0]?.toLowerCase() ?? "";

export const deepgramFlux: HearingService = {
  name: "Deepgram Flux",
  base_url: "https://api.deepgram.com",
  hears: (language) => MULTILINGUAL.includes(languageOf(language)),
  // What its documentation recommends.
  chunk_ms: 80,
  connection({ language, expected }, { api_key, base_url }) {
    const code = languageOf(language);
    const query: [string, string][] = [
      ["model", code === "en" ? "flux-general-en" : "flux-general-multi"],
      ["encoding", "linear16"],
      ["sample_rate", String(HEARING_RATE)],
      ["eager_eot_threshold", "0.4"],
      ["eot_threshold", "0.7"],
      ...(code === "en" ? [] : [["language_hint", code] as [string, string]]),
      ...keyTerms(expected, MOST_TERMS).map((term): [string, string] => ["keyterm", term]),
    ];
    return { url: socketUrl(base_url, "/v2/listen", query), headers: { authorization: `Token ${api_key}` } };
  },
  opening: () => [],
  audio: () => bytesOf,
  end_turn: { type: "ForceEndTurn" },
  closing: { type: "CloseStream" },
  greetings: ["Connected"],
  reader() {
    return (message) => {
      const read = Told.safeParse(message);
      if (!read.success) return [];
      const told = read.data;
      if (told.type === "Error") {
        return [{ type: "fault", message: told.description ?? told.code ?? "an error without words" }];
      }
      return turnInfo(told.event, told.transcript.trim());
    };
  },
};

function turnInfo(event: string, text: string): Heard[] {
  const words: Heard[] = text === "" ? [] : [{ type: "partial", text }];
  switch (event) {
    case "StartOfTurn":
    case "Update":
      return words;
    case "EagerEndOfTurn":
      return [...words, { type: "turn", is: "probably_over" }];
    case "TurnResumed":
      return [{ type: "turn", is: "resumed" }, ...words];
    case "EndOfTurn":
      return [
        { type: "final", text },
        { type: "turn", is: "over" },
      ];
    default:
      return [];
  }
}

import { z } from "zod";
import { samplesOf } from "../../audio/frames.ts";
import { socketUrl } from "./hearing-service.ts";
import { SPEAKING_RATE, type SpeakingService } from "./speaking-service.ts";

/**
 * Deepgram Aura's socket (https://developers.deepgram.com/reference/text-to-speech/speak-streaming): audio is binary, and
 * `Flushed` follows the last of a sentence. It has no contexts and no alignment, and takes 20 flushes a minute
 * (https://developers.deepgram.com/docs/tts-ws-flush); an interruption closes the socket.
 */

const Told = z.discriminatedUnion("type", [
  z.object({ type: z.literal("Flushed") }),
  z.object({ type: z.literal("Warning"), code: z.string().nullish(), description: z.string().nullish() }),
  z.object({ type: z.literal("Error"), err_msg: z.string().nullish(), description: z.string().nullish() }),
]);

export const deepgramAura: SpeakingService = {
  name: "Deepgram Aura",
  base_url: "https://api.deepgram.com",
  connection: ({ voice }, { api_key, base_url }) => ({
    url: socketUrl(base_url, "/v1/speak", [
      ["model", voice.model],
      ["encoding", "linear16"],
      ["sample_rate", String(SPEAKING_RATE)],
    ]),
    headers: { authorization: `Token ${api_key}` },
  }),
  say: ({ text }) => [{ type: "Speak", text }, { type: "Flush" }],
  cancel: () => null,
  closing: { type: "Close" },
  reader() {
    return (message) => {
      if (Buffer.isBuffer(message)) return [{ type: "audio", samples: samplesOf(message) }];
      const read = Told.safeParse(message);
      if (!read.success) return [];
      if (read.data.type === "Flushed") return [{ type: "done" }];
      if (read.data.type === "Warning" && !/flush/i.test(`${read.data.code} ${read.data.description}`))
        return [];
      const words =
        "err_msg" in read.data ? (read.data.err_msg ?? read.data.description) : read.data.description;
      return [{ type: "fault", message: words ?? "an error without words" }];
    };
  },
};

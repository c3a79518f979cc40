import { z } from "zod";
import { unreachable } from "../../base/errors.ts";

/*
 * The messages of Twilio's Media Streams, one for one; pure both ways
 * (https://www.twilio.com/docs/voice/media-streams/websocket-messages). Audio is µ-law at 8 kHz, 20 ms a message.
 */

export const STREAM_RATE = 8000;
/** The first `chunk` of a stream. */
export const FIRST_CHUNK = 1;
/** A second of audio; Twilio sends a fiftieth. */
const MOST_CODES = 8000;

const Start = z.object({
  event: z.literal("start"),
  streamSid: z.string().min(1).max(100),
  start: z.object({
    callSid: z.string().min(1).max(100),
    mediaFormat: z.object({ encoding: z.string(), sampleRate: z.number(), channels: z.number() }),
    customParameters: z.object({ call_id: z.string().max(20), token: z.string().max(200) }),
  }),
});

export type StreamStart = { stream_sid: string; sid: string; call_id: string; token: string };

/** The message that names the call, and shows the token that our markup gave it; else why it doesn't. */
export function readStreamStart(given: unknown): StreamStart | { fault: string } {
  const read = Start.safeParse(given);
  if (!read.success) return { fault: "a stream did not say which call it is of" };
  const { streamSid, start } = read.data;
  const { encoding, sampleRate, channels } = start.mediaFormat;
  if (encoding !== "audio/x-mulaw" || sampleRate !== STREAM_RATE || channels !== 1) {
    return { fault: "a stream is of another code than µ-law at 8 kHz" };
  }
  return { stream_sid: streamSid, sid: start.callSid, ...start.customParameters };
}

/** Numbers come as text. */
const count = z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

const StreamMessage = z.discriminatedUnion("event", [
  z.object({ event: z.literal("connected") }),
  z.object({ event: z.literal("start") }),
  z.object({
    event: z.literal("media"),
    media: z.object({
      track: z.enum(["inbound", "outbound"]).default("inbound"),
      chunk: count,
      payload: z.string().regex(BASE64),
    }),
  }),
  z.object({ event: z.literal("dtmf"), dtmf: z.object({ digit: z.string().regex(/^[0-9*#]$/) }) }),
  z.object({ event: z.literal("mark"), mark: z.object({ name: z.string().max(100) }) }),
  z.object({ event: z.literal("stop") }),
]);

export type StreamEvent =
  | { type: "start" }
  | { type: "audio"; chunk: number; codes: Uint8Array }
  | { type: "key"; digit: string }
  /** What was sent before the mark was played, or thrown away. */
  | { type: "marked"; name: string }
  | { type: "stopped" }
  | { type: "fault"; message: string };

/** null: nothing that concerns a call. */
export function readStream(given: unknown): StreamEvent | null {
  const read = StreamMessage.safeParse(given);
  if (!read.success) return { type: "fault", message: "a message of a stream was not understood" };
  const message = read.data;
  switch (message.event) {
    case "connected":
      return null;
    case "start":
      return { type: "start" };
    case "media": {
      if (message.media.track !== "inbound") return null;
      const codes = Buffer.from(message.media.payload, "base64");
      if (codes.length === 0 || codes.length > MOST_CODES) {
        return { type: "fault", message: "a frame of a stream has a wrong size" };
      }
      return { type: "audio", chunk: message.media.chunk, codes };
    }
    case "dtmf":
      return { type: "key", digit: message.dtmf.digit };
    case "mark":
      return { type: "marked", name: message.mark.name };
    case "stop":
      return { type: "stopped" };
    default:
      return unreachable(message);
  }
}

export type StreamOutput =
  | { type: "audio"; codes: Uint8Array }
  | { type: "mark"; name: string }
  /** Forget what was not played; its marks come back at once. */
  | { type: "clear" };

export function writeStream(streamSid: string, output: StreamOutput): string {
  switch (output.type) {
    case "audio": {
      const payload = Buffer.from(output.codes).toString("base64");
      return JSON.stringify({ event: "media", streamSid, media: { payload } });
    }
    case "mark":
      return JSON.stringify({ event: "mark", streamSid, mark: { name: output.name } });
    case "clear":
      return JSON.stringify({ event: "clear", streamSid });
    default:
      return unreachable(output);
  }
}

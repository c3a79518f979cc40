import { z } from "zod";
import {
  bytesOfSample,
  bytesPerSecond,
  isSameCodec,
  type LineCodec,
  SILENT_BYTE,
} from "../../audio/line-codec.ts";
import { unreachable } from "../../base/errors.ts";
import { tryParseJson } from "../../base/parse-json.ts";
import { storableText } from "../../base/storable.ts";
import { type FrameRefusal, refused } from "../../media/frame-refusal.ts";

/*
 * The frames of Telnyx's media streaming, one for one; pure both ways
 * (https://developers.telnyx.com/api-reference/websockets/stream-call-media-over-websocket). A call has to be streamed
 * with `stream_bidirectional_mode: "rtp"`: without it Telnyx takes MP3 files only. The order of media frames is not
 * guaranteed: `chunk` has it (media/ordered-frames.ts).
 */

/** The first `chunk` of a stream. */
export const FIRST_TELNYX_CHUNK = 1;
/** In characters; a frame of 20 ms has some 1,000. Looked at before the text is parsed. */
const MOST_FRAME_CHARS = 200_000;
/** Telnyx takes between 20 ms and 30 s of audio a frame. */
const LEAST_SENT_MS = 20;
const MOST_SENT_S = 30;

/** Telnyx's names. Its L16 is little-endian as seen in use; the page does not say. */
const ENCODINGS: Record<string, LineCodec["encoding"]> = { PCMU: "ulaw", PCMA: "alaw", L16: "linear" };

/** Numbers come as text. */
const count = z
  .union([
    z.number(),
    z
      .string()
      .regex(/^\d{1,15}$/)
      .transform(Number),
  ])
  .pipe(z.number().int().min(0));
const id = z.string().min(1).max(500).transform(storableText);
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

const Frame = z.discriminatedUnion("event", [
  z.object({ event: z.literal("connected") }),
  z.object({
    event: z.literal("start"),
    stream_id: id,
    start: z.object({
      call_control_id: id,
      custom_parameters: z.record(z.string(), z.string().transform(storableText)).nullish(),
      media_format: z.object({ encoding: z.string(), sample_rate: count, channels: count }),
    }),
  }),
  z.object({
    event: z.literal("media"),
    media: z.object({
      track: z.enum(["inbound", "outbound"]).default("inbound"),
      chunk: count,
      payload: z.string().regex(BASE64),
    }),
  }),
  z.object({ event: z.literal("dtmf"), dtmf: z.object({ digit: z.string().regex(/^[0-9*#A-Da-d]$/) }) }),
  z.object({ event: z.literal("mark"), mark: z.object({ name: z.string().max(500) }) }),
  z.object({ event: z.literal("stop") }),
  z.object({
    event: z.literal("error"),
    payload: z.object({
      code: z.union([z.number(), z.string()]).nullish(),
      title: z.string().nullish(),
      detail: z.string().nullish(),
    }),
  }),
]);
const EVENTS = new Set<unknown>(Frame.options.map(({ shape }) => shape.event.value));
/** No telephone has the keys A to D. */
const TELEPHONE_KEY = /^[0-9*#]$/;

export type TelnyxEvent =
  | { type: "start"; stream_id: string; call_control_id: string; parameters: Record<string, string> }
  | { type: "audio"; chunk: number; bytes: Uint8Array }
  | { type: "key"; digit: string }
  /** What was sent before the mark was played, or thrown away. */
  | { type: "marked"; name: string }
  | { type: "stopped" }
  /** Telnyx could not do what we asked for. */
  | { type: "fault"; message: string }
  | FrameRefusal;

/** `agreed`: what the call was to be streamed in (`stream_codec`). null: nothing that concerns a call. */
export function readTelnyx(frame: string, agreed: LineCodec): TelnyxEvent | null {
  if (frame.length > MOST_FRAME_CHARS) return refused("too_large");
  const given = tryParseJson(frame);
  if (given === undefined) return refused("not_json");
  const named = z.object({ event: z.string() }).safeParse(given);
  if (!named.success) return refused("not_understood");
  // New kinds of frames may come at any time.
  if (!EVENTS.has(named.data.event)) return null;
  const read = Frame.safeParse(given);
  return read.success ? eventOf(read.data, agreed) : refused("not_understood");
}

function eventOf(frame: z.infer<typeof Frame>, agreed: LineCodec): TelnyxEvent | null {
  switch (frame.event) {
    case "connected":
      return null;
    case "start": {
      const { call_control_id, custom_parameters, media_format } = frame.start;
      const encoding = ENCODINGS[media_format.encoding];
      if (!encoding || media_format.channels !== 1) return refused("other_codec");
      if (!isSameCodec({ encoding, rate: media_format.sample_rate }, agreed)) return refused("other_codec");
      return {
        type: "start",
        stream_id: frame.stream_id,
        call_control_id,
        parameters: custom_parameters ?? {},
      };
    }
    case "media": {
      const { track, chunk, payload } = frame.media;
      if (track !== "inbound") return null;
      const bytes = Buffer.from(payload, "base64");
      const isWhole = bytes.length > 0 && bytes.length % bytesOfSample(agreed) === 0;
      if (!isWhole || bytes.length > bytesPerSecond(agreed)) return refused("wrong_size");
      return { type: "audio", chunk, bytes };
    }
    case "dtmf":
      return TELEPHONE_KEY.test(frame.dtmf.digit) ? { type: "key", digit: frame.dtmf.digit } : null;
    case "mark":
      return { type: "marked", name: frame.mark.name };
    case "stop":
      return { type: "stopped" };
    case "error": {
      const { code, title, detail } = frame.payload;
      const said = [title, detail].filter(Boolean).join(": ") || `error ${code ?? "without a code"}`;
      return { type: "fault", message: storableText(said.slice(0, 500)) };
    }
    default:
      return unreachable(frame);
  }
}

export type TelnyxCommand =
  | { type: "audio"; bytes: Uint8Array }
  | { type: "mark"; name: string }
  /** Forget what was not played; its marks come back at once. */
  | { type: "clear" };

/** The frames to send, in order. Audio is cut at 30 s, and what is shorter than 20 ms is filled up with silence. */
export function writeTelnyx(command: TelnyxCommand, codec: LineCodec): string[] {
  switch (command.type) {
    case "audio": {
      const least = (bytesPerSecond(codec) * LEAST_SENT_MS) / 1000;
      const most = bytesPerSecond(codec) * MOST_SENT_S;
      const frames: string[] = [];
      for (let at = 0; at < command.bytes.length; at += most) {
        const piece = command.bytes.subarray(at, at + most);
        const sent = Buffer.alloc(Math.max(least, piece.length), SILENT_BYTE[codec.encoding]);
        sent.set(piece);
        frames.push(JSON.stringify({ event: "media", media: { payload: sent.toString("base64") } }));
      }
      return frames;
    }
    case "mark":
      return [JSON.stringify({ event: "mark", mark: { name: command.name } })];
    case "clear":
      return [JSON.stringify({ event: "clear" })];
    default:
      return unreachable(command);
  }
}

import { type LineCodec, LineDecoder, LineEncoder } from "../../audio/line-codec.ts";
import {
  type AsteriskLine,
  AsteriskMarks,
  readAsteriskAudio,
  readAsteriskText,
  writeAsterisk,
} from "../../carriers/asterisk/media-frames.ts";
import type { StreamTold, StreamWire } from "./stream-wire.ts";

/** Of the dial string: c(slin16). */
const CODEC: LineCodec = { encoding: "linear", rate: 16_000 };

/** Asterisk's chan_websocket. Its first message names the connection; `sid` is the call's, from the socket's address. */
export function asteriskWire(sid: string): StreamWire {
  const decoder = new LineDecoder(CODEC, CODEC.rate);
  const encoder = new LineEncoder(CODEC.rate, CODEC);
  const marks = new AsteriskMarks();
  let line: AsteriskLine | null = null;

  return {
    rate: CODEC.rate,
    read(data): StreamTold[] {
      const event = typeof data === "string" ? readAsteriskText(data, CODEC) : readAsteriskAudio(data, CODEC);
      if (event === null) return [];
      switch (event.type) {
        case "start":
          // Which version this is is not known.
          line = { frame_bytes: event.frame_bytes, control: event.control, codec: CODEC, marks: "buffering" };
          return [{ type: "start", sid, call_id: "", token: "" }];
        case "audio":
          return [{ type: "frames", frames: decoder.push(event.bytes) }];
        case "marked": {
          const name = marks.back(event.id);
          return name === null ? [] : [{ type: "marked", name }];
        }
        case "refused":
          return [{ type: event.reason === "other_codec" ? "refused" : "fault", message: event.message }];
        case "paused":
        case "resumed":
          // We are never 18 s ahead.
          return [];
        default:
          return [event];
      }
    },
    write(said) {
      const at = line;
      if (!at) return [];
      switch (said.type) {
        case "audio":
          return encoder.push(said.frame).flatMap((bytes) => writeAsterisk({ type: "audio", bytes }, at));
        case "mark":
          return writeAsterisk({ type: "mark", id: marks.send(said.name) }, at);
        default:
          // Asterisk forgets these marks; nobody waits for those of words that were cut off.
          marks.flushed();
          return writeAsterisk({ type: "clear" }, at);
      }
    },
    hangUp: () => (line ? writeAsterisk({ type: "hang_up" }, line) : []),
  };
}

import { Framer } from "../../audio/frames.ts";
import { decodeUlaw, encodeUlaw } from "../../audio/g711.ts";
import { InOrder } from "../../audio/in-order.ts";
import { tryParseJson } from "../../base/parse-json.ts";
import {
  FIRST_CHUNK,
  readStream,
  readStreamStart,
  STREAM_RATE,
  type StreamOutput,
  writeStream,
} from "../../carriers/twilio/twilio-stream.ts";
import type { StreamTold, StreamWire } from "./stream-wire.ts";

/** How many frames the reordering of late ones looks back. */
const WINDOW = 3;

/** Twilio's Media Streams. */
export function twilioWire(): StreamWire {
  const framer = new Framer(STREAM_RATE);
  const ordered = new InOrder<Uint8Array>({ first: FIRST_CHUNK, window: WINDOW });
  let stream_sid = "";

  const start = (given: unknown): StreamTold => {
    const read = readStreamStart(given);
    if ("fault" in read) return { type: "refused", message: read.fault };
    stream_sid = read.stream_sid;
    return { type: "start", sid: read.sid, call_id: read.call_id, token: read.token };
  };

  return {
    rate: STREAM_RATE,
    read(data) {
      const given = typeof data === "string" ? tryParseJson(data) : null;
      const event = readStream(given);
      if (event === null) return [];
      if (event.type === "start") return [start(given)];
      if (event.type !== "audio") return [event];
      const codes = ordered.push(event.chunk, event.codes);
      return [{ type: "frames", frames: codes.flatMap((bytes) => framer.push(decodeUlaw(bytes))) }];
    },
    write(said) {
      const output: StreamOutput =
        said.type === "audio" ? { type: "audio", codes: encodeUlaw(said.frame) } : said;
      return [writeStream(stream_sid, output)];
    },
  };
}

import type { LineCodec } from "../../audio/line-codec.ts";
import { LineDecoder, LineEncoder } from "../../audio/line-codec.ts";
import { FIRST_TELNYX_CHUNK, readTelnyx, writeTelnyx } from "../../carriers/telnyx/media-stream.ts";
import { OrderedFrames } from "../../media/ordered-frames.ts";
import type { StreamTold, StreamWire } from "./stream-wire.ts";

/** As the stream was asked for (`telnyx-carrier.ts`). */
const CODEC: LineCodec = { encoding: "ulaw", rate: 8000 };
/** How many frames the reordering of late ones looks back. */
const WINDOW = 3;

/** Telnyx's media streaming. */
export function telnyxWire(): StreamWire {
  const ordered = new OrderedFrames({ first: FIRST_TELNYX_CHUNK, window: WINDOW });
  const decoder = new LineDecoder(CODEC, CODEC.rate);
  const encoder = new LineEncoder(CODEC.rate, CODEC);

  return {
    rate: CODEC.rate,
    read(data): StreamTold[] {
      const event = readTelnyx(String(data), CODEC);
      if (event === null) return [];
      switch (event.type) {
        case "start": {
          const { call_id = "", token = "" } = event.parameters;
          return [{ type: "start", sid: event.call_control_id, call_id, token }];
        }
        case "audio": {
          const frames = decoder.push(event.bytes);
          // A message holds 20 ms; one that holds more is put in as a whole.
          const [first, ...more] = frames;
          if (!first) return [];
          return [{ type: "frames", frames: [...ordered.push(event.chunk, first), ...more] }];
        }
        case "refused":
          return [{ type: event.reason === "other_codec" ? "refused" : "fault", message: event.message }];
        default:
          return [event];
      }
    },
    write: (said) =>
      said.type === "audio"
        ? encoder.push(said.frame).flatMap((bytes) => writeTelnyx({ type: "audio", bytes }, CODEC))
        : writeTelnyx(said, CODEC),
  };
}

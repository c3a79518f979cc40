import type { WebSocket } from "@fastify/websocket";
import type { RawData } from "ws";
import type { MediaLine } from "../../media/media-line.ts";
import { guardSocket } from "./guarded-socket.ts";
import { type LineParts, openMediaLine } from "./open-media-line.ts";
import type { StreamSaid, StreamTold, StreamWire } from "./stream-wire.ts";

/** Audio alone is 50 messages a second. */
const MOST_MESSAGES_A_SECOND = 300;
/** Events buffered while the call is looked up: a few seconds of audio. */
const MOST_WAITING = 250;
/** Nothing more is sent while this much is unread, because the carrier no longer reads. */
const MOST_UNREAD_BYTES = 2_000_000;

type Parts = LineParts & {
  wire: StreamWire;
  /** The call of a socket that names none of ours by itself; null: there is none for it. */
  name?: () => Promise<{ call_id: string; token: string } | null>;
};

/** The socket of one call whose audio the carrier streams to us. Its first message names the call. */
export function holdStream({ wire, name, ...parts }: Parts, socket: WebSocket): void {
  const { log } = parts;
  let line: MediaLine | null = null;
  let opening = false;
  const waiting: StreamTold[] = [];
  const told = new Set<string>();
  /** How the stream ended while the call was looked up. */
  let early: { lost: boolean } | null = null;

  /** Logs each kind of fault once, because a broken sender repeats it fifty times a second. */
  const complain = (message: string) => {
    if (told.has(message)) return;
    told.add(message);
    log.warn({ message }, "a call's stream has a fault");
  };

  const send = (said: StreamSaid) => {
    if (socket.readyState !== socket.OPEN || socket.bufferedAmount >= MOST_UNREAD_BYTES) return;
    for (const message of wire.write(said)) socket.send(message);
  };
  const close = () => {
    if (socket.readyState === socket.OPEN) for (const message of wire.hangUp?.() ?? []) socket.send(message);
    socket.close(1000);
  };

  const closed = (lost: boolean): void => {
    if (line) line.closed(lost);
    else early ??= { lost };
  };

  const open = async (start: Extract<StreamTold, { type: "start" }>): Promise<void> => {
    const { sid } = start;
    const { call_id, token } = (name ? await name() : start) ?? { call_id: "", token: "" };
    const opened = await openMediaLine(parts, socket, {
      call_id,
      token,
      line: {
        rate: wire.rate,
        play: (frame) => send({ type: "audio", frame }),
        mark: (name) => send({ type: "mark", name }),
        clear: () => send({ type: "clear" }),
        close,
      },
      // The carrier is told, or asks for, the next step once its socket is closed.
      ended: close,
    });
    if (!opened) {
      log.warn({ call_id, sid }, "a stream is of no call of ours");
      socket.close(1008);
      return;
    }
    const { media } = opened;
    line = media;
    opened.begin(sid);
    for (const event of waiting.splice(0)) give(media, event);
    if (early) closed(early.lost);
  };

  const give = (media: MediaLine, event: StreamTold): void => {
    if (event.type === "frames") for (const frame of event.frames) media.hear(frame);
    else if (event.type === "key") media.key(event.digit);
    else if (event.type === "marked") media.marked(event.name);
    else if (event.type === "stopped") media.closed();
  };

  const begin = (start: Extract<StreamTold, { type: "start" | "refused" }>): void => {
    opening = true;
    guard.named();
    if (start.type === "refused") {
      log.warn({ message: start.message }, "a call's stream was refused");
      socket.close(1008);
      return;
    }
    open(start).catch((error) => {
      log.error({ err: error }, "the stream of a call could not be opened");
      socket.close(1011);
    });
  };

  const take = (data: RawData, isBinary: boolean): void => {
    for (const event of wire.read(isBinary ? (data as Buffer) : String(data))) {
      if (event.type === "fault") complain(event.message);
      else if (event.type === "start" || event.type === "refused") {
        if (!opening) begin(event);
      } else if (line) give(line, event);
      // However much audio came before it.
      else if (event.type === "stopped") closed(false);
      else if (opening && waiting.length < MOST_WAITING) waiting.push(event);
    }
  };
  const guard = guardSocket(socket, {
    log,
    most_messages_a_second: MOST_MESSAGES_A_SECOND,
    take,
    flooded() {
      closed(false);
      socket.close(1008);
    },
    unnamed: () => socket.close(1008),
    // A call that is over says so before.
    closed: () => closed(true),
  });
}

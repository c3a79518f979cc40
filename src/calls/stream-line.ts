import type { WebSocket } from "@fastify/websocket";
import type { RawData } from "ws";
import { Framer } from "../audio/frames.ts";
import { decodeUlaw, encodeUlaw } from "../audio/g711.ts";
import { InOrder } from "../audio/in-order.ts";
import type { Clock } from "../base/clock.ts";
import { errorText } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import {
  FIRST_CHUNK,
  readStream,
  readStreamStart,
  STREAM_RATE,
  type StreamEvent,
  type StreamOutput,
  type StreamStart,
  writeStream,
} from "../carriers/twilio/twilio-stream.ts";
import type { CallInput } from "../channels/call-socket.ts";
import { traceOfLine } from "../media/line-trace.ts";
import { MediaLine, type MediaLineParts } from "../media/media-line.ts";
import type { VoiceEngines } from "../media/voice-engines.ts";
import { counted } from "../media/voice-use.ts";
import type { OpenCall, VoiceCalls } from "./voice-calls.ts";

/** Audio alone is 50 messages a second; after a network stall, more arrive at once. */
const MOST_MESSAGES_A_SECOND = 300;
/** A socket that does not name its call within this time is closed. */
const SETUP_MS = 10_000;
/** How many frames the reordering of late ones looks back. */
const WINDOW = 3;
/** Events buffered while the call is looked up: a few seconds of audio. */
const MOST_WAITING = 250;
/** Nothing more is sent while this much is unread, because the carrier no longer reads. */
const MOST_UNREAD_BYTES = 2_000_000;

type Parts = {
  calls: VoiceCalls;
  engines: VoiceEngines;
  clock: Clock;
  log: Log;
  soundAt: MediaLineParts["soundAt"];
};

/** The socket of one call whose audio the carrier streams to us. Its `start` message names the call. */
export function holdStream({ calls, engines, clock, log, soundAt }: Parts, socket: WebSocket): void {
  let line: MediaLine | null = null;
  let opening = false;
  let messages = 0;
  const { engines: ours, use } = counted(engines);
  const waiting: StreamEvent[] = [];
  const told = new Set<string>();
  const framer = new Framer(STREAM_RATE);
  const ordered = new InOrder<Uint8Array>({ first: FIRST_CHUNK, window: WINDOW });

  /** Logs each kind of fault once, because a broken sender repeats it fifty times a second. */
  const complain = (message: string) => {
    if (told.has(message)) return;
    told.add(message);
    log.warn({ message }, "a call's stream has a fault");
  };
  const setup = setTimeout(() => socket.close(1008), SETUP_MS);
  const second = setInterval(() => {
    messages = 0;
  }, 1000);
  second.unref();

  const open = async ({ stream_sid, sid, call_id, token }: StreamStart): Promise<void> => {
    const refuse = () => {
      log.warn({ call_id, sid }, "a stream is of no call of ours");
      socket.close(1008);
    };
    const voice = await calls.voiceOf(call_id, token);
    if (!voice) {
      refuse();
      return;
    }
    let call: OpenCall | null = null;
    const early: CallInput[] = [];
    const send = (output: StreamOutput) => {
      if (socket.readyState === socket.OPEN && socket.bufferedAmount < MOST_UNREAD_BYTES)
        socket.send(writeStream(stream_sid, output));
    };
    const media = new MediaLine({
      clock,
      line: {
        rate: STREAM_RATE,
        play: (frame) => send({ type: "audio", codes: encodeUlaw(frame) }),
        mark: (name) => send({ type: "mark", name }),
        clear: () => send({ type: "clear" }),
        close: () => socket.close(1000),
      },
      ...ours,
      voice,
      soundAt,
      // The carrier reports keys itself.
      findsKeys: false,
      tell: (input) => (call ? call.input(input) : early.push(input)),
      report: (report) => call?.observe(...traceOfLine(report, clock.now())),
      // The carrier asks for the next step once its socket is closed.
      ended: () => socket.close(1000),
    });
    call = await calls.open(call_id, token, {
      send: (output) => media.send(output),
      close: () => media.close(),
      awaits: (awaited) => media.awaits(awaited),
      use,
    });
    if (!call) {
      refuse();
      media.close();
      return;
    }
    const recorder = await call.record(STREAM_RATE);
    if (recorder) media.record(recorder);
    line = media;
    call.input({ type: "open", sid });
    for (const input of early) call.input(input);
    for (const event of waiting.splice(0)) give(media, event);
    // The socket was closed while the call was looked up.
    if (socket.readyState !== socket.OPEN) media.closed();
  };

  const give = (media: MediaLine, event: StreamEvent): void => {
    if (event.type === "audio") {
      for (const codes of ordered.push(event.chunk, event.codes))
        for (const frame of framer.push(decodeUlaw(codes))) media.hear(frame);
    } else if (event.type === "key") media.key(event.digit);
    else if (event.type === "marked") media.marked(event.name);
    else if (event.type === "stopped") media.closed();
  };

  const begin = (given: unknown): void => {
    opening = true;
    clearTimeout(setup);
    const start = readStreamStart(given);
    if ("fault" in start) {
      log.warn({ message: start.fault }, "a call's stream was refused");
      socket.close(1008);
      return;
    }
    open(start).catch((error) => {
      log.error({ err: error }, "the stream of a call could not be opened");
      socket.close(1011);
    });
  };

  const take = (data: RawData, isBinary: boolean): void => {
    if (++messages > MOST_MESSAGES_A_SECOND) {
      log.warn({ messages }, "a call's socket was flooded and closed");
      line?.closed();
      // More messages may arrive while the socket closes.
      socket.off("message", take);
      socket.close(1008);
      return;
    }
    const given = isBinary ? null : parsed(String(data));
    const event = readStream(given);
    if (event === null) return;
    if (event.type === "fault") complain(event.message);
    else if (event.type === "start") {
      if (!opening) begin(given);
    } else if (line) give(line, event);
    else if (opening && waiting.length < MOST_WAITING) waiting.push(event);
  };
  socket.on("message", take);
  // An oversized or malformed frame: the library has closed the socket.
  socket.on("error", (error) =>
    log.warn({ reason: errorText(error) }, "a call's socket sent what can't be read"),
  );
  socket.on("close", () => {
    clearTimeout(setup);
    clearInterval(second);
    // A call that is over says so before.
    line?.closed(true);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

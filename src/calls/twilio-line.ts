import type { WebSocket } from "@fastify/websocket";
import type { RawData } from "ws";
import { errorText } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { readRelay, readSetup, writeRelay } from "../carriers/twilio/twilio-relay.ts";
import type { CallInput } from "../channels/call-socket.ts";
import type { VoiceCalls } from "./voice-calls.ts";

/** A frame is a sentence, or a part of one; a conversation has not so many a second. */
const MOST_FRAMES_A_SECOND = 100;
/** A socket that does not say which call it is of is closed. */
const SETUP_MS = 10_000;

/** The socket of one call. Its first message names the call; what comes before it is known waits for it, in order. */
export function holdRelay({ calls, log }: { calls: VoiceCalls; log: Log }, socket: WebSocket): void {
  const waiting: CallInput[] = [];
  let line: { input(event: CallInput): void } | null = null;
  let opening = false;
  let frames = 0;

  const give = (event: CallInput) => (line ? line.input(event) : waiting.push(event));
  const setup = setTimeout(() => socket.close(1008), SETUP_MS);
  const second = setInterval(() => {
    frames = 0;
  }, 1000);
  second.unref();

  const open = async (frame: string): Promise<void> => {
    opening = true;
    clearTimeout(setup);
    const named = readSetup(frame);
    const opened =
      named &&
      (await calls.open(named.call_id, named.token, {
        send: (output) => socket.readyState === socket.OPEN && socket.send(writeRelay(output)),
        close: () => socket.close(1000),
      }));
    if (!opened) {
      log.warn({ call_id: named?.call_id ?? null }, "a socket is of no call of ours");
      return socket.close(1008);
    }
    line = opened;
    line.input({ type: "open", sid: named.sid });
    for (const event of waiting.splice(0)) line.input(event);
  };

  const take = (data: RawData): void => {
    if (++frames > MOST_FRAMES_A_SECOND) {
      log.warn({ frames }, "a call's socket was flooded and closed");
      // While it closes, more may come.
      socket.off("message", take);
      socket.close(1008);
      return;
    }
    const frame = String(data);
    if (!opening) {
      open(frame).catch((error) => {
        log.error({ err: error }, "the line of a call could not be opened");
        socket.close(1011);
      });
      return;
    }
    const event = readRelay(frame);
    if (event) give(event);
  };
  socket.on("message", take);
  // A frame that is too large, or none: the socket is closed by then.
  socket.on("error", (error) =>
    log.warn({ reason: errorText(error) }, "a call's socket sent what can't be read"),
  );
  socket.on("close", () => {
    clearTimeout(setup);
    clearInterval(second);
    give({ type: "closed" });
  });
}

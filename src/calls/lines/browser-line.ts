import type { WebSocket } from "@fastify/websocket";
import type { RawData } from "ws";
import { z } from "zod";
import { bytesOf, Framer, samplesOf } from "../../audio/frames.ts";
import { tryParseJson } from "../../base/parse-json.ts";
import type { MediaLine } from "../../media/media-line.ts";
import { HEARING_RATE } from "../../speech/hearing.ts";
import type { SiteTokens } from "../../webchat/embedding-site.ts";
import { CallCaptions, type Caption } from "./call-captions.ts";
import { guardSocket } from "./guarded-socket.ts";
import { type LineParts, openMediaLine } from "./open-media-line.ts";

/**
 * A page's call: a WebSocket of 16-bit samples at 16 kHz both ways, and small JSON texts beside them. The page's first
 * text is `start`; everything it hears was sent after that.
 */
const FromPage = z.discriminatedUnion("type", [
  z.object({ type: z.literal("start"), call_id: z.string().max(20), token: z.string().max(200) }),
  z.object({ type: z.literal("marked"), name: z.string().max(40) }),
  z.object({ type: z.literal("key"), digit: z.string().regex(/^[0-9*#]$/) }),
  z.object({ type: z.literal("hangup") }),
]);

type ToPage =
  /** `again` is the token with which the page reconnects to this call if its line breaks. */
  | { type: "ready"; rate: number; again: string }
  /** The page answers with `marked` once everything sent before was played. */
  | { type: "mark"; name: string }
  /** Discard audio that was sent and not played; its marks need not be answered. */
  | { type: "clear" }
  | Caption
  | { type: "end" }
  | { type: "error"; message: string };

/** The close code of a socket that broke without a close frame. */
const BROKEN = 1006;
/** Frames are 20 ms. */
const MOST_FRAMES_A_SECOND = 300;
/** A tenth of a second: a page may send a few frames at once. */
const MOST_BYTES = 2 * (HEARING_RATE / 10) * 2;
/** Nothing more is sent while this much is unread, because the page no longer reads. */
const MOST_UNREAD_BYTES = 2_000_000;

type Parts = LineParts & { tokens: SiteTokens };

export function holdBrowserCall(parts: Parts, socket: WebSocket): void {
  const { log, tokens } = parts;
  let line: MediaLine | null = null;
  let opening = false;
  const framer = new Framer(HEARING_RATE);

  const send = (message: ToPage) => {
    if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(message));
  };
  const captions = new CallCaptions(send);
  const refuse = (message: string) => {
    send({ type: "error", message });
    socket.close(1008);
  };

  const open = async ({ call_id, token: given }: { call_id: string; token: string }) => {
    opening = true;
    guard.named();
    const over = "This call is over, or was opened before.";
    const token = tokens.read(given);
    if (token === null) return refuse(over);
    const opened = await openMediaLine(parts, socket, {
      call_id,
      token,
      line: {
        rate: HEARING_RATE,
        play: (frame) => {
          if (socket.readyState === socket.OPEN && socket.bufferedAmount < MOST_UNREAD_BYTES)
            socket.send(bytesOf(frame));
        },
        mark: (name) => send({ type: "mark", name }),
        clear: () => send({ type: "clear" }),
        close: () => socket.close(1000),
      },
      ended: () => {
        send({ type: "end" });
        socket.close(1000);
      },
      hears: (input) => captions.hears(input),
      says: (output) => captions.says(output),
    });
    if (!opened) return refuse(over);
    line = opened.media;
    send({ type: "ready", rate: HEARING_RATE, again: tokens.write(opened.call.next_token) });
    opened.begin(call_id);
    // The page closed its socket while the call was looked up.
    if (socket.readyState !== socket.OPEN) line.closed();
  };

  const takeText = (text: string) => {
    const read = FromPage.safeParse(tryParseJson(text));
    if (!read.success) return send({ type: "error", message: "This message can't be read." });
    const message = read.data;
    if (message.type === "start") {
      if (opening) return;
      open(message).catch((error) => {
        log.error({ err: error }, "a call from a page could not be opened");
        refuse("The call can't be opened. Please try again.");
      });
    } else if (message.type === "marked") line?.marked(message.name);
    else if (message.type === "key") line?.key(message.digit);
    else socket.close(1000);
  };

  const take = (data: RawData, isBinary: boolean) => {
    if (!isBinary) return takeText(String(data));
    const bytes = data as Buffer;
    if (bytes.length % 2 === 1 || bytes.length > MOST_BYTES)
      return refuse("This is no audio of 16-bit samples.");
    if (line) for (const frame of framer.push(samplesOf(bytes))) line.hear(frame);
  };
  const guard = guardSocket(socket, {
    log,
    most_messages_a_second: MOST_FRAMES_A_SECOND,
    take,
    flooded() {
      line?.closed();
      refuse("That was too much at once.");
    },
    unnamed: () => refuse("The call was not opened in time."),
    // Whoever hangs up, or leaves the page, closes the socket in order.
    closed: (code) => line?.closed(code === BROKEN),
  });
}

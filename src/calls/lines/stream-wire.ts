/** What a carrier's socket tells of a call's audio. */
export type StreamTold =
  /** The message that names the call, and shows the token that we gave the carrier. */
  | { type: "start"; sid: string; call_id: string; token: string }
  /** A beginning that can't be taken; the sentence is for the log. */
  | { type: "refused"; message: string }
  /** Frames of 20 ms at the wire's rate, in their order. */
  | { type: "frames"; frames: Int16Array[] }
  | { type: "key"; digit: string }
  | { type: "marked"; name: string }
  | { type: "stopped" }
  | { type: "fault"; message: string };

export type StreamSaid =
  | { type: "audio"; frame: Int16Array }
  | { type: "mark"; name: string }
  | { type: "clear" };

/** One carrier's messages on one socket, both ways. */
export type StreamWire = {
  /** Samples a second, both ways. */
  rate: number;
  read(data: string | Buffer): StreamTold[];
  write(said: StreamSaid): (string | Uint8Array)[];
  /** Sent before the socket is closed, where the carrier then hangs up. */
  hangUp?(): (string | Uint8Array)[];
};

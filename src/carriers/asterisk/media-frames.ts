import { bytesOfSample, isSameCodec, type LineCodec, SILENT_BYTE } from "../../audio/line-codec.ts";
import { unreachable } from "../../base/errors.ts";
import { tryParseJson } from "../../base/parse-json.ts";
import { storableText } from "../../base/storable.ts";
import { type FrameRefusal, refused } from "../../media/frame-refusal.ts";

/*
 * The frames of Asterisk's chan_websocket, one for one; pure both ways
 * (https://docs.asterisk.org/Configuration/Channel-Drivers/WebSocket). Audio is binary; events and commands are text,
 * plain ("DTMF_END digit:5") or, where the dial string says f(json), JSON.
 */

/** The longest binary frame; Asterisk hangs up on a longer one, and sends none. */
const MOST_AUDIO_BYTES = 65_500;
/** In characters. MEDIA_START as JSON carries the channel's variables. */
const MOST_TEXT_CHARS = 65_536;

/** Asterisk's names of codecs. The linear ones are in the machine's byte order, little-endian on all that run it. */
const FORMATS: Record<string, LineCodec> = {
  ulaw: { encoding: "ulaw", rate: 8000 },
  alaw: { encoding: "alaw", rate: 8000 },
  slin: { encoding: "linear", rate: 8000 },
  slin12: { encoding: "linear", rate: 12_000 },
  slin16: { encoding: "linear", rate: 16_000 },
  slin24: { encoding: "linear", rate: 24_000 },
  slin32: { encoding: "linear", rate: 32_000 },
  slin48: { encoding: "linear", rate: 48_000 },
};

export type AsteriskStart = {
  type: "start";
  connection_id: string;
  channel: string;
  /** Audio is sent in multiples of it; Asterisk drops what is left over. */
  frame_bytes: number;
  /** How Asterisk writes, and wants to read. */
  control: "plain" | "json";
};

export type AsteriskEvent =
  | AsteriskStart
  | { type: "audio"; bytes: Uint8Array }
  | { type: "key"; digit: string }
  /** By the id of `AsteriskMarks`. */
  | { type: "marked"; id: string }
  /** Some 18 s wait to be played: more may be dropped until `resumed`. */
  | { type: "paused" }
  | { type: "resumed" }
  | { type: "fault"; message: string }
  | FrameRefusal;

/** A binary frame: audio of any length. */
export function readAsteriskAudio(bytes: Uint8Array, agreed: LineCodec): AsteriskEvent {
  if (bytes.length > MOST_AUDIO_BYTES) return refused("too_large");
  if (bytes.length === 0 || bytes.length % bytesOfSample(agreed) !== 0) return refused("wrong_size");
  return { type: "audio", bytes };
}

/** A text frame. `agreed`: the codec of the dial string. null: nothing that concerns a call. */
export function readAsteriskText(text: string, agreed: LineCodec): AsteriskEvent | null {
  if (text.length > MOST_TEXT_CHARS) return refused("too_large");
  const control = text.trimStart().startsWith("{") ? "json" : "plain";
  const message = control === "json" ? jsonMessage(text) : plainMessage(text.trim());
  if ("type" in message) return message;
  const { event, fields } = message;
  switch (event) {
    case "MEDIA_START":
      return startOf(fields, control, agreed);
    case "DTMF_END": {
      const digit = fields.get("digit");
      if (digit === undefined || !/^[0-9*#A-Da-d]$/.test(digit)) return refused("not_understood");
      // No telephone has the keys A to D.
      return /^[0-9*#]$/.test(digit) ? { type: "key", digit } : null;
    }
    case "MEDIA_MARK_PROCESSED":
    case "MEDIA_BUFFERING_COMPLETED": {
      const id = fields.get("correlation_id");
      return id ? { type: "marked", id } : null;
    }
    case "MEDIA_XOFF":
      return { type: "paused" };
    case "MEDIA_XON":
      return { type: "resumed" };
    case "ERROR":
      return { type: "fault", message: storableText((fields.get("error_text") ?? "").slice(0, 500)) };
    default:
      // STATUS, QUEUE_DRAINED, and what later versions add.
      return null;
  }
}

type Message = { event: string; fields: Map<string, string> };

function jsonMessage(text: string): Message | FrameRefusal {
  const given = tryParseJson(text);
  if (given === undefined) return refused("not_json");
  if (typeof given !== "object" || given === null || !("event" in given) || typeof given.event !== "string") {
    return refused("not_understood");
  }
  const fields = Object.entries(given).flatMap(([key, value]): [string, string][] =>
    typeof value === "string" || typeof value === "number" ? [[key, String(value)]] : [],
  );
  return { event: given.event, fields: new Map(fields) };
}

/** `EVENT key:value key:value`; of the events with an id, `EVENT id`. */
function plainMessage(text: string): Message | FrameRefusal {
  const [, event, rest = ""] = /^([A-Z_]+)(?: (.*))?$/s.exec(text) ?? [];
  if (event === undefined) return refused("not_understood");
  if (event === "MEDIA_MARK_PROCESSED" || event === "MEDIA_BUFFERING_COMPLETED") {
    return { event, fields: new Map([["correlation_id", rest]]) };
  }
  const fields = new Map<string, string>();
  // The text of an error is the last field, and has spaces.
  const error = rest.indexOf("error_text:");
  if (event === "ERROR" && error >= 0) fields.set("error_text", rest.slice(error + "error_text:".length));
  for (const word of rest.split(" ")) {
    const colon = word.indexOf(":");
    const key = word.slice(0, colon);
    if (colon > 0 && !fields.has(key)) fields.set(key, word.slice(colon + 1));
  }
  return { event, fields };
}

function startOf(
  fields: Map<string, string>,
  control: AsteriskStart["control"],
  agreed: LineCodec,
): AsteriskStart | FrameRefusal {
  const connection_id = fields.get("connection_id");
  const channel = fields.get("channel");
  const format = fields.get("format");
  const size = fields.get("optimal_frame_size");
  if (!connection_id || !channel || format === undefined || size === undefined)
    return refused("not_understood");
  const codec = FORMATS[format];
  if (!codec || !isSameCodec(codec, agreed)) return refused("other_codec");
  const frame_bytes = /^\d{1,5}$/.test(size) ? Number(size) : 0;
  const isFrame =
    frame_bytes > 0 && frame_bytes <= MOST_AUDIO_BYTES && frame_bytes % bytesOfSample(codec) === 0;
  if (!isFrame) return refused("wrong_size");
  return {
    type: "start",
    connection_id: storableText(connection_id),
    channel: storableText(channel),
    frame_bytes,
    control,
  };
}

export type AsteriskCommand =
  | { type: "audio"; bytes: Uint8Array }
  | { type: "mark"; id: string }
  /** Forget what was not played. Asterisk forgets its marks, too, and tells nothing (`AsteriskMarks.flushed`). */
  | { type: "clear" }
  | { type: "answer" }
  | { type: "hang_up" };

export type AsteriskLine = Pick<AsteriskStart, "frame_bytes" | "control"> & {
  codec: LineCodec;
  /**
   * The first versions of chan_websocket have no MARK_MEDIA and ignore it. The end of a buffered transfer is told at the
   * same place of the queue in all versions; it is the choice where the version is not known.
   */
  marks: "mark_media" | "buffering";
};

/** The frames to send, in order. Audio is cut to what Asterisk takes, and its end filled up to a frame with silence. */
export function writeAsterisk(command: AsteriskCommand, line: AsteriskLine): (string | Uint8Array)[] {
  switch (command.type) {
    case "audio":
      return audioFrames(command.bytes, line);
    case "mark":
      return line.marks === "mark_media"
        ? [written("MARK_MEDIA", line, command.id)]
        : [written("START_MEDIA_BUFFERING", line), written("STOP_MEDIA_BUFFERING", line, command.id)];
    case "clear":
      return [written("FLUSH_MEDIA", line)];
    case "answer":
      return [written("ANSWER", line)];
    case "hang_up":
      return [written("HANGUP", line)];
    default:
      return unreachable(command);
  }
}

function audioFrames(bytes: Uint8Array, { codec, frame_bytes }: AsteriskLine): Uint8Array[] {
  const most = Math.floor(MOST_AUDIO_BYTES / frame_bytes) * frame_bytes;
  const frames: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += most) {
    const piece = bytes.subarray(at, at + most);
    const frame = new Uint8Array(Math.ceil(piece.length / frame_bytes) * frame_bytes);
    frame.fill(SILENT_BYTE[codec.encoding]);
    frame.set(piece);
    frames.push(frame);
  }
  return frames;
}

function written(command: string, { control }: AsteriskLine, correlation_id?: string): string {
  if (control === "json") return JSON.stringify({ command, correlation_id });
  return correlation_id === undefined ? command : `${command} ${correlation_id}`;
}

/**
 * The marks that have not come back. Asterisk takes 128 bytes of text a command, so a mark travels as a short id; and it
 * says nothing of those that a flush threw away, so they are told from here. Each comes back once, in order.
 */
export class AsteriskMarks {
  readonly #open = new Map<string, string>();
  #sent = 0;

  /** The id to send for this mark. */
  send(name: string): string {
    const id = `m${++this.#sent}`;
    this.#open.set(id, name);
    return id;
  }

  /** The mark's name; null where it has come back before, as when it was on its way while we flushed. */
  back(id: string): string | null {
    const name = this.#open.get(id) ?? null;
    this.#open.delete(id);
    return name;
  }

  /** Those that a flush has thrown away. */
  flushed(): string[] {
    const names = [...this.#open.values()];
    this.#open.clear();
    return names;
  }
}

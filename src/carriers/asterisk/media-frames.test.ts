import fc from "fast-check";
import { expect, test } from "vitest";
import { rounds } from "../../../test/harness/seed.ts";
import type { LineCodec } from "../../audio/line-codec.ts";
import {
  type AsteriskLine,
  AsteriskMarks,
  readAsteriskAudio,
  readAsteriskText,
  writeAsterisk,
} from "./media-frames.ts";

const ULAW: LineCodec = { encoding: "ulaw", rate: 8000 };
const SLIN16: LineCodec = { encoding: "linear", rate: 16_000 };
const LINE: AsteriskLine = { codec: ULAW, frame_bytes: 160, control: "plain", marks: "mark_media" };

const START =
  "MEDIA_START connection_id:parley channel:WebSocket/parley/0x5140001a0040 format:ulaw optimal_frame_size:160";
const LATER_START =
  "MEDIA_START connection_id:parley channel:WebSocket/parley/0x5140001a0040 channel_id:1761245643.1 format:ulaw optimal_frame_size:160 ptime:20";
const JSON_START = JSON.stringify({
  event: "MEDIA_START",
  connection_id: "parley",
  channel: "WebSocket/parley/0x5140001a0040",
  channel_id: "1761245643.1",
  format: "ulaw",
  optimal_frame_size: 160,
  ptime: 20,
  channel_variables: { DIALEDPEERNUMBER: "parley/c(ulaw)" },
});
const started = (control: string) => ({
  type: "start",
  connection_id: "parley",
  channel: "WebSocket/parley/0x5140001a0040",
  frame_bytes: 160,
  control,
});

test.each([
  [START, started("plain")],
  [LATER_START, started("plain")],
  [JSON_START, started("json")],
  ["DTMF_END digit:5", { type: "key", digit: "5" }],
  ["DTMF_END digit:* channel_id:1761245643.1", { type: "key", digit: "*" }],
  ['{"event":"DTMF_END","channel_id":"1761245643.1","digit":"#"}', { type: "key", digit: "#" }],
  ["DTMF_END digit:D", null],
  ["MEDIA_MARK_PROCESSED m1", { type: "marked", id: "m1" }],
  ["MEDIA_BUFFERING_COMPLETED m1", { type: "marked", id: "m1" }],
  ["MEDIA_BUFFERING_COMPLETED", null],
  ['{"event":"MEDIA_MARK_PROCESSED","channel_id":"1.1","correlation_id":"m1"}', { type: "marked", id: "m1" }],
  ["MEDIA_XOFF", { type: "paused" }],
  ['{"event":"MEDIA_XON","channel_id":"1.1"}', { type: "resumed" }],
  [
    "ERROR channel_id:1.1 error_text:FLUSH_MEDIA not supported in passthrough mode",
    { type: "fault", message: "FLUSH_MEDIA not supported in passthrough mode" },
  ],
  [
    '{"event":"ERROR","channel_id":"1.1","error_text":"Unable to parse JSON command"}',
    { type: "fault", message: "Unable to parse JSON command" },
  ],
  ["STATUS queue_length:43 xon_level:800 xoff_level:900 queue_full:false", null],
  ["QUEUE_DRAINED", null],
  ["SOMETHING_NEW key:value", null],
])("%s is %j", (text, event) => {
  expect(readAsteriskText(text, ULAW)).toEqual(event);
});

test.each<[string, string, LineCodec]>([
  ["too_large", `MEDIA_START ${"x".repeat(70_000)}`, ULAW],
  ["not_json", "{MEDIA_START", ULAW],
  ["not_understood", "", ULAW],
  ["not_understood", "hello", ULAW],
  ["not_understood", "{}", ULAW],
  ["not_understood", '{"event":[]}', ULAW],
  ["not_understood", "MEDIA_START", ULAW],
  ["not_understood", START.replace("format:ulaw ", ""), ULAW],
  ["not_understood", "DTMF_END digit:12", ULAW],
  ["not_understood", "DTMF_END", ULAW],
  ["other_codec", START, SLIN16],
  ["other_codec", START.replace("ulaw", "opus"), ULAW],
  ["other_codec", START.replace("ulaw", "constructor"), ULAW],
  ["wrong_size", START.replace("160", "0"), ULAW],
  ["wrong_size", START.replace("160", "99999"), ULAW],
  ["wrong_size", START.replace("160", "-160"), ULAW],
  ["wrong_size", START.replace("ulaw", "slin16").replace("160", "641"), SLIN16],
])("what can't be taken is refused as %s", (reason, text, codec) => {
  expect(readAsteriskText(text, codec)).toMatchObject({ type: "refused", reason });
});

test("audio of any length is taken, if it is whole samples and no longer than Asterisk's longest", () => {
  const audio = (length: number, codec = ULAW) => readAsteriskAudio(new Uint8Array(length), codec);
  expect(audio(1).type).toBe("audio");
  expect(audio(65_500).type).toBe("audio");
  expect(audio(65_501)).toMatchObject({ type: "refused", reason: "too_large" });
  expect(audio(0)).toMatchObject({ type: "refused", reason: "wrong_size" });
  expect(audio(641, SLIN16)).toMatchObject({ type: "refused", reason: "wrong_size" });
});

test.each<[Parameters<typeof writeAsterisk>[0], Partial<AsteriskLine>, string[]]>([
  [{ type: "answer" }, {}, ["ANSWER"]],
  [{ type: "hang_up" }, {}, ["HANGUP"]],
  [{ type: "clear" }, {}, ["FLUSH_MEDIA"]],
  [{ type: "clear" }, { control: "json" }, ['{"command":"FLUSH_MEDIA"}']],
  [{ type: "mark", id: "m1" }, {}, ["MARK_MEDIA m1"]],
  [{ type: "mark", id: "m1" }, { control: "json" }, ['{"command":"MARK_MEDIA","correlation_id":"m1"}']],
  [{ type: "mark", id: "m1" }, { marks: "buffering" }, ["START_MEDIA_BUFFERING", "STOP_MEDIA_BUFFERING m1"]],
])("%j to %j goes out as %j", (command, line, frames) => {
  expect(writeAsterisk(command, { ...LINE, ...line })).toEqual(frames);
});

test("audio goes out whole, in multiples of Asterisk's frame, never longer than it takes", () => {
  fc.assert(
    fc.property(
      fc.nat(200_000),
      fc.constantFrom<Partial<AsteriskLine>>({}, { codec: SLIN16, frame_bytes: 640 }),
      (length, line) => {
        const codec = line.codec ?? ULAW;
        const bytes = new Uint8Array(codec === ULAW ? length : length - (length % 2)).fill(7);
        const frames = writeAsterisk({ type: "audio", bytes }, { ...LINE, ...line }).map((frame) => {
          if (typeof frame === "string") throw new Error("audio went out as text");
          return frame;
        });
        for (const frame of frames) {
          expect(frame.length % (line.frame_bytes ?? 160)).toBe(0);
          expect(frame.length).toBeLessThanOrEqual(65_500);
        }
        const all = Buffer.concat(frames);
        expect(all.subarray(0, bytes.length).equals(bytes)).toBe(true);
        expect(all.length - bytes.length).toBeLessThan(line.frame_bytes ?? 160);
        const silence = codec === ULAW ? 0xff : 0;
        expect(all.subarray(bytes.length).every((byte) => byte === silence)).toBe(true);
      },
    ),
    { numRuns: rounds(50) },
  );
});

test("every mark comes back once and in order, whatever Asterisk forgets or tells twice", () => {
  const step = fc.constantFrom("send", "play", "flush", "again");
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60, size: "max" }), (steps) => {
      const marks = new AsteriskMarks();
      const queue: string[] = [];
      const told: string[] = [];
      const back: string[] = [];
      let sent = 0;
      for (const what of [...steps, "flush"]) {
        if (what === "send") queue.push(marks.send(`name ${++sent}`));
        if (what === "play") told.push(...queue.splice(0, 1));
        if (what === "flush") {
          queue.length = 0;
          back.push(...marks.flushed());
        }
        // On its way while we flushed, or told twice.
        for (const id of what === "play" ? told.slice(-1) : what === "again" ? told : []) {
          const name = marks.back(id);
          if (name !== null) back.push(name);
        }
      }
      expect(back).toEqual(Array.from({ length: sent }, (_, at) => `name ${at + 1}`));
    }),
    { numRuns: rounds(300) },
  );
});

test("a command fits the 128 bytes that Asterisk takes, however long the name of a mark", () => {
  const marks = new AsteriskMarks();
  for (const control of ["plain", "json"] as const) {
    for (const kind of ["mark_media", "buffering"] as const) {
      const id = marks.send("x".repeat(1000));
      for (const frame of writeAsterisk({ type: "mark", id }, { ...LINE, control, marks: kind })) {
        expect(frame.length).toBeLessThanOrEqual(128);
      }
    }
  }
});

test("no frame of whatever makes it throw", () => {
  const name = fc.constantFrom("MEDIA_START", "DTMF_END", "ERROR", "MEDIA_MARK_PROCESSED", "STATUS");
  const plain = fc.tuple(name, fc.string()).map(([event, rest]) => `${event} ${rest}`);
  const json = fc
    .tuple(name, fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })))
    .map(([event, fields]) => JSON.stringify({ ...fields, event }));
  fc.assert(
    fc.property(
      fc.oneof(fc.string(), fc.json(), plain, json),
      fc.constantFrom(ULAW, SLIN16),
      (text, codec) => {
        const answer = readAsteriskText(text, codec);
        expect(answer === null || typeof answer.type === "string").toBe(true);
      },
    ),
    { numRuns: rounds(1000) },
  );
});

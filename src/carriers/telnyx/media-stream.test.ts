import fc from "fast-check";
import { expect, test } from "vitest";
import { rounds } from "../../../test/harness/seed.ts";
import type { LineCodec } from "../../audio/line-codec.ts";
import { readTelnyx, type TelnyxCommand, writeTelnyx } from "./media-stream.ts";

const PCMU: LineCodec = { encoding: "ulaw", rate: 8000 };
const L16: LineCodec = { encoding: "linear", rate: 16_000 };
const read = (frame: unknown, codec = PCMU) => readTelnyx(JSON.stringify(frame), codec);

const start = (media_format: object = { encoding: "PCMU", sample_rate: 8000, channels: 1 }) => ({
  event: "start",
  sequence_number: "1",
  stream_id: "5f1c0f62-0000-4000-8000-000000000001",
  start: {
    call_control_id: "v3:demo-clinic",
    from: "+15125550100",
    to: "+15125550101",
    custom_parameters: { call_id: "7", token: "secret" },
    media_format,
  },
});
const media = (fields: object) => ({
  event: "media",
  sequence_number: "4",
  stream_id: "5f1c0f62-0000-4000-8000-000000000001",
  media: { track: "inbound", chunk: "2", timestamp: "40", payload: "//79", ...fields },
});

test.each([
  [{ event: "connected", version: "1.0.0" }, null],
  [
    start(),
    {
      type: "start",
      stream_id: "5f1c0f62-0000-4000-8000-000000000001",
      call_control_id: "v3:demo-clinic",
      parameters: { call_id: "7", token: "secret" },
    },
  ],
  [media({}), { type: "audio", chunk: 2, bytes: Buffer.from([0xff, 0xfe, 0xfd]) }],
  [media({ track: "outbound" }), null],
  [
    { event: "dtmf", dtmf: { digit: "#" } },
    { type: "key", digit: "#" },
  ],
  [{ event: "dtmf", dtmf: { digit: "A" } }, null],
  [
    { event: "mark", mark: { name: "7" } },
    { type: "marked", name: "7" },
  ],
  [{ event: "stop", stop: { call_control_id: "v3:demo-clinic" } }, { type: "stopped" }],
  [
    { event: "error", payload: { code: 100003, title: "malformed_frame", detail: "The frame is wrong." } },
    { type: "fault", message: "malformed_frame: The frame is wrong." },
  ],
  [
    { event: "error", payload: { code: 1 } },
    { type: "fault", message: "error 1" },
  ],
  [{ event: "weather", sunny: true }, null],
])("%j is %j", (frame, event) => {
  expect(read(frame)).toEqual(event);
});

test.each<[string, string, LineCodec]>([
  ["not_json", "{", PCMU],
  ["not_json", "", PCMU],
  ["too_large", JSON.stringify(media({ payload: "A".repeat(200_000) })), PCMU],
  ["not_understood", "null", PCMU],
  ["not_understood", "[]", PCMU],
  ["not_understood", JSON.stringify({ event: 7 }), PCMU],
  ["not_understood", JSON.stringify({ event: "start" }), PCMU],
  ["not_understood", JSON.stringify(media({ payload: "not base64!" })), PCMU],
  ["not_understood", JSON.stringify(media({ chunk: -1 })), PCMU],
  ["not_understood", JSON.stringify(media({ chunk: true })), PCMU],
  ["not_understood", JSON.stringify({ event: "dtmf", dtmf: { digit: "12" } }), PCMU],
  ["not_understood", '{"event":"error","payload":{"code":{"toString":1,"valueOf":1}}}', PCMU],
  ["wrong_size", JSON.stringify(media({ payload: "" })), PCMU],
  ["wrong_size", JSON.stringify(media({ payload: Buffer.alloc(8001).toString("base64") })), PCMU],
  ["wrong_size", JSON.stringify(media({ payload: Buffer.alloc(641).toString("base64") })), L16],
  ["other_codec", JSON.stringify(start()), L16],
  ["other_codec", JSON.stringify(start({ encoding: "PCMA", sample_rate: 8000, channels: 1 })), PCMU],
  ["other_codec", JSON.stringify(start({ encoding: "PCMU", sample_rate: 8000, channels: 2 })), PCMU],
  ["other_codec", JSON.stringify(start({ encoding: "constructor", sample_rate: 8000, channels: 1 })), PCMU],
])("what can't be taken is refused as %s", (reason, frame, codec) => {
  expect(readTelnyx(frame, codec)).toMatchObject({ type: "refused", reason, message: expect.any(String) });
});

test("audio goes out in frames of 20 ms to 30 s, none lost, and its short end filled up with silence", () => {
  const sent = (command: TelnyxCommand, codec = PCMU) =>
    writeTelnyx(command, codec).map((frame) => JSON.parse(frame));
  const bytesOf = (frame: { media: { payload: string } }) => Buffer.from(frame.media.payload, "base64");
  const second = 8000;
  for (const length of [160, 161, 30 * second, 30 * second + 1, 61 * second]) {
    const bytes = Buffer.alloc(length, 7);
    const frames = sent({ type: "audio", bytes });
    for (const frame of frames) {
      expect(frame.event).toBe("media");
      expect(bytesOf(frame).length).toBeGreaterThanOrEqual(160);
      expect(bytesOf(frame).length).toBeLessThanOrEqual(30 * second);
    }
    const all = Buffer.concat(frames.map(bytesOf));
    expect(all.subarray(0, length).equals(bytes)).toBe(true);
    expect(all.subarray(length).every((byte) => byte === 0xff)).toBe(true);
  }
  expect(sent({ type: "audio", bytes: new Uint8Array() })).toEqual([]);
  expect(sent({ type: "mark", name: "7" })).toEqual([{ event: "mark", mark: { name: "7" } }]);
  expect(sent({ type: "clear" })).toEqual([{ event: "clear" }]);
});

test("no frame of whatever makes it throw, and no refusal repeats what came", () => {
  const event = fc.constantFrom("connected", "start", "media", "dtmf", "mark", "stop", "error", "clear");
  const shaped = fc
    .tuple(event, fc.jsonValue({ maxDepth: 3 }), fc.jsonValue({ maxDepth: 2 }))
    .map(([name, part, id]) =>
      JSON.stringify({ event: name, stream_id: id, [name === "error" ? "payload" : name]: part }),
    );
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json(), shaped), fc.constantFrom(PCMU, L16), (frame, codec) => {
      const answer = readTelnyx(frame, codec);
      expect(answer === null || typeof answer.type === "string").toBe(true);
      if (answer?.type === "refused") expect(answer.message.length).toBeLessThan(100);
    }),
    { numRuns: rounds(1000) },
  );
});

test("audio that we send is read back byte for byte", () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 160, maxLength: 8000, size: "max" }),
      fc.nat(1_000_000),
      (bytes, chunk) => {
        const [frame = ""] = writeTelnyx({ type: "audio", bytes }, PCMU);
        const { payload } = JSON.parse(frame).media;
        expect(read(media({ payload, chunk: String(chunk) }))).toEqual({
          type: "audio",
          chunk,
          bytes: Buffer.from(bytes),
        });
      },
    ),
    { numRuns: rounds(100) },
  );
});

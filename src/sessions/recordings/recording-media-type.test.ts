import { expect, test } from "vitest";
import { DOWNLOAD_TYPE, recordingMediaType } from "./recording-media-type.ts";

const FIREFOX = "audio/webm,audio/ogg,audio/wav,audio/*;q=0.9,application/ogg;q=0.7,video/*;q=0.6,*/*;q=0.5";

test.each([
  ["nothing", {}],
  ["anything", { accept: "*/*" }],
  ["bytes", { accept: "application/octet-stream" }],
  ["bytes or sound alike", { accept: "application/octet-stream, audio/*" }],
  ["a page", { accept: "text/html,application/xhtml+xml,*/*;q=0.8", "sec-fetch-dest": "document" }],
  ["another kind of sound", { accept: "audio/mpeg" }],
  ["no sound at all", { accept: "audio/*;q=0, */*" }],
  ["nonsense", { accept: ";;,q=,/" }],
])("whoever accepts %s gets a recording as bytes", (_, headers) => {
  expect(recordingMediaType("audio/wav", headers)).toBe(DOWNLOAD_TYPE);
});

test.each([
  ["any sound", { accept: "audio/*" }],
  ["its own type", { accept: "Audio/WAV;q=0.4" }],
  ["sound before bytes", { accept: "application/octet-stream;q=0.5, audio/*" }],
  ["what Firefox's player does", { accept: FIREFOX }],
  ["anything, in a player", { accept: "*/*", "sec-fetch-dest": "audio" }],
])("whoever accepts %s gets a recording as sound", (_, headers) => {
  expect(recordingMediaType("audio/wav", headers)).toBe("audio/wav");
});

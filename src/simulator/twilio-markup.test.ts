import { expect, test } from "vitest";
import {
  answerMarkup,
  continuationMarkup,
  EMPTY_MARKUP,
  hangupMarkup,
  rejectMarkup,
} from "../carriers/twilio/twilio-markup.ts";
import { twilioUrls } from "../carriers/twilio/twilio-urls.ts";
import type { CallVoice } from "../channels/call-socket.ts";
import { readMarkup } from "./read-markup.ts";

const urls = twilioUrls("https://parley.example.com", 7).call("key 1");
const voice: CallVoice = {
  languages: [
    { code: "en-US", provider: "ElevenLabs", voice: "V1", speed: 1.1, pitch: null },
    { code: "es-US", provider: "Google", voice: "es-US-Chirp3-HD-Kore", speed: 1.1, pitch: null },
    { code: "de-DE", provider: "OpenAI", voice: "alloy", speed: null, pitch: null },
  ],
  interruptible_by: "dtmf_only",
  hints: ["Ms. <Doe> & sons", "B-12"],
};
const open = { call_id: "42", token: 'a"b', voice, is_streamed: false };

test("a call is handed to our socket with its voices, languages and how it is interrupted", () => {
  const [connect] = readMarkup(answerMarkup(urls, open, { record: false }));
  expect(connect).toMatchObject({
    name: "Connect",
    attributes: { action: "https://parley.example.com/carriers/twilio/7/calls/key%201/relay-ended" },
  });
  const [relay] = connect?.nouns ?? [];
  expect(relay?.attributes).toEqual({
    url: "wss://parley.example.com/carriers/twilio/7/calls/key%201/relay",
    interruptible: "dtmf",
    dtmfDetection: "true",
    partialPrompts: "true",
    events: "speaker-events tokens-played",
    language: "en-US",
    hints: "Ms. <Doe> & sons,B-12",
  });
  expect(relay?.nouns.map(({ name, attributes }) => [name, attributes])).toEqual([
    ["Language", { code: "en-US", ttsProvider: "ElevenLabs", voice: "V1-flash_v2_5-1.1_0.5_0.75" }],
    ["Language", { code: "es-US", ttsProvider: "Google", voice: "es-US-Chirp3-HD-Kore" }],
    ["Language", { code: "de-DE" }],
    ["Parameter", { name: "call_id", value: "42" }],
    ["Parameter", { name: "token", value: 'a"b' }],
  ]);
});

test("a recorded call says where its recording is told of", () => {
  const [start, connect] = readMarkup(answerMarkup(urls, open, { record: true }));
  expect(start?.nouns[0]).toMatchObject({
    name: "Recording",
    attributes: { recordingStatusCallback: urls.recording, recordingStatusCallbackEvent: "completed" },
  });
  expect(connect?.name).toBe("Connect");
});

test("a transfer dials a number or a SIP address, and listens for a mailbox where asked", () => {
  const dial = {
    action: "dial",
    number: "+15125550100",
    caller_id: "+15125550101",
    detect_answerer: true,
  } as const;
  expect(readMarkup(continuationMarkup(dial, urls))).toEqual([
    {
      name: "Dial",
      attributes: { action: urls.transfer, timeout: "30", callerId: "+15125550101" },
      text: "",
      nouns: [
        {
          name: "Number",
          attributes: { machineDetection: "Enable", amdStatusCallback: urls.transferAnswerer },
          text: "+15125550100",
          nouns: [],
        },
      ],
    },
  ]);
  const sip = { ...dial, number: "sip:desk@example.com", caller_id: null };
  expect(readMarkup(continuationMarkup(sip, urls))[0]?.nouns[0]).toMatchObject({
    name: "Sip",
    text: "sip:desk@example.com",
  });
});

test("after a transfer that failed the line is opened again", () => {
  const verbs = readMarkup(continuationMarkup({ action: "reopen", ...open }, urls));
  expect(verbs.map(({ name }) => name)).toEqual(["Connect"]);
});

test("hanging up, rejecting and saying nothing are what they are", () => {
  expect(readMarkup(hangupMarkup()).map(({ name }) => name)).toEqual(["Hangup"]);
  expect(readMarkup(continuationMarkup({ action: "hangup" }, urls)).map(({ name }) => name)).toEqual([
    "Hangup",
  ]);
  expect(readMarkup(rejectMarkup()).map(({ name }) => name)).toEqual(["Reject"]);
  expect(readMarkup(EMPTY_MARKUP)).toEqual([]);
});

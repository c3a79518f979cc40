import fc from "fast-check";
import { expect, test } from "vitest";
import type { OutgoingCall, OutgoingText } from "../../channels/carrier.ts";
import { answererDetection } from "../voice-sender.ts";
import { placement } from "./twilio-calls.ts";
import { messageForm, numberOf } from "./twilio-texts.ts";
import { twilioUrls } from "./twilio-urls.ts";

const urls = twilioUrls("https://parley.example.com", 7);
const call: OutgoingCall = {
  key: "try/1",
  from: "+15017122661",
  to: "+15558675310",
  caller_id: null,
  answerer_detection: null,
  ring_timeout_s: 40,
  longest_s: 3600,
};

test("a call is placed with the addresses of its key, and as long as it may ring and last", () => {
  expect(placement(call, urls)).toEqual({
    From: "+15017122661",
    To: "+15558675310",
    Url: "https://parley.example.com/carriers/twilio/7/calls/try%2F1/answer",
    StatusCallback: "https://parley.example.com/carriers/twilio/7/calls/try%2F1/status#rc=3&rp=ct,rt,5xx",
    StatusCallbackEvent: ["answered", "completed"],
    Timeout: 40,
    TimeLimit: 3600,
  });
  expect(placement({ ...call, caller_id: "+15017120000" }, urls).CallerId).toBe("+15017120000");
});

test("listening for a mailbox doesn't hold the call up, and stays within what Twilio takes", () => {
  const positive = fc.double({ min: 0, max: 1000, noNaN: true });
  const detection = fc.record({
    timeout_s: positive,
    speech_threshold_s: positive,
    speech_end_threshold_s: positive,
    silence_timeout_s: positive,
  });
  fc.assert(
    fc.property(detection, (answerer_detection) => {
      const form = placement({ ...call, answerer_detection }, urls) as Record<string, number>;
      expect(form).toMatchObject({ MachineDetection: "DetectMessageEnd", AsyncAmd: "true" });
      for (const [name, least, most] of [
        ["MachineDetectionTimeout", 3, 59],
        ["MachineDetectionSpeechThreshold", 1000, 6000],
        ["MachineDetectionSpeechEndThreshold", 500, 5000],
        ["MachineDetectionSilenceTimeout", 2000, 10_000],
      ] as const) {
        expect(Number.isInteger(form[name])).toBe(true);
        expect(form[name]).toBeGreaterThanOrEqual(least);
        expect(form[name]).toBeLessThanOrEqual(most);
      }
    }),
  );
});

test("a campaign's settings are seconds with defaults, and mode v2 leaves the listening to the agent", () => {
  expect(answererDetection(null)).toBeNull();
  expect(answererDetection({ mode: "v2" })).toBeNull();
  expect(answererDetection({})).toEqual({
    timeout_s: 30,
    speech_threshold_s: 2.4,
    speech_end_threshold_s: 1.75,
    silence_timeout_s: 3.5,
  });
  expect(answererDetection({ mode: "v1", voicemail_detection_pre_speech_timeout: 5 })).toMatchObject({
    silence_timeout_s: 5,
  });
});

const text: OutgoingText = {
  key: "k",
  medium: "sms",
  from: "+15017122661",
  to: "+15558675310",
  text: "Hi there",
  template: null,
};

test("a text goes out with its words or its template, in WhatsApp under WhatsApp's addresses", () => {
  const StatusCallback = "https://parley.example.com/carriers/twilio/7/messages/k/status#rc=3&rp=ct,rt,5xx";
  expect(messageForm(text, urls)).toEqual({
    From: "+15017122661",
    To: "+15558675310",
    Body: "Hi there",
    StatusCallback,
  });
  const template = { sid: "HX1", variables: { 1: "Alex" } };
  expect(messageForm({ ...text, medium: "whatsapp", template }, urls)).toEqual({
    From: "whatsapp:+15017122661",
    To: "whatsapp:+15558675310",
    ContentSid: "HX1",
    ContentVariables: '{"1":"Alex"}',
    StatusCallback,
  });
});

test("an address says its medium and its number", () => {
  expect(numberOf("+15017122661")).toEqual({ medium: "sms", number: "+15017122661" });
  expect(numberOf("whatsapp:+15017122661")).toEqual({ medium: "whatsapp", number: "+15017122661" });
});

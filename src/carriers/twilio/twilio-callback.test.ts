import { describe, expect, test } from "vitest";
import machine from "../../../test/fixtures/twilio/answering-machine.json" with { type: "json" };
import callStatus from "../../../test/fixtures/twilio/call-status.json" with { type: "json" };
import dial from "../../../test/fixtures/twilio/dial-action.json" with { type: "json" };
import message from "../../../test/fixtures/twilio/incoming-message.json" with { type: "json" };
import messageStatus from "../../../test/fixtures/twilio/message-status.json" with { type: "json" };
import recording from "../../../test/fixtures/twilio/recording-status.json" with { type: "json" };
import { CALL_SIGNALS, MESSAGE_SIGNALS, SIP_SIGNALS } from "../../channels/status-signals.ts";
import * as read from "./twilio-callback.ts";

const NOW = new Date("2026-11-18T12:00:00Z");
const CALL = "CA00000000000000000000000000000001";
const TEXT = "SM00000000000000000000000000000001";

describe("how a call stands", () => {
  test("is told with the carrier's own moment and word", () => {
    expect(read.callSignal(callStatus.answered, "k1", NOW)).toEqual({
      key: "k1",
      sid: CALL,
      status: "IN-PROGRESS",
      word: "in-progress",
      error_code: null,
      is_transient: null,
      at: new Date("2010-08-31T20:36:29Z"),
    });
    expect(read.callSignal(callStatus.completed, null, NOW)).toMatchObject({
      key: null,
      status: "COMPLETED",
    });
  });

  test("the SIP response of an end tells more than its word", () => {
    expect(read.callSignal(callStatus.declined, "k", NOW)?.status).toBe("DECLINED");
    expect(read.callSignal(callStatus.unreachable, "k", NOW)?.status).toBe("SIP_TEMPORARILY_UNAVAILABLE");
  });

  test.each(Object.entries(CALL_SIGNALS))("%s is %s", (word, status) => {
    expect(read.callSignal({ CallSid: CALL, CallStatus: word }, "k", NOW)).toMatchObject({ status, at: NOW });
  });

  test.each(Object.entries(SIP_SIGNALS))("failed with SIP %s is %s", (code, status) => {
    const form = { CallSid: CALL, CallStatus: "failed", SipResponseCode: code };
    expect(read.callSignal(form, "k", NOW)?.status).toBe(status);
  });

  test("a completed call was answered, whatever SIP said at its end", () => {
    const form = { CallSid: CALL, CallStatus: "completed", SipResponseCode: "480" };
    expect(read.callSignal(form, "k", NOW)?.status).toBe("COMPLETED");
  });
});

test("who picked up is told", () => {
  expect(read.answererSignal(machine.human, "k", NOW)).toMatchObject({ key: "k", status: "HUMAN" });
  expect(read.answererSignal(machine.machine, "k", NOW)).toMatchObject({
    status: "MACHINE",
    word: "machine_end_beep",
  });
});

describe("how a text stands", () => {
  test.each(Object.entries(MESSAGE_SIGNALS))("%s is %s", (word, status) => {
    expect(read.messageSignal({ MessageSid: TEXT, MessageStatus: word }, "k", NOW)?.status).toBe(status);
  });

  test("a code says whether another try may meet something else", () => {
    expect(read.messageSignal(messageStatus.undelivered, "k", NOW)).toMatchObject({
      status: "UNDELIVERED",
      error_code: "30003",
      is_transient: true,
    });
    expect(read.messageSignal({ ...messageStatus.undelivered, ErrorCode: "30005" }, "k", NOW)).toMatchObject({
      is_transient: false,
    });
    expect(read.messageSignal(messageStatus.delivered, "k", NOW)).toMatchObject({ is_transient: null });
  });
});

test("a text that came in is read with what came with it", () => {
  expect(read.incomingText(message.sms)).toEqual({
    sid: TEXT,
    medium: "sms",
    from: "+15558675310",
    to: "+15017122661",
    text: "Look at this",
    media: [
      {
        type: "image/jpeg",
        url: "https://api.twilio.com/2010-04-01/Accounts/AC00000000000000000000000000000001/Messages/SM00000000000000000000000000000001/Media/ME00000000000000000000000000000001",
      },
    ],
    answered_as: null,
  });
  expect(read.incomingText(message.whatsapp)).toMatchObject({
    medium: "whatsapp",
    from: "+15558675310",
    to: "+14155238886",
    media: [],
  });
});

test("a place shared by WhatsApp is words with its coordinates, and its name and address where they are known", () => {
  const place = message.whatsapp_location;
  const words = "[location: Twilio, 375 Beale St, San Francisco, CA 94105, 37.787890, -122.391664]";
  expect(read.incomingText(place)?.text).toBe(words);
  expect(read.incomingText({ ...place, Body: "I am here" })?.text).toBe(`I am here\n${words}`);
  expect(read.incomingText({ ...place, Label: "", Address: "" })?.text).toBe(
    "[location: 37.787890, -122.391664]",
  );
});

test("a contact shared by WhatsApp is a file", () => {
  expect(read.incomingText(message.whatsapp_contact)).toMatchObject({
    text: "",
    media: [{ type: "text/vcard" }],
  });
});

test.each([
  ["STOP", "stop"],
  ["START", "start"],
  ["HELP", "help"],
  ["Later", null],
])("what the carrier answered as %s itself is read as %s", (type, kind) => {
  expect(read.incomingText({ ...message.sms, OptOutType: type })?.answered_as).toBe(kind);
});

test("text that PostgreSQL can't hold is cleaned", () => {
  expect(read.incomingText({ ...message.sms, Body: "a\u0000b\ud800" })?.text).toBe("ab\ufffd");
});

test("how a transfer ended and where a recording lies are read", () => {
  expect(read.transferResult(dial.body)).toEqual({ sid: CALL, word: "completed", duration_s: 42 });
  expect(read.readyRecording(recording.body)).toEqual({
    sid: CALL,
    url: recording.body.RecordingUrl,
    duration_s: 12,
  });
});

test("what a form doesn't say is nothing", () => {
  const empty = {};
  expect(read.callSignal(empty, "k", NOW)).toBeNull();
  expect(read.answererSignal(empty, "k", NOW)).toBeNull();
  expect(read.messageSignal(empty, "k", NOW)).toBeNull();
  expect(read.incomingText(empty)).toBeNull();
  expect(read.transferResult(empty)).toBeNull();
  expect(read.readyRecording(empty)).toBeNull();
});

test.each([
  ["30002", "the account is suspended (error 30002)"],
  ["30034", "the number is not registered for texts to the US (A2P 10DLC) (error 30034)"],
  ["63016", "WhatsApp opens a dialogue with an approved template only (error 63016)"],
])("a message that fails with %s fails because of us, not of the person", (ErrorCode, our_fault) => {
  for (const MessageStatus of ["failed", "undelivered"])
    expect(read.messageSignal({ MessageSid: "SM1", MessageStatus, ErrorCode }, "k", NOW)).toMatchObject({
      our_fault,
    });
});

test.each(["30003", "30005", "30006", "63024", ""])("error %j is no fault of ours", (ErrorCode) => {
  const form = { MessageSid: "SM1", MessageStatus: "undelivered", ErrorCode };
  expect(read.messageSignal(form, "k", NOW)).not.toHaveProperty("our_fault");
});

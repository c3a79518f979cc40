import { describe, expect, test } from "vitest";
import { CHANNEL_STATUSES, type ChannelStatus } from "./channel-status.ts";
import { isOver, isUnderWay, isWaiting, REQUEST_STATUSES, type RequestStatus } from "./request-status.ts";
import { isForward, isRetryable, REQUEST_STATUS } from "./status-mapping.ts";
import {
  ANSWERER_SIGNALS,
  CALL_SIGNALS,
  DROP_REASONS,
  MAIL_SIGNALS,
  MESSAGE_SIGNALS,
  SIP_SIGNALS,
} from "./status-signals.ts";

type Row = [signal: string, heard: ChannelStatus | undefined, channel: ChannelStatus, request: RequestStatus];

const call = (signal: string) => CALL_SIGNALS[signal];
const answerer = (signal: string) => ANSWERER_SIGNALS[signal];
const sip = (code: number) => SIP_SIGNALS[code];
const sms = (signal: string) => MESSAGE_SIGNALS[signal];
const mail = (signal: string) => MAIL_SIGNALS[signal];
const drop = (reason: string) => DROP_REASONS[reason];

/** The domain's table, row by row; what we say ourselves has no carrier's word. */
const TABLE: Row[] = [
  ["row accepted", "PENDING", "PENDING", "PENDING"],
  ["duplicate target", "DUPLICATE", "DUPLICATE", "DUPLICATE"],
  ["bad address", "INVALID", "INVALID", "INVALID"],
  ["filter excluded", "FILTERED_LINE_TYPE", "FILTERED_LINE_TYPE", "SKIPPED"],
  ["dispatch exception", "UNEXPECTED_ERROR", "UNEXPECTED_ERROR", "FAILED"],
  ["call queued", call("queued"), "QUEUED", "INITIATED"],
  ["call initiated", call("initiated"), "QUEUED", "INITIATED"],
  ["call ringing", call("ringing"), "QUEUED", "INITIATED"],
  ["call in progress", call("in-progress"), "IN-PROGRESS", "CONNECTED"],
  ["a human", answerer("human"), "HUMAN", "CONNECTED"],
  ["a machine", answerer("machine_start"), "MACHINE", "CONNECTED"],
  ["a machine's beep", answerer("machine_end_beep"), "MACHINE", "CONNECTED"],
  ["a machine's silence", answerer("machine_end_silence"), "MACHINE", "CONNECTED"],
  ["a machine's other end", answerer("machine_end_other"), "MACHINE", "CONNECTED"],
  ["a fax", answerer("fax"), "MACHINE", "CONNECTED"],
  ["nobody knows who", answerer("unknown"), "UNKNOWN", "CONNECTED"],
  ["call completed", call("completed"), "COMPLETED", "COMPLETED"],
  ["no final signal", "NO_OUTCOME", "NO_OUTCOME", "FAILED"],
  ["busy", call("busy"), "BUSY", "FAILED"],
  ["SIP 486", sip(486), "BUSY", "FAILED"],
  ["SIP 600", sip(600), "BUSY", "FAILED"],
  ["no answer", call("no-answer"), "NO-ANSWER", "FAILED"],
  ["SIP 408", sip(408), "NO-ANSWER", "FAILED"],
  ["SIP 487", sip(487), "NO-ANSWER", "FAILED"],
  ["SIP 603", sip(603), "DECLINED", "FAILED"],
  ["SIP 404", sip(404), "SIP_NOT_FOUND", "FAILED"],
  ["SIP 480", sip(480), "SIP_TEMPORARILY_UNAVAILABLE", "FAILED"],
  ["SIP 482", sip(482), "SIP_LOOP_DETECTED", "FAILED"],
  ["SIP 604", sip(604), "SIP_DOES_NOT_EXIST_ANYWHERE", "FAILED"],
  ["other failure", call("failed"), "FAILED", "FAILED"],
  ["canceled", call("canceled"), "CANCELED", "CANCELED"],
  ["sms accepted", sms("accepted"), "ACCEPTED", "INITIATED"],
  ["sms queued", sms("queued"), "QUEUED", "INITIATED"],
  ["sms sending", sms("sending"), "SENDING", "INITIATED"],
  ["sms sent", sms("sent"), "SENT", "CONNECTED"],
  ["sms delivered", sms("delivered"), "DELIVERED", "COMPLETED"],
  ["sms read", sms("read"), "DELIVERED", "COMPLETED"],
  ["sms undelivered", sms("undelivered"), "UNDELIVERED", "FAILED"],
  ["sms failed", sms("failed"), "DELIVERY_FAILED", "FAILED"],
  ["sms delivery unknown", sms("delivery_unknown"), "DELIVERY_UNKNOWN", "COMPLETED"],
  ["mail processed", mail("processed"), "PROCESSED", "INITIATED"],
  ["mail deferred", mail("deferred"), "DEFERRED", "INITIATED"],
  ["mail delivered", mail("delivered"), "DELIVERED", "COMPLETED"],
  ["mail opened", mail("open"), "OPENED", "COMPLETED"],
  ["mail clicked", mail("click"), "CLICKED", "COMPLETED"],
  ["mail bounced", mail("bounce"), "BOUNCED", "FAILED"],
  ["mail blocked", mail("blocked"), "BOUNCED", "FAILED"],
  ["mail dropped", mail("dropped"), "DROPPED", "FAILED"],
  ["mail called spam", mail("spamreport"), "SPAM_REPORT", "COMPLETED"],
  ["mail unsubscribed", mail("unsubscribe"), "UNSUBSCRIBED", "COMPLETED"],
  ["dropped: unsubscribed earlier", drop("unsubscribed address"), "PRIOR_UNSUBSCRIBED", "SKIPPED"],
  ["dropped: spam earlier", drop("spam reporting address"), "PRIOR_SPAM_REPORT", "SKIPPED"],
  ["dropped: bounced earlier", drop("bounced address"), "PRIOR_BOUNCED", "SKIPPED"],
  ["dropped: dropped earlier", drop("dropped address"), "PRIOR_DROPPED", "SKIPPED"],
];

test.each(TABLE)("%s", (_, heard, channel, request) => {
  expect(heard).toBe(channel);
  expect(REQUEST_STATUS[channel]).toBe(request);
});

test("the table speaks of every channel status", () => {
  expect(new Set(TABLE.map(([, , channel]) => channel))).toEqual(new Set(CHANNEL_STATUSES));
});

describe("another attempt", () => {
  const retryable = (mode: "voice" | "sms" | "email" | null) =>
    CHANNEL_STATUSES.filter((status) => isRetryable(mode, status)).toSorted();

  test("follows what may go better next time, and nothing else", () => {
    expect(retryable("voice")).toEqual(
      [
        "BUSY",
        "NO-ANSWER",
        "FAILED",
        "UNDELIVERED",
        "SIP_TEMPORARILY_UNAVAILABLE",
        "NO_OUTCOME",
        "MACHINE",
        "UNEXPECTED_ERROR",
      ].toSorted(),
    );
    expect(retryable(null)).toEqual(retryable("voice"));
    expect(retryable("sms")).toEqual(["UNEXPECTED_ERROR", "UNDELIVERED", "DELIVERY_FAILED"].toSorted());
    expect(retryable("email")).toEqual(["UNEXPECTED_ERROR"]);
  });

  test("never follows success, a decline, or our own decision", () => {
    for (const mode of ["voice", "sms", "email"] as const) {
      for (const status of CHANNEL_STATUSES) {
        if (isRetryable(mode, status)) {
          expect(["FAILED", "CONNECTED"], status).toContain(REQUEST_STATUS[status]);
        }
      }
    }
  });
});

describe("a late signal", () => {
  test("never demotes a request that was completed", () => {
    for (const to of REQUEST_STATUSES.filter((status) => !isOver(status) || status === "FAILED")) {
      expect(isForward("COMPLETED", to), to).toBe(false);
    }
  });

  test("leads from waiting over under way to an end, never back and never in a circle", () => {
    for (const from of REQUEST_STATUSES) {
      expect(isForward(from, from)).toBe(false);
      for (const to of REQUEST_STATUSES) {
        if (isForward(from, to)) expect(isForward(to, from)).toBe(false);
        if (isWaiting(from) && !isWaiting(to)) expect(isForward(from, to)).toBe(true);
        if (isUnderWay(from) && isOver(to)) expect(isForward(from, to)).toBe(true);
        if (isOver(from) && !isOver(to)) expect(isForward(from, to)).toBe(false);
      }
    }
  });
});

import { expect, test } from "vitest";
import { isOver, isUnderWay, isWaiting, REQUEST_STATUSES } from "../channels/request-status.ts";
import { type ReopenView, reopenRefusal } from "./reopen.ts";

const EITHER = [true, false];
const VALUES: { [K in keyof ReopenView]: readonly ReopenView[K][] } = {
  request_status: REQUEST_STATUSES,
  answered_by: ["HUMAN", "MACHINE", "UNKNOWN", null],
  voicemail_left: [true, false, null],
  talked: EITHER,
  batch_goes_on: EITHER,
  is_busy: EITHER,
  is_reached_elsewhere: EITHER,
  is_blocked: EITHER,
  has_changed: EITHER,
};

/** Some 7,000: so few are opened that views drawn at random would be refused, all of them. */
const EVERY_VIEW = Object.entries(VALUES).reduce<object[]>(
  (views, [name, values]) => views.flatMap((view) => values.map((value) => ({ ...view, [name]: value }))),
  [{}],
) as ReopenView[];

test("who waits, is being contacted, was reached, talked or has a message is never opened", () => {
  const opened = EVERY_VIEW.filter((view) => reopenRefusal(view) === null);
  expect(opened.length).toBeGreaterThan(0);
  for (const view of opened) {
    expect(isWaiting(view.request_status) || isUnderWay(view.request_status)).toBe(false);
    expect(view.request_status === "COMPLETED" && view.answered_by !== "MACHINE").toBe(false);
    expect(view.is_busy || view.talked || view.voicemail_left === true || view.answered_by === "HUMAN").toBe(
      false,
    );
    expect(view.is_reached_elsewhere || view.is_blocked || view.has_changed).toBe(false);
    expect(view.batch_goes_on && isOver(view.request_status)).toBe(true);
  }
});

test("who failed, was skipped, or met a machine in vain is opened where nothing stands against it, and nobody else", () => {
  const opened = EVERY_VIEW.filter((view) => reopenRefusal(view) === null);
  const kinds = new Set(
    opened.map(({ request_status, answered_by }) =>
      request_status === "COMPLETED" ? `${request_status} ${answered_by}` : request_status,
    ),
  );
  expect([...kinds].toSorted()).toEqual(["COMPLETED MACHINE", "FAILED", "SKIPPED"]);
});

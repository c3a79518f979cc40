import fc from "fast-check";
import { expect, test } from "vitest";
import { isOver, isUnderWay, isWaiting, REQUEST_STATUSES } from "../channels/request-status.ts";
import { type ReopenView, reopenRefusal } from "./reopen.ts";

const views: fc.Arbitrary<ReopenView> = fc.record({
  request_status: fc.constantFrom(...REQUEST_STATUSES),
  answered_by: fc.constantFrom("HUMAN", "MACHINE", "UNKNOWN", null),
  voicemail_left: fc.constantFrom(true, false, null),
  talked: fc.boolean(),
  batch_goes_on: fc.boolean(),
  is_busy: fc.boolean(),
  is_reached_elsewhere: fc.boolean(),
  is_blocked: fc.boolean(),
  has_changed: fc.boolean(),
});

test("who waits, is being contacted, was reached, talked or has a message is never opened", () => {
  fc.assert(
    fc.property(views, (view) => {
      if (reopenRefusal(view) !== null) return;
      expect(isWaiting(view.request_status) || isUnderWay(view.request_status)).toBe(false);
      expect(view.request_status === "COMPLETED" && view.answered_by !== "MACHINE").toBe(false);
      expect(
        view.is_busy || view.talked || view.voicemail_left === true || view.answered_by === "HUMAN",
      ).toBe(false);
      expect(view.is_reached_elsewhere || view.is_blocked || view.has_changed).toBe(false);
      expect(view.batch_goes_on && isOver(view.request_status)).toBe(true);
    }),
  );
});

test("who failed, was skipped, or met a machine in vain is opened where nothing stands against it", () => {
  const free = { voicemail_left: false, talked: false, batch_goes_on: true, is_busy: false };
  const clear = { ...free, is_reached_elsewhere: false, is_blocked: false, has_changed: false };
  for (const request_status of ["FAILED", "SKIPPED"] as const)
    expect(reopenRefusal({ ...clear, request_status, answered_by: null })).toBe(null);
  expect(reopenRefusal({ ...clear, request_status: "COMPLETED", answered_by: "MACHINE" })).toBe(null);
});

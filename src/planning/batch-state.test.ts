import { describe, expect, test } from "vitest";
import {
  BATCH_STATUSES,
  type BatchChange,
  type BatchStatus,
  isDialled,
  nextStatus,
  statusAt,
} from "./batch-state.ts";

const NOW = new Date("2026-11-18T12:00:00Z");
const before = new Date("2026-11-18T11:59:59.999Z");
const after = new Date("2026-11-18T12:00:00.001Z");

const filled: BatchChange = { kind: "filled" };
const failed: BatchChange = { kind: "upload-failed" };
const deleted: BatchChange = { kind: "deleted" };
const update = (paused: boolean | null, expires_on: Date | null = null): BatchChange => ({
  kind: "updated",
  paused,
  expires_on,
});

const REFUSED = "refused";

describe("a batch moves as the table says", () => {
  /** Of a batch that is not on hold. */
  const table: Record<BatchStatus, Record<string, BatchStatus | typeof REFUSED>> = {
    PENDING: {
      filled: "ACTIVE",
      failed: "FAILED",
      hold: "PENDING",
      release: "PENDING",
      shorten: "EXPIRED",
      deleted: "CANCELED",
    },
    ACTIVE: {
      filled: "ACTIVE",
      failed: "ACTIVE",
      hold: "PAUSED",
      release: "ACTIVE",
      shorten: "EXPIRED",
      deleted: "CANCELED",
    },
    PAUSED: {
      filled: "ACTIVE",
      failed: "PAUSED",
      hold: "PAUSED",
      release: "ACTIVE",
      shorten: "EXPIRED",
      deleted: "CANCELED",
    },
    FAILED: {
      filled: "ACTIVE",
      failed: "FAILED",
      hold: "FAILED",
      release: "FAILED",
      shorten: "EXPIRED",
      deleted: "CANCELED",
    },
    EXPIRED: {
      filled: REFUSED,
      failed: "EXPIRED",
      hold: "PAUSED",
      release: "ACTIVE",
      shorten: "EXPIRED",
      deleted: "CANCELED",
    },
    CANCELED: {
      filled: REFUSED,
      failed: "CANCELED",
      hold: REFUSED,
      release: REFUSED,
      shorten: REFUSED,
      deleted: REFUSED,
    },
  };
  const changes: Record<string, BatchChange> = {
    filled,
    failed,
    hold: update(true),
    release: update(false, after),
    shorten: update(false, NOW),
    deleted,
  };
  const rows = BATCH_STATUSES.flatMap((status) =>
    Object.entries(table[status]).map(([change, expected]) => [status, change, expected] as const),
  );

  test.each(rows)("%s, %s: %s", (status, change, expected) => {
    const result = nextStatus({ status, paused: null }, changes[change] as BatchChange, NOW);
    expect(result.kind === "moved" ? result.status : REFUSED).toBe(expected);
  });
});

test.each(["PENDING", "ACTIVE", "PAUSED", "FAILED"] as const)(
  "requests that come into a %s batch on hold are not dialled",
  (status) => {
    expect(nextStatus({ status, paused: true }, filled, NOW)).toEqual({ kind: "moved", status: "PAUSED" });
    expect(isDialled("PAUSED")).toBe(false);
  },
);

test.each(BATCH_STATUSES)(
  "a %s batch is expired from the very instant of expires_on, unless deleted",
  (status) => {
    const expired = status === "CANCELED" ? "CANCELED" : "EXPIRED";
    expect(statusAt({ status, expires_on: NOW }, NOW)).toBe(expired);
    expect(statusAt({ status, expires_on: before }, NOW)).toBe(expired);
    expect(statusAt({ status, expires_on: after }, NOW)).toBe(status);
    expect(statusAt({ status, expires_on: null }, NOW)).toBe(status);
  },
);

import fc from "fast-check";
import { expect, test } from "vitest";
import { listQuery, readListState, SIZES, writeListState } from "./list-state.ts";

const word = fc.stringMatching(/^[a-z_]{1,8}$/);
const value = fc.string({ minLength: 1, maxLength: 12 });
const day = fc.date({ min: new Date("2020-01-01"), max: new Date("2030-01-01"), noInvalidDate: true });
const state = fc.record({
  page: fc.integer({ min: 1, max: 400 }),
  size: fc.constantFrom(...SIZES),
  search: fc.oneof(fc.constant(""), value),
  filters: fc.dictionary(word, value, { maxKeys: 3, noNullPrototype: true }),
  order: fc.option(fc.record({ field: word, direction: fc.constantFrom("asc" as const, "desc" as const) })),
  columns: fc.option(fc.uniqueArray(word, { minLength: 1, maxLength: 4 })),
  from: fc.option(day.map((at) => at.toISOString().slice(0, 10))),
  to: fc.option(day.map((at) => at.toISOString().slice(0, 10))),
  last: fc.option(fc.integer({ min: 1, max: 9_999 })),
});

test("a list reads from its address what it wrote there, beside another list's", () => {
  fc.assert(
    fc.property(state, state, (one, other) => {
      const params = writeListState(writeListState({ tab: "x" }, one, "a."), other, "b.");
      expect(readListState(params, "a.")).toEqual(one);
      expect(readListState(params, "b.")).toEqual(other);
      expect(params.tab).toBe("x");
    }),
  );
});

test("an address that somebody wrote by hand shows a list all the same", () => {
  const fresh = readListState({});
  expect(readListState({ page: "-3", size: "7", order: "a b", from: "soon", cols: "" })).toEqual(fresh);
});

test("days are bounded by midnight of the chosen zone, also where clocks change", () => {
  const berlin = listQuery(
    { ...readListState({}), from: "2026-03-29", to: "2026-03-29" },
    { searchField: null, zone: "Europe/Berlin" },
  );
  expect(berlin.start_datetime).toBe("2026-03-28T23:00:00.000Z");
  expect(berlin.end_datetime).toBe("2026-03-29T22:00:00.000Z");
  const santiago = listQuery(
    { ...readListState({}), from: "2026-09-06", to: "2026-09-06" },
    { searchField: null, zone: "America/Santiago" },
  );
  expect(santiago.start_datetime).toBe("2026-09-06T04:00:00.000Z");
  expect(santiago.end_datetime).toBe("2026-09-07T03:00:00.000Z");
});

test("the last days begin at midnight of the chosen zone, today included", () => {
  const now = new Date("2026-11-18T23:30:00Z");
  const berlin = listQuery(
    { ...readListState({}), last: 7 },
    { searchField: null, zone: "Europe/Berlin", now },
  );
  expect(berlin.start_datetime).toBe("2026-11-12T23:00:00.000Z");
  expect(berlin.end_datetime).toBeUndefined();
});

test("what is searched, filtered and fixed goes to the API as pairs", () => {
  const query = listQuery(
    readListState({ q: " anna ", f_is_test: "false", order: "-timestamp", page: "3" }),
    {
      searchField: "agent_name",
      fixed: { agent_id: "7" },
      zone: "UTC",
    },
  );
  expect(query).toEqual({
    page: 2,
    limit: 25,
    search_fields: ["is_test", "agent_id", "agent_name"],
    search_field_values: ["false", "7", "anna"],
    order_by: "timestamp",
    order_by_direction: "desc",
  });
});

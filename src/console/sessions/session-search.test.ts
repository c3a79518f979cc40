import { expect, test } from "vitest";
import { listAddress, paramsIn, savedSearch, sessionAddress, viewParams } from "./session-search.ts";

const PARAMS = {
  q: "book a slot",
  f_failed_tool: "*",
  f_source: "+1 (512) & co=x",
  cols: "timestamp,title",
  order: "-duration",
  last: "7",
};

test("a view that is saved and opened shows the same list", () => {
  expect(viewParams(savedSearch(PARAMS) as Parameters<typeof viewParams>[0])).toEqual(PARAMS);
  expect(viewParams(savedSearch({}) as Parameters<typeof viewParams>[0])).toEqual({});
});

test("a view keeps no page and no days", () => {
  const saved = savedSearch({ ...PARAMS, page: "3", from: "2026-11-01", to: "2026-11-02" });
  expect(viewParams(saved as Parameters<typeof viewParams>[0])).toEqual(PARAMS);
});

test("a session's page leads back to the list that it was found in", () => {
  const address = new URL(sessionAddress("7", { ...PARAMS, page: "2" }), "http://x");
  expect(address.pathname).toBe("/sessions/7");
  const search = address.searchParams.get("in") ?? "";
  expect(paramsIn(search)).toEqual({ ...PARAMS, page: "2" });
  expect(listAddress("")).toBe("/sessions");
  expect(sessionAddress("7", {})).toBe("/sessions/7");
});

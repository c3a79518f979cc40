import { expect, test } from "vitest";
import { withoutBrackets } from "./query-brackets.ts";

test("a parameter that is repeated in brackets is read as one without, in the order it was sent", () => {
  expect(withoutBrackets({ "fields[]": ["a", "b"], limit: "1" })).toEqual({ fields: ["a", "b"], limit: "1" });
  expect(withoutBrackets({ "fields[0]": "a", "fields[1]": "b", fields: "c" })).toEqual({
    fields: ["a", "b", "c"],
  });
  expect(withoutBrackets({ "limit[]": "1" })).toEqual({ limit: "1" });
});

test("other names with brackets stay as they are", () => {
  const query = { "filter[name]": "a", "[]x": "b" };
  expect(withoutBrackets(query)).toBe(query);
});

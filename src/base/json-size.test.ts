import { describe, expect, test } from "vitest";
import { jsonExcess } from "./json-size.ts";

const limits = { levels: 3, values: 10, names: 3 };
const of = (text: string) => jsonExcess(text, limits)?.of ?? null;

describe("the size of a JSON text is known before it is parsed", () => {
  test.each([
    ["levels", "[[[]]]", "[[[[]]]]"],
    ["values", `[${Array(10).fill(1)}]`, `[${Array(11).fill(1)}]`],
    ["values", "[{},{},{},{},{}]", "[{},{},{},{},{},{}]"],
    ["names", '{"a":1,"b":2,"c":3}', '{"a":1,"b":2,"c":3,"d":4}'],
  ])("%s: %s is within the limit, %s is not", (limit, within, beyond) => {
    expect(of(within)).toBeNull();
    expect(of(beyond)).toBe(limit);
  });

  test("members of the same name have one", () => {
    expect(of('[{"a":1},{"a":2},{"a" \n:3},{"a":4}]')).toBeNull();
  });

  test("brackets, commas and quotes in texts are none", () => {
    expect(
      of(JSON.stringify(["[[[[[", "{{{{{", ",".repeat(50), '"a":1,"b":2', "\\", '\\"[[[['.repeat(9)])),
    ).toBeNull();
    expect(of(JSON.stringify({ 'a":{"b":{"c":{"d': 1, b: '"' }))).toBeNull();
  });

  test("the position is where the text goes beyond", () => {
    expect(jsonExcess("[1, [[[2]]]]", limits)).toEqual({ of: "levels", position: 6 });
    expect(jsonExcess('{"a":1,"b":2,"c":3,"dd":4}', limits)).toEqual({ of: "names", position: 20 });
  });

  test.each(['"', '"abc', '"abc\\', '{"a', "", "]]]]", '{"a"  '])(
    "what is no JSON is read to its end: %s",
    (text) => {
      expect(of(text)).toBeNull();
    },
  );
});

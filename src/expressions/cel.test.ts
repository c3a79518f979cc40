import { afterEach, describe, expect, test } from "vitest";
import { planCel } from "./cel.ts";
import { EvaluationError } from "./meter.ts";
import { Scope } from "./scope.ts";
import { ExpressionSyntaxError } from "./syntax-error.ts";

const run = (source: string, root: unknown = {}) => planCel(source)(root);

describe("JSON as CEL sees it", () => {
  const root = {
    n: 3,
    price: 10,
    half: 0.5,
    list: [1, 2],
    o: { a: 1, nil: null },
    text: "ä😀",
    big: 2 ** 60,
  };

  test.for([
    ["n + 1", 4],
    ["n / 2", 1],
    ["price * 1.5", 15],
    ["1.5 + n", 4.5],
    ["n == 3.0", true],
    ["type(n) == int && type(half) == double", true],
    ["big > 1.0", true],
    ["list + [3]", [1, 2, 3]],
    ["list.map(i, {'value': i})", [{ value: 1 }, { value: 2 }]],
    ["o", { a: 1, nil: null }],
    ["o == {'a': 1, 'nil': null}", true],
    ["'a' in o && !('b' in o)", true],
    ["size(text)", 2],
    ["[has(o.a), has(o.b), has(o.nil)]", [true, false, false]],
  ] as [string, unknown][])("%s is %j", ([source, value]) => {
    expect(run(source, root)).toEqual(value);
  });

  test("what is not there is null, and a step further is an error", () => {
    expect(run("[o.b == null, nothing == null]", root)).toEqual([true, true]);
    expect(() => run("o.b.c", root)).toThrow("there is no field c");
    expect(() => run("list[7]", root)).toThrow(EvaluationError);
  });

  test("names of types stand for themselves unless the root has them", () => {
    expect(run("type(1) == int")).toBe(true);
    expect(run("type", { type: "voice" })).toBe("voice");
  });

  test("a dotted key wins over the path, as everywhere", () => {
    const scope = new Scope({ globals: { vars: { pcp: "nested" }, "vars.pcp": "exact", foo: "A" } });
    expect(run("[vars.pcp, pcp, vars.foo]", scope)).toEqual(["exact", "exact", "A"]);
  });
});

describe("results as JSON", () => {
  test.for([
    ["7u", 7],
    ["b'abc'", "YWJj"],
    ["timestamp('2025-01-02T03:04:05.5Z')", "2025-01-02T03:04:05.5Z"],
    ["duration('1h30m') + duration('500ms')", "5400.5s"],
    ["duration('-1.5s')", "-1.5s"],
    ["{1: 'a', true: 'b', 2u: 'c'}", { 1: "a", true: "b", 2: "c" }],
    ["type(1)", "int"],
    ["{'__proto__': 1}", JSON.parse('{"__proto__": 1}')],
  ] as [string, unknown][])("%s is %j", ([source, value]) => {
    expect(run(source)).toEqual(value);
  });

  test.for(["9007199254740993", "1.0 / 0.0", "google.protobuf.Empty{}"])("%s has none", (source) => {
    expect(() => run(source)).toThrow();
  });
});

describe("a mistake is shown when the expression is written", () => {
  test.for([
    ["1 +", 2],
    ["a.b(", 3],
    ["nope(1)", 4],
    ["'x'.nope()", 8],
    ["if", 0],
  ] as [string, number][])("%s", ([source, near]) => {
    try {
      planCel(source);
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(ExpressionSyntaxError);
      expect(Math.abs((error as ExpressionSyntaxError).position! - near)).toBeLessThanOrEqual(6);
    }
  });
});

describe("functions that differ from the library's", () => {
  const zone = process.env.TZ;
  afterEach(() => {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  });

  test("the parts of a time do not depend on the zone of the machine", () => {
    process.env.TZ = "America/New_York";
    const at = "timestamp('2025-03-09T02:30:00Z')";
    expect(run(`${at}.getHours()`)).toBe(2);
    expect(run(`${at}.getHours('Europe/Paris')`)).toBe(3);
    expect(run(`${at}.getHours('02:00')`)).toBe(4);
    expect(run(`[${at}.getDayOfWeek(), ${at}.getMonth(), ${at}.getDate(), ${at}.getDayOfYear()]`)).toEqual([
      0, 2, 9, 67,
    ]);
  });

  test.for([
    ["'aaa'.replace('a', 'b')", "bbb"],
    ["'aaa'.replace('a', 'b', 2)", "bba"],
    ["'aaa'.replace('a', 'aa')", "aaaaaa"],
    ["['a', 'b'].join('-')", "a-b"],
    ["'ÄbC'.lowerAscii() + 'äBc'.upperAscii()", "ÄbcäBC"],
    ["'ann@example.com'.matches('^[^@]+@[^@]+[.][a-z]{2,}$')", true],
    ["[1, 2, 3].filter(x, x > 1).map(x, x * 2)", [4, 6]],
  ] as [string, unknown][])("%s is %j", ([source, value]) => {
    expect(run(source)).toEqual(value);
  });

  test("a list of more than a thousand can be filtered and mapped", () => {
    const list = Array.from({ length: 1_500 }, (_, i) => ({ i }));
    expect(run("list.filter(x, x.i % 2 == 0).map(x, x.i)", { list })).toHaveLength(750);
  });
});

import { describe, expect, test } from "vitest";
import { planJmespath } from "./jmespath.ts";
import { EvaluationError } from "./meter.ts";
import { Scope } from "./scope.ts";
import { ExpressionSyntaxError } from "./syntax-error.ts";

const run = (source: string, root: unknown = {}) => planJmespath(source)(root);

describe("what the compliance suite leaves open", () => {
  test.for([
    ["sort(@)", [10, 9, 1], [1, 9, 10]],
    ["sort(@)", ["b", "ﬁ", "😀", "a"], ["a", "b", "ﬁ", "😀"]],
    ["max_by(@, &name).name", [{ name: "al" }, { name: "bo" }], "bo"],
    [
      "sort_by(@, &n)[*].k",
      [
        { n: 1, k: "a" },
        { n: 0, k: "b" },
        { n: 1, k: "c" },
      ],
      ["b", "a", "c"],
    ],
    ["contains(@, `[1]`)", [[1], [2]], true],
    ["group_by(@, &k)", [{ k: "__proto__" }], JSON.parse('{"__proto__": [{"k": "__proto__"}]}')],
    ["to_number(@)", "", null],
    ["to_number(@)", "0x1f", null],
    ["to_number(@)", "-1.5e2", -150],
    ["replace('aa', 'a', 'ba', `2`)", {}, "baba"],
    ["replace('a', 'a', '$&$&')", {}, "$&$&"],
    ["find_first('😀a', 'a')", {}, 1],
    ["length('😀')", {}, 1],
    ["reverse('a😀')", {}, "😀a"],
    ["'a😀b'[1:2]", {}, "😀"],
    ["split('a-b-c', '-', `1`)", {}, ["a", "b-c"]],
    ["trim('  x ')", {}, "x"],
    ["trim_left('--x-', '-')", {}, "x-"],
    ["pad_left('5', `3`, '0')", {}, "005"],
    [
      "zip(@, `[1, 2, 3]`)",
      ["a", "b"],
      [
        ["a", 1],
        ["b", 2],
      ],
    ],
    ["from_items(items(@))", { a: 1, b: 2 }, { a: 1, b: 2 }],
    ["let $x = `2` in map(&[@, $x], @)", [1], [[1, 2]]],
    ["let $a = a in b[?c == $a].d | [0]", { a: 1, b: [{ c: 1, d: "yes" }] }, "yes"],
    ["@ ? 'yes' : 'no'", [], "no"],
    ["$.a", { a: 1 }, 1],
    ["b[*].[@, $.a]", { a: 1, b: [2] }, [[2, 1]]],
    ["a - `1`", { a: 3 }, 2],
    ["a + b * `2`", { a: 1, b: 3 }, 7],
    ["a // `2`", { a: 7 }, 3],
    ["-a", { a: 7 }, -7],
    ["[-a]", { a: 7 }, [-7]],
    ["a / `2`", { a: 7 }, 3.5],
    ["[`1` < 'b', 'a' < 'b', 'b' > `1`]", {}, [null, null, null]],
    ["[9::-1]", [1, 2, 3], [3, 2, 1]],
    ["[-9:9:2]", [1, 2, 3], [1, 3]],
    ["[avg(@), avg([@[0]]), avg(`[]`)]", [4, 8], [6, 4, null]],
    [
      "[max_by(@, &n).k, min_by(@, &n).k]",
      [
        { n: 1, k: "a" },
        { n: 1, k: "b" },
      ],
      ["a", "a"],
    ],
    ["pad_right('5', `3`, '0')", {}, "500"],
    ["pad_left('555', `2`)", {}, "555"],
    ["find_first('aa', 'a', `0`)", {}, 0],
    ["'\\'\\\\'", {}, "'\\"],
    ['`"\\`"`', {}, "`"],
  ] as [string, unknown, unknown][])("%s of %j is %j", ([source, root, value]) => {
    expect(run(source, root)).toEqual(value);
  });
});

describe("a mistake is shown when the expression is written", () => {
  test.for([
    ["a ==", 4, "stops too early"],
    ["a b", 2, "unexpected b"],
    ["foo[", 4, "stops too early"],
    ["join(' ' a)", 9, "expected ), found a"],
    ["a.#", 2, "unexpected #"],
    ["'abc", 0, "this ' is never closed"],
    ["count >= 3", 9, "a number is written as `3`"],
    ["`{bad`", 0, "this is not JSON"],
    ["a || nope(b)", 5, "there is no function nope()"],
    ["abs()", 0, "abs(number) is given 0 arguments"],
    ["pad_left(a, b, c, d)", 0, "pad_left(string, number, string?) is given 4 arguments"],
    ["a[::0]", 2, "a slice cannot have a step of 0"],
    ["{a: b c: d}", 6, "expected }, found c"],
    ["[a,]", 3, "unexpected ]"],
    ["&a", 0, "unexpected &; write && for and"],
    ["a = 'b'", 2, "unexpected =; write == to compare"],
    ["a === 'b'", 4, "unexpected =; write == to compare"],
    ["a and b", 2, "unexpected and; write &&"],
    ["a or b", 2, "unexpected or; write ||"],
    ["a in b", 2, "unexpected in; write contains(list, value)"],
    ["{{ a }} == 'b'", 1, "unexpected {; a name stands without braces"],
    ["", 0, "stops too early"],
    ["a[1:2:3:4]", 7, "expected ], found :"],
    ["a[1:-]", 5, "unexpected ]"],
    ["let $a = b on $a", 11, "expected in, found on"],
    ["!".repeat(200), 100, "nested too deeply"],
  ] as [string, number, string][])("%s at %i: %s", ([source, position, message]) => {
    expect(() => planJmespath(source)).toThrow(ExpressionSyntaxError);
    expect(() => planJmespath(source)).toThrow(expect.objectContaining({ position, message }));
  });
});

describe("a value that cannot be had", () => {
  test.for([
    ["length(`5`)", "length(string|array|object): argument 1 cannot be of type number"],
    ['sort(`[1, "a"]`)', "sort(number[]|string[]): argument 1 cannot be of type array"],
    ["a + `1`", "only numbers can be calculated with"],
    ["`1` / `0`", "division by zero"],
    ["$x", "there is no variable $x"],
    ["`1e308` * `10`", "the result is not a number JSON has"],
    ['sort_by(`[{"a": 1}, {}]`, &a)', "item 1 cannot be compared by a value of type null"],
    ["pad_left('x', `1001`)", "pad: the width is more than 1000"],
    ["from_items(`[[1, 2]]`)", "from_items: item 0 has no text for a name"],
    ["pad_left('x', `-1`)", "pad: -1 is not a whole number"],
  ] as [string, string][])("%s: %s", ([source, message]) => {
    expect(() => run(source)).toThrow(EvaluationError);
    expect(() => run(source)).toThrow(message);
  });
});

describe("data", () => {
  test("a record that looks like an expression is a record", () => {
    const record = { expref: true, type: "literal", value: 7 };
    expect(run("type(@)", record)).toBe("object");
    expect(() => run("map(@, `[1]`)", record)).toThrow(
      "map(&any, array): argument 1 cannot be of type object",
    );
  });

  test("the result shares nothing with what was read, and reading changes nothing", () => {
    const root = { list: [{ a: [1] }], text: "x" };
    const before = structuredClone(root);
    const result = run("{list: list, merged: merge(@, {text: 'y'})}", root) as { list: { a: number[] }[] };
    result.list[0]!.a.push(2);
    expect(root).toEqual(before);
  });

  test("what is no JSON reads as null", () => {
    const root = { f: () => 1, u: undefined, list: [undefined, () => 1, 3] };
    expect(run("[f, u, list, list[0], list[*]]", root)).toEqual([null, null, [null, null, 3], null, [3]]);
  });

  test("a scope is read by name, by dotted key, and as a whole", () => {
    const scope = new Scope({ inputs: { n: 1 }, globals: { "vars.pcp": "Dr", foo: "A" } });
    expect(run('[inputs.n, vars.pcp, "vars.pcp", pcp, vars.foo, missing]', scope)).toEqual([
      1,
      "Dr",
      "Dr",
      "Dr",
      "A",
      null,
    ]);
    expect(run("contains(keys(@), 'foo') && @.foo == $.foo", scope)).toBe(true);
  });
});

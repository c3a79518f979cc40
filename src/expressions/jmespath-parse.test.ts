import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileExpression, evaluate } from "./expression.ts";
import { looseNegations } from "./jmespath-parse.ts";

describe("a ! that negates less than it seems to", () => {
  test.each<[string, number[]]>([
    ["!a.b", [0]],
    ["!local.ok && x", [0]],
    ["x || !a.b.c", [5]],
    ["!!a.b", [1, 0]],
    ["!a[0].b", [0]],
    ["!length(a).b", [0]],
    ["!a[]", [0]],
    ["!a[?b]", [0]],
    ["items[?!done.at]", [7]],
    ["!a.b && !c.d", [0, 8]],
  ])("is found: %s", (source, at) => expect(looseNegations(source)).toEqual(at));

  test.each([
    "!a",
    "!(a.b)",
    "(!a).b",
    "!a[0]",
    "!a[*].b",
    "!a && b.c",
    "!a == b.c",
    "!length(a)",
    "a.b != c.d",
    "'!a.b'",
    '"!a".b',
    "items[?!done].at",
  ])("is not: %s", (source) => expect(looseNegations(source)).toEqual([]));

  test("has no value whatever the data, where !(…) has one", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (ok) => {
        const value = (source: string) => {
          const compiled = compileExpression(source);
          if (!compiled.ok) throw new Error(compiled.message);
          return evaluate(compiled.expression, { local: { ok } });
        };
        expect(value("!local.ok")).toEqual({ ok: true, value: null });
        expect(value("!(local.ok)")).toEqual({ ok: true, value: expect.any(Boolean) });
      }),
    );
  });
});

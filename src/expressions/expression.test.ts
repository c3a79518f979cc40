import { describe, expect, test } from "vitest";
import { compileExpression, Expression, evaluate, isTrue, MAX_SOURCE_LENGTH } from "./expression.ts";
import { truthy } from "./json-value.ts";
import { Scope } from "./scope.ts";

const compiled = (expression: Expression) => {
  const compilation = compileExpression(expression);
  if (!compilation.ok) throw new Error(compilation.message);
  return compilation.expression;
};

describe("the language of an expression", () => {
  const root = { email: "ann@example.com", n: 3 };

  test.for([
    ["contains(email, '@')", true],
    [{ expression: "n > `2`" }, true],
    [{ type: "jp", expression: "n" }, 3],
    [{ type: "jmespath", expression: "length(email)" }, 15],
    [{ type: "cel", expression: 'email.contains("@") && n > 2' }, true],
  ] as [Expression, unknown][])("%j", ([expression, value]) => {
    expect(evaluate(compiled(expression), root)).toEqual({ ok: true, value });
  });

  test("the same text is another expression in the other language", () => {
    expect(evaluate(compiled("n == '3'"), root)).toEqual({ ok: true, value: false });
    expect(compileExpression("n == 3")).toMatchObject({ ok: false, position: 5 });
    expect(evaluate(compiled({ type: "cel", expression: "n == 3" }), root)).toEqual({
      ok: true,
      value: true,
    });
  });

  test("a case expression is accepted with a warning and never holds", () => {
    const compilation = compileExpression({ case: [{ value: 1 }] });
    expect(compilation).toMatchObject({ ok: true, warnings: [{ id: "reserved-expression-case" }] });
    expect(evaluate(compiled({ case: [] }), root)).toMatchObject({ ok: false });
    expect(isTrue(compiled({ case: [] }), root)).toBe(false);
  });

  test("what cannot be compiled says what and where", () => {
    expect(compileExpression("email ==")).toEqual({ ok: false, message: "stops too early", position: 8 });
    expect(compileExpression({ type: "cel", expression: "n > 2 && nope(n)" })).toEqual({
      ok: false,
      message: "there is no function nope()",
      position: 9,
    });
  });

  test.for(["jmespath", "cel"] as const)("%s too long or nested too deeply is not compiled", (type) => {
    const long = "a".repeat(MAX_SOURCE_LENGTH[type] + 1);
    const message = `longer than ${MAX_SOURCE_LENGTH[type]} characters`;
    expect(compileExpression({ type, expression: long })).toMatchObject({ ok: false, message });
    const deep = `${"(".repeat(51)}a${")".repeat(51)}`;
    expect(compileExpression({ type, expression: deep })).toMatchObject({ ok: false, position: 50 });
  });

  test("compiling again gives the same plan", () => {
    expect(compiled("n")).toBe(compiled({ type: "jp", expression: "n" }));
  });
});

describe("whether a condition holds", () => {
  test("null, false and whatever is empty do not; zero does", () => {
    const falsy = [null, undefined, false, "", [], {}];
    const held = [true, 0, "false", [null], { a: null }];
    expect([...falsy, ...held].map((value) => truthy(value))).toEqual([
      ...falsy.map(() => false),
      ...held.map(() => true),
    ]);
    for (const type of ["jmespath", "cel"] as const) {
      expect(falsy.map((a) => isTrue(compiled({ type, expression: "a" }), { a }))).toEqual(
        falsy.map(() => false),
      );
      expect(held.map((a) => isTrue(compiled({ type, expression: "a" }), { a }))).toEqual(
        held.map(() => true),
      );
    }
  });

  test("one that fails does not", () => {
    const scope = new Scope({ inputs: { n: "three" } });
    expect(isTrue(compiled({ type: "cel", expression: "inputs.n > 2" }), scope)).toBe(false);
    expect(isTrue(compiled("length(inputs.missing) > `2`"), scope)).toBe(false);
    expect(isTrue(compiled("!(inputs.missing)"), scope)).toBe(true);
  });
});

describe("an expression in a request", () => {
  test("without a type it is JMESPath, as the first of the shapes it fits", () => {
    expect(Expression.parse({ expression: "a" })).toEqual({ type: "jp", expression: "a" });
    expect(Expression.parse({ type: "cel", expression: "a" })).toEqual({ type: "cel", expression: "a" });
    expect(Expression.parse({ case: [{ if: "a", value: 1 }] })).toEqual({ case: [{ if: "a", value: 1 }] });
  });

  test.for([
    [{ type: "cel" }, ["expression"]],
    [{ type: "jp", expression: 3 }, ["expression"]],
    [{ type: "js", expression: "a" }, ["type"]],
    [{ case: 3 }, ["case"]],
    [{ case: [{ if: { type: "cel" } }] }, ["case", 0, "if"]],
  ] as [unknown, PropertyKey[]][])("%j is refused at its very place", ([value, path]) => {
    const { error } = Expression.safeParse(value);
    const [union] = error!.issues;
    const branches = union!.code === "invalid_union" ? union!.errors : [];
    const places = branches.map((issues) => issues.map((issue) => issue.path));
    expect(places).toContainEqual([path]);
  });

  test.for([5, null, [], true])("%j is none", (value) => {
    expect(Expression.safeParse(value).success).toBe(false);
  });
});

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { own } from "./member.ts";
import { Layer, Scope } from "./scope.ts";

describe("the scope of an expression", () => {
  test("a dotted global is found by its key and as a member", () => {
    const scope = new Scope({ globals: { "vars.pcp": "Dr. Adeyemi", "vars.a.b.c": 1, "x.y": 2 } });
    expect(scope.get("vars.pcp")).toBe("Dr. Adeyemi");
    expect(scope.get("vars")).toMatchObject({ pcp: "Dr. Adeyemi", a: { b: { c: 1 } } });
    expect(scope.get("x")).toEqual({ y: 2 });
  });

  test("the exact key wins over a nested value of the same path", () => {
    const scope = new Scope({ globals: { vars: { pcp: "nested", other: 1 }, "vars.pcp": "exact" } });
    expect(scope.get("vars")).toMatchObject({ pcp: "exact", other: 1 });
  });

  test("a plain value is not replaced by a longer key below it", () => {
    const scope = new Scope({ globals: { a: "plain", "a.b": 1 } });
    expect([scope.get("a"), scope.get("a.b")]).toEqual(["plain", 1]);
  });

  test("`foo` and `vars.foo` stand in for each other when only one exists", () => {
    const scope = new Scope({
      globals: { foo: "A", "vars.bar": "B", both: "bare", "vars.both": "prefixed" },
    });
    expect([scope.get("bar"), scope.lookup("vars.foo")]).toEqual(["B", "A"]);
    expect([scope.get("both"), scope.lookup("vars.both")]).toEqual(["bare", "prefixed"]);
  });

  test("no global takes the place of inputs, local or output", () => {
    const globals = { inputs: "g", "inputs.email": "g", "local.x": "g", output: "g" };
    const scope = new Scope({ inputs: { email: "a@b" }, globals });
    expect(scope.get("inputs")).toEqual({ email: "a@b" });
    expect([scope.get("inputs.email"), scope.get("local"), scope.get("output")]).toEqual(
      Array(3).fill(undefined),
    );
  });

  test("the session is what was given, else the system's variables", () => {
    const globals = { "vars.session.date": "2025-01-02" };
    expect(new Scope({ globals }).get("session")).toEqual({ date: "2025-01-02" });
    expect(new Scope({ session: { id: "s1" } }).lookup("session.id")).toBe("s1");
    expect(new Scope({ session: { id: "s1" } }).lookup("vars.session.id")).toBe("s1");
  });

  test("state is never changed by being read", () => {
    const contact = Object.freeze({ name: "Ann" });
    const globals = Object.freeze({
      "vars.contact": contact,
      "vars.contact.email": "a@b",
      x: Object.freeze({}),
      "x.y": 1,
    });
    const scope = new Scope({ globals });
    expect(scope.get("vars")).toMatchObject({ contact: { name: "Ann", email: "a@b" } });
    expect(scope.get("x")).toEqual({ y: 1 });
    expect(contact).toEqual({ name: "Ann" });
  });

  test.for([
    "constructor",
    "__proto__",
    "toString",
    "inputs.constructor",
    "vars.__proto__.x",
    "vars.constructor",
  ])("%s is not a name", (name) => {
    expect(new Scope({ inputs: {}, globals: { "vars.a": 1 } }).lookup(name)).toBeUndefined();
  });

  test("a key with __proto__ in it reaches no prototype", () => {
    const scope = new Scope({ globals: { "vars.__proto__.polluted": true, "__proto__.polluted": true } });
    scope.all();
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    expect(scope.lookup("vars.__proto__.polluted")).toBe(true);
  });

  test("a key of a thousand parts is found by its name alone", () => {
    const key = `a${".b".repeat(1_000)}`;
    const scope = new Scope({ globals: { [key]: 1 } });
    expect([scope.get(key), scope.get("a")]).toEqual([1, {}]);
  });

  test("templates read paths of every part of it", () => {
    const scope = new Scope({
      inputs: { list: [{ id: 7 }] },
      local: { n: 1 },
      globals: { "vars.c": { d: "e" } },
    });
    const values = ["inputs.list.0.id", "local.n", "vars.c.d", "c.d", "c.missing.deep"].map(scope.lookup);
    expect(values).toEqual([7, 1, "e", "e", undefined]);
  });

  test("layers are one record in which the later ones win", () => {
    fc.assert(
      fc.property(fc.array(GLOBALS, { maxLength: 4 }), (records) => {
        const layered = new Scope({ globals: records.map((members) => new Layer(members)) });
        const merged = new Scope({ globals: Object.assign({}, ...records) });
        expect(layered.all()).toEqual(merged.all());
        for (const name of NAMES) expect(layered.lookup(name)).toEqual(merged.lookup(name));
      }),
    );
  });

  test("one variable is the same alone as among all of `vars`", () => {
    const part = fc.option(fc.dictionary(PART, VALUE, { maxKeys: 2 }), { nil: undefined });
    fc.assert(
      fc.property(GLOBALS, part, part, (globals, vars, session) => {
        const all = new Scope({ globals, vars, session }).get("vars");
        for (const name of ["a", "b", "vars", "session", "inputs", "a.b", ""]) {
          expect(new Scope({ globals, vars, session }).variable(name)).toEqual(own(all, name));
        }
      }),
    );
  });
});

const PART = fc.constantFrom("a", "b", "vars", "session", "inputs", "");
const NAMES = [
  "a",
  "vars.a",
  "vars.a.b",
  "a.b",
  "b",
  "vars.b.a",
  "vars",
  "session",
  "session.a",
  "vars.vars.a",
];
const VALUE = fc.oneof(
  fc.constantFrom(null, undefined, 1, "text"),
  fc.dictionary(fc.constantFrom("a", "b"), fc.constantFrom(1, 2), { maxKeys: 2 }),
);
const GLOBALS = fc.dictionary(
  fc.array(PART, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(".")),
  VALUE,
  { maxKeys: 6 },
);

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rounds } from "../../test/harness/seed.ts";
import { compileExpression, evaluate } from "./expression.ts";
import { MAX_STEPS } from "./meter.ts";
import { Scope } from "./scope.ts";
import { TIME_LIMIT_MS } from "./timer.ts";

type Language = "jmespath" | "cel";

/** What an expression gives over a root, whether or not it compiles, and how long the processor worked for it. */
function outcome(type: Language, expression: string, root: unknown) {
  const compilation = compileExpression({ type: type as "cel", expression });
  const before = process.threadCpuUsage();
  const evaluation = compilation.ok ? evaluate(compilation.expression, root) : compilation;
  const { user, system } = process.threadCpuUsage(before);
  return { compiled: compilation.ok, evaluation, cpu_ms: (user + system) / 1_000 };
}

const times = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));

const large = {
  numbers: times(50_000, (i) => i % 7),
  texts: times(2_000, (i) => `${"x".repeat(1_000)}${i}`),
  records: times(5_000, (i) => ({ a: i, b: `t${i}`, c: { d: [i, i] } })),
  members: Object.fromEntries(times(20_000, (i) => [`k${i}`, i])),
  others: Object.fromEntries(times(20_000, (i) => [`k${i}`, i === 0 ? -1 : i])),
  text: "a".repeat(1_000_000),
  spaces: `${" ".repeat(100_000)}x${" ".repeat(100_000)}`,
  deep: JSON.parse("[".repeat(3_000) + "]".repeat(3_000)),
};
const literal = `[${times(200, (i) => i % 10)}]`;

describe("no expression takes long", () => {
  /** The bound is 150 ms for a first run; the rest is for a machine with other work. */
  const MOST_MS = 5 * TIME_LIMIT_MS;

  test.for([
    ["cel", `${literal}.exists(a, ${literal}.exists(b, ${literal}.exists(c, a + b + c < 0)))`],
    ["cel", "numbers.all(x, numbers.all(y, x + y >= 0))"],
    ["cel", `numbers.exists(x, ${"x + ".repeat(40)}x < 0)`],
    ["cel", `texts.exists(x, ${"x.upperAscii() + ".repeat(20)}x == '')`],
    ["cel", "numbers.exists(x, timestamp('2025-01-01T00:00:00Z').getHours('Europe/Paris') == -1)"],
    ["cel", "numbers.exists(x, '%f'.format([1.5]) == '')"],
    ["cel", "numbers.map(x, [x, x]).map(x, [x, x]).map(x, [x, x]) == [numbers]"],
    ["cel", "records.filter(x, x.a > 3).map(x, x.c).map(x, x.d) == records"],
    ["cel", `[1]${".map(x, [x, x])".repeat(40)} == [2]`],
    ["cel", `[[1]]${".map(x, x + x)".repeat(40)}`],
    ["cel", `["abcdefgh"]${".map(x, x + x)".repeat(40)}`],
    ["cel", `[b"abcdefgh"]${".map(x, x + x)".repeat(40)}`],
    ["cel", "text.matches('^(a+)+$b')"],
    ["cel", "text.matches('(a|aa)*(.?){200}.{200}b')"],
    ["cel", "text.replace('a', text)"],
    ["cel", "text.replace('', text)"],
    ["cel", "texts.map(x, text).join(text)"],
    ["cel", "size(text) + size(text) + size(text) + size(text)"],
    ["cel", "records == records"],
    ["cel", "deep == deep"],
    ["cel", "'%s%s'.format([records, records])"],
    ["jmespath", "numbers[*].[@, @][] | [*].[@, @][] | [*].[@, @][] | [*].[@, @][]"],
    ["jmespath", `@${" | [@, @]".repeat(100)} | @ == @`],
    ["jmespath", `let $a = @ in ${"let $a = [$a, $a] in ".repeat(60)}to_string($a)`],
    ["jmespath", "records[*].records[*].a"],
    ["jmespath", "map(&map(&map(&@, $.numbers), $.numbers), numbers)"],
    ["jmespath", "map(&sort($.texts), numbers)"],
    ["jmespath", "map(&join('', $.texts), numbers)"],
    ["jmespath", "map(&pad_left('x', `1000`), numbers)"],
    ["jmespath", "pad_left('x', `1000000000`)"],
    ["jmespath", "replace(text, 'a', 'b', `1000000000`)"],
    ["jmespath", "replace(text, 'a', text)"],
    ["jmespath", "trim(spaces)"],
    ["jmespath", "text[::-1]"],
    ["jmespath", "texts[?@ == $.texts[1999]]"],
    ["jmespath", "to_string(@)"],
    ["jmespath", "deep == deep && to_string(deep)"],
    ["jmespath", "@ == @"],
    // An object's members are listed to count them, to tell whether there are any, and to compare them.
    ["jmespath", "numbers[?length($.members) == `0`]"],
    ["jmespath", "numbers[?!$.members]"],
    ["jmespath", "numbers[?$.members.*]"],
    ["jmespath", "numbers[?keys($.members)]"],
    ["jmespath", "numbers[?$.members == $.others]"],
    ["jmespath", `merge(${"members, ".repeat(700)}members)`],
    ["jmespath", "texts[?find_last($.text, 'aab')]"],
    ["jmespath", "texts[?trim($.text) == 'b']"],
    ["jmespath", "texts[?reverse($.text) == 'b']"],
    ["cel", "numbers.exists(x, size(members) == 0)"],
    ["cel", "numbers.exists(x, members == others)"],
  ] as [Language, string][])("%s %s", ([language, source]) => {
    const { compiled, cpu_ms } = outcome(language, source, large);
    expect(compiled).toBe(true);
    expect(cpu_ms).toBeLessThan(MOST_MS);
  });

  test("a scope of many variables is made into one object once", () => {
    const globals = Object.fromEntries(times(5_000, (i) => [`field_${i}`, i]));
    const scope = new Scope({ globals, local: { list: times(2_000, (i) => i) } });
    for (const source of ["local.list[?$]", "local.list[?@ == $]", "local.list[?$.vars]"]) {
      const { compiled, cpu_ms } = outcome("jmespath", source, scope);
      expect(compiled).toBe(true);
      expect(cpu_ms).toBeLessThan(MOST_MS);
    }
  });

  test("what was stopped is said, and the next evaluation works as ever", () => {
    expect(outcome("jmespath", "map(&$.numbers[*], numbers)", large).evaluation).toEqual({
      ok: false,
      message: `the expression needs more than ${MAX_STEPS} steps`,
    });
    expect(outcome("cel", "numbers.map(x, numbers.map(y, y * 2))", large).evaluation).toMatchObject({
      ok: false,
    });
    expect(
      outcome("cel", `${literal}.map(a, ${literal}.all(b, ${literal}.all(c, c >= 0)))`, {}).evaluation,
    ).toEqual({
      ok: false,
      message: `the expression ran for more than ${TIME_LIMIT_MS} ms`,
    });
    expect(outcome("cel", "[1, 2].map(x, x + 1)", large).evaluation).toEqual({ ok: true, value: [2, 3] });
  });
});

const INHERITED = [
  "constructor",
  "__proto__",
  "prototype",
  "toString",
  "valueOf",
  "hasOwnProperty",
  "__defineGetter__",
];

describe("nothing is reached but the data", () => {
  const root = { record: { a: 1 }, list: [1], text: "x", n: 1 };
  const places = ["", "record.", "list.", "text.", "n.", "record.a.", "missing."];

  test.for(INHERITED)("%s is no member of anything", (name) => {
    for (const place of places) {
      for (const of of [root, new Scope({ inputs: root, globals: root }), Object.create({ [name]: 1 })]) {
        const path = `${place}${name}`;
        expect(outcome("jmespath", path, of).evaluation).toEqual({ ok: true, value: null });
        const { evaluation } = outcome("cel", path, of);
        expect(evaluation.ok ? evaluation.value : null).toBeNull();
      }
    }
    for (const made of [
      `{a: n}.${name}`,
      `{a: n} | ${name}`,
      `\`{"a": 1}\`.${name}`,
      `merge(record, {b: n}).${name}`,
    ]) {
      expect(outcome("jmespath", made, root).evaluation).toEqual({ ok: true, value: null });
    }
    expect(outcome("jmespath", `${name}(@)`, root).evaluation).toMatchObject({ ok: false });
    expect(outcome("cel", `{"a": 1}.${name}`, root).evaluation).toMatchObject({ ok: false });
    expect(outcome("cel", `"a".${name}()`, root).evaluation).toMatchObject({ ok: false });
  });

  test("data may have members of such names, and they are plain data", () => {
    const own = JSON.parse('{"__proto__": {"a": 1}, "constructor": 2}');
    for (const type of ["jmespath", "cel"] as const) {
      expect(outcome(type, "__proto__.a", own).evaluation).toEqual({ ok: true, value: 1 });
      expect(outcome(type, "constructor", own).evaluation).toEqual({ ok: true, value: 2 });
    }
    const { evaluation } = outcome("jmespath", '{"__proto__": n, keys: keys(@)}', root);
    expect(JSON.stringify(evaluation)).toContain('"__proto__":1');
    expect(Object.getPrototypeOf((evaluation as { value: object }).value)).toBe(Object.prototype);
  });
});

/** A program that may or may not be one, out of the words of its language. */
function sources(words: string[]): fc.Arbitrary<string> {
  const [names, marks] = [
    fc.constantFrom(...words, ...INHERITED),
    fc.constantFrom(..."()[]{}.,:*?@$&|!<>=+-/%`'\" 123"),
  ];
  const soup = fc.array(fc.oneof(names, marks, fc.string({ maxLength: 3 })), { maxLength: 25 });
  return soup.map((parts) => parts.join(""));
}

/** Programs that mostly are. */
const jmespath = fc.letrec<{ any: string }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 5, depthSize: "medium" },
    fc.constantFrom(
      "@",
      "$",
      "a",
      "b",
      "c.d",
      "list",
      "`3`",
      '`{"a": [1]}`',
      "'x'",
      "*",
      "[*]",
      "[]",
      "[::-1]",
      ...INHERITED,
    ),
    fc
      .tuple(tie("any"), fc.constantFrom(".a", "[*]", "[]", "[0]", "[1:]", ".*", "[?a]", "[?@ > `1`].b"))
      .map((p) => p.join("")),
    fc
      .tuple(tie("any"), fc.constantFrom(" || ", " && ", " | ", " == ", " < ", " + ", " * "), tie("any"))
      .map((p) => p.join("")),
    fc
      .tuple(
        fc.constantFrom(
          "length",
          "keys",
          "values",
          "to_string",
          "sort",
          "max",
          "reverse",
          "to_array",
          "type",
          "items",
          "sum",
        ),
        tie("any"),
      )
      .map(([f, a]) => `${f}(${a})`),
    fc
      .tuple(
        fc.constantFrom("join", "contains", "merge", "zip", "split", "pad_left", "replace"),
        tie("any"),
        tie("any"),
      )
      .map(([f, a, b]) => `${f}(${a}, ${b})`),
    fc
      .tuple(fc.constantFrom("sort_by", "group_by", "max_by"), tie("any"), tie("any"))
      .map(([f, a, b]) => `${f}(${a}, &${b})`),
    fc.tuple(tie("any"), tie("any")).map(([a, b]) => `map(&${a}, ${b})`),
    fc.tuple(tie("any"), tie("any")).map(([a, b]) => `let $x = ${a} in [$x, ${b}]`),
    tie("any").map((a) => `{a: ${a}, "b": @}`),
  ),
})).any;

const cel = fc.letrec<{ any: string }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 5, depthSize: "medium" },
    fc.constantFrom(
      "a",
      "b",
      "c.d",
      "list",
      "3",
      "1.5",
      "'x'",
      "b'y'",
      "null",
      "true",
      "[1, 2]",
      "{'a': 1}",
      "2u",
      ...INHERITED,
    ),
    fc
      .tuple(
        tie("any"),
        fc.constantFrom(".a", "[0]", "['a']", ".size()", ".upperAscii()", ".matches('(a+)+$')"),
      )
      .map((p) => p.join("")),
    fc
      .tuple(tie("any"), fc.constantFrom(" || ", " && ", " == ", " < ", " + ", " - ", " in "), tie("any"))
      .map(([a, o, b]) => `(${a}${o}${b})`),
    fc
      .tuple(tie("any"), fc.constantFrom("exists", "all", "map", "filter"), tie("any"))
      .map(([a, m, b]) => `${a}.${m}(x, ${b})`),
    fc
      .tuple(tie("any"), fc.constantFrom("split", "join", "replace", "contains", "format"), tie("any"))
      .map(([a, m, b]) => `${a}.${m}(${b})`),
    fc.tuple(tie("any"), tie("any"), tie("any")).map(([a, b, c]) => `(${a} ? ${b} : ${c})`),
    fc
      .tuple(fc.constantFrom("size", "type", "string", "int", "dyn", "duration", "timestamp"), tie("any"))
      .map(([f, a]) => `${f}(${a})`),
    tie("any").map((a) => `[${a}, ${a}]`),
  ),
})).any;

const key = fc.constantFrom("a", "b", "c", "d", "list", ...INHERITED);
const data = fc.dictionary(
  key,
  fc.letrec((tie) => ({
    json: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(null, true, false, 0, -1, 1.5, 2 ** 60, "", "x", "ann@example.com"),
      fc.string({ maxLength: 20 }),
      fc.array(tie("json"), { maxLength: 8 }),
      fc.dictionary(key, tie("json"), { maxKeys: 5 }),
    ),
  })).json,
  { maxKeys: 6 },
);

describe("any program over any data", () => {
  const programs: [Language, fc.Arbitrary<string>][] = [
    ["jmespath", fc.oneof(jmespath, sources(["let", "in", "$x", "sort_by(", "&&", "||", "[?", "a", "list"]))],
    ["cel", fc.oneof(cel, sources(["exists(", "map(", "has(", "in", "&&", "||", "null", "a", "list", "b'"]))],
  ];

  test.for(programs)(
    "in %s ends in time with JSON or a reason, and leaves the data as it was",
    ([language, program]) => {
      fc.assert(
        fc.property(program, data, (source, root) => {
          const before = JSON.stringify(root);
          const { evaluation, cpu_ms } = outcome(language, source, root);
          expect(cpu_ms).toBeLessThan(5 * TIME_LIMIT_MS);
          if (evaluation.ok) expect(evaluation.value).toEqual(JSON.parse(JSON.stringify(evaluation.value)));
          else expect(evaluation.message).not.toBe("");
          expect(JSON.stringify(root)).toBe(before);
          expect(Object.keys(Object.prototype)).toEqual([]);
        }),
        { numRuns: rounds(1_000) },
      );
    },
  );
});

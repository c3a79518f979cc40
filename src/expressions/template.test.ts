// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are the templates under test
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { processorMs } from "../../test/harness/processor-time.ts";
import { renderDeep, renderFormat, renderTemplate, variableLookup } from "./template.ts";

const lookup = variableLookup({
  foo: "A",
  "vars.bar": "B",
  "vars.session.date": "2025-01-02",
  "vars.contact": { email: "ann@example.com", phones: ["+1", { kind: "home" }] },
  trip: { to: "Rome" },
  count: 3,
  vip: false,
  nothing: null,
  empty: "",
  form: "{{ foo }}${foo}{foo}",
});

const render = (text: string) => renderTemplate(text, lookup);

describe("the three forms", () => {
  test.for([
    ["Hi {{ foo }}/{{foo}}", "Hi A/A"],
    ["x{{missing}}y", "xy"],
    ["${missing=def}", "def"],
    ["${missing}", ""],
    ["${missing=$vars.bar}", "B"],
    ["${ foo }", "${ foo }"],
    ["{foo} {missing}", "A {missing}"],
    ["{{ bar }}", "B"],
    ["{{ vars.foo }}", "A"],
    ["{{missing=def}}", ""],
    ['{"a": 1}', '{"a": 1}'],
    ["{{ vars.session.date }}", "2025-01-02"],
  ])("%j renders as %j", ([text, rendered]) => {
    expect(render(text!)).toBe(rendered);
  });

  test.for([
    ["${foo=def}", "A"],
    ["${missing=}", ""],
    ["${missing=$other}", ""],
    ["${missing=$5 off}", "$5 off"],
    ["${missing=two words, {and} more}", "two words, {and more}"],
    ["Costs ${{ count }}", "Costs $3"],
    ["{{{foo}}}", "{A}"],
    ["{{foo}", "{A"],
    ["{{ foo", "{{ foo"],
    ["{{foo=x}}", ""],
    ["{{\tfoo\n}}", "A"],
    ["{{first-name}} {first-name}", "{{first-name}} {first-name}"],
    ["{ foo } {}", "{ foo } {}"],
    ["${foo-bar} ${", "${foo-bar} ${"],
    ["{{ empty }}|${empty=x}|{empty}", "||"],
  ])("at the edges %j renders as %j", ([text, rendered]) => {
    expect(render(text!)).toBe(rendered);
  });

  test("a name may use the letters of any script", () => {
    const names = variableLookup({ größe: "42", नाम: "Asha" });
    expect(renderTemplate("{{ größe }} {नाम}", names)).toBe("42 Asha");
  });

  test("whatever is no text is written as JSON, and null is a gap like any other", () => {
    expect(render("{{count}} {vip} {{trip}}")).toBe('3 false {"to":"Rome"}');
    expect(render("{{nothing}}|${nothing=none}|{nothing}")).toBe("|none|{nothing}");
  });

  test("a value is never expanded again", () => {
    expect(render("{{ form }}|${form}|{form}|${missing={{foo}}}")).toBe(
      "{{ foo }}${foo}{foo}|{{ foo }}${foo}{foo}|{{ foo }}${foo}{foo}|{{foo}}",
    );
  });

  test("a backslash keeps an opening from opening, and is no backslash elsewhere", () => {
    expect(render("\\{foo} \\{{foo}} \\${foo} \\$5")).toBe("{foo} {{foo}} ${foo} $5");
    expect(render("C:\\new \\d+ \\\\ \\")).toBe("C:\\new \\d+ \\\\ \\");
  });

  test("every gap is reported, but not one with a fallback of its own", () => {
    const missing: string[] = [];
    renderTemplate("{{a}} ${b} ${c=x} ${d=$e} {f} {{foo}}", lookup, {
      onMissing: (name) => missing.push(name),
    });
    expect(missing).toEqual(["a", "b", "e", "f"]);
  });
});

describe("looking a variable up", () => {
  test("the exact key wins over the one with or without the prefix", () => {
    const both = variableLookup({ x: "bare", "vars.x": "prefixed" });
    expect([both("x"), both("vars.x")]).toEqual(["bare", "prefixed"]);
  });

  test("a dotted name is followed into nested values, the longest key first", () => {
    expect(render("{{ vars.contact.email }} {{contact.email}} {{ vars.trip.to }}")).toBe(
      "ann@example.com ann@example.com Rome",
    );
    expect(render("{{contact.phones.0}} {{contact.phones.1.kind}} [{{contact.phones.2}}]")).toBe(
      "+1 home []",
    );
    const nested = variableLookup({ a: { "b.c": "no", b: { c: "short" } }, "a.b": { c: "long" } });
    expect(nested("a.b.c")).toBe("long");
  });

  test.for([
    "constructor",
    "__proto__",
    "toString",
    "trip.constructor",
    "contact.phones.length",
    "trip.__proto__",
  ])("%s is not a variable", (name) => {
    expect(lookup(name)).toBeUndefined();
    expect(variableLookup(Object.assign(Object.create(null), { a: "x" }))(name)).toBeUndefined();
  });

  test("only a variable somebody set is found under such a name", () => {
    expect(variableLookup(JSON.parse('{"__proto__": "mine"}'))("__proto__")).toBe("mine");
  });
});

describe("format strings of tool defaults", () => {
  test.for([
    ["The {foo}", "The A"],
    ["Hello, {vars.contact.email}!", "Hello, ann@example.com!"],
    ["{{foo}} {{{foo}}}", "{foo} {A}"],
    ["{missing} {} {foo bar} {count!r}", "{missing} {} {foo bar} {count!r}"],
    ["${foo} {count}", "$A 3"],
    ["a } b { c", "a } b { c"],
  ])("%j becomes %j", ([text, formatted]) => {
    expect(renderFormat(text!, lookup)).toBe(formatted);
  });

  test("a name without a value keeps its text and is reported", () => {
    const missing: string[] = [];
    expect(renderFormat("{a}{{b}}", lookup, { onMissing: (name) => missing.push(name) })).toBe("{a}{b}");
    expect(missing).toEqual(["a"]);
  });
});

describe("templates inside JSON", () => {
  test("every text is rendered, keys and other values stay", () => {
    const value = { a: "{{foo}}", b: [1, null, true, ["${bar}"]], "{{foo}}": { c: "{foo}" } };
    expect(renderDeep(value, lookup)).toEqual({ a: "A", b: [1, null, true, ["B"]], "{{foo}}": { c: "A" } });
  });

  test("a key named __proto__ stays plain data", () => {
    const rendered = renderDeep(JSON.parse('{"__proto__": {"x": "{{foo}}"}}'), lookup) as object;
    expect(JSON.stringify(rendered)).toBe('{"__proto__":{"x":"A"}}');
    expect(Object.getPrototypeOf(rendered)).toBe(Object.prototype);
  });

  test("a value nested without end is not an overflow", () => {
    const deep = JSON.parse(`${"[".repeat(5_000)}"{{foo}}"${"]".repeat(5_000)}`);
    expect(() => renderDeep(deep, lookup)).not.toThrow();
  });
});

describe("any text", () => {
  const name = fc.constantFrom("foo", "vars.bar", "missing", "trip.to", "a.b", "x");
  const fragment = fc.oneof(
    fc.constantFrom("{", "}", "{{", "}}", "$", "${", "\\", "=", " ", "=$", "\n", "é", "😀"),
    fc.string({ maxLength: 5 }),
    name,
    name.map((of) => `{{ ${of} }}`),
    name.map((of) => `\${${of}=else}`),
    name.map((of) => `{${of}}`),
  );
  const text = fc.array(fragment, { maxLength: 30 }).map((parts) => parts.join(""));

  test("renders without throwing, and so as a format", () => {
    fc.assert(
      fc.property(text, (any) => {
        expect(typeof render(any)).toBe("string");
        expect(typeof renderFormat(any, lookup)).toBe("string");
      }),
    );
  });

  test("comes out as it is when every brace and dollar is escaped", () => {
    fc.assert(
      fc.property(text, (any) => {
        expect(render(any.replace(/[{$]/g, "\\$&"))).toBe(any);
      }),
    );
  });

  test("comes out as it is when it has no openings", () => {
    fc.assert(
      fc.property(text, (any) => {
        const plain = any.replace(/[{$\\]/g, "");
        expect(render(plain)).toBe(plain);
      }),
    );
  });

  test("stands in the result unchanged when it is a value, whatever is around it", () => {
    fc.assert(
      fc.property(
        text,
        fc.constantFrom("{{v}}", "{{ v }}", "${v}", "${v=x}", "{v}", "${none=$v}"),
        (any, form) => {
          const around = renderTemplate(`<${form}>{{none}}`, variableLookup({ v: any }));
          expect(around).toBe(`<${any}>`);
        },
      ),
    );
  });

  test("of a hostile megabyte takes less than a second", () => {
    const hostile = [
      "{",
      "{{",
      "{{a",
      "{{a=",
      "{{ ",
      "${",
      "${a",
      "${a=",
      "\\{",
      "}",
      "{a.",
      "{a}",
      "${a=}",
      "a",
    ];
    for (const unit of hostile) {
      for (const of of [render, (any: string) => renderFormat(any, lookup)]) {
        const megabyte = unit.repeat(1_000_000 / unit.length);
        expect(
          processorMs(() => of(megabyte)),
          `ms for ${unit}`,
        ).toBeLessThan(1_000);
      }
    }
  });
});

test("what values put in has an end, after which a text stays as it is written", () => {
  const long = "x".repeat(1_000_000);
  const lookup = () => long;
  expect(renderTemplate("{{ a }}".repeat(1_000), lookup)).toBe(long.repeat(4) + "{{ a }}".repeat(996));
  expect(renderFormat("{a}".repeat(1_000), lookup)).toBe(long.repeat(4) + "{a}".repeat(996));
  const list = renderDeep(Array(1_000).fill("{{ a }}"), lookup) as string[];
  expect(list.filter((item) => item === long)).toHaveLength(4);
  expect(list.at(-1)).toBe("{{ a }}");
});

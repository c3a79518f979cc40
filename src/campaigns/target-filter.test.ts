import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rounds } from "../../test/harness/seed.ts";
import {
  bucketOf,
  type Enrichment,
  type FilterSettings,
  filterTarget,
  lookupFields,
} from "./target-filter.ts";

type Filters = NonNullable<FilterSettings["target_filters"]>;
type Rule = Filters["rules"][number];

const rule = (field: string, op: Rule["op"], ...values: string[]): Rule => ({ field, op, values });
const filters = (rules: Rule[], more: Partial<Filters> = {}): FilterSettings => ({
  target_filters: { match: "all", on_unknown: "include", rules, ...more },
  allowed_line_types: null,
  include_unknown_line_types: true,
});
const legacy = (
  allowed_line_types: string[] | null,
  include_unknown_line_types: boolean,
): FilterSettings => ({
  target_filters: null,
  allowed_line_types,
  include_unknown_line_types,
});
const passes = (settings: FilterSettings, enrichment: Enrichment | null) =>
  filterTarget(settings, enrichment).kind === "pass";

/** Every way in which a value can be there or not, beside one rule's `wanted`. */
const ANSWERS = {
  line_type: { same: "mobile", other: "landline", unresolved: [undefined, null, "", "unknown", "UNKNOWN"] },
  caller_type: {
    same: "CONSUMER",
    other: "BUSINESS",
    unresolved: [undefined, null, "", "UNDETERMINED", "undetermined"],
  },
  carrier_name: { same: "Verizon", other: "verizon", unresolved: [undefined, null, ""] },
  mcc: { same: "310", other: "311", unresolved: [undefined, null, ""] },
} as const;

/** What a rule says of a value that is the wanted one, another one, or not known: p(ass), f(ail), u(nresolved). */
const TABLE = { in: "pfu", eq: "pfu", not_in: "fpu", neq: "fpu", exists: "ppf", not_exists: "ffp" } as const;

describe("one rule: every operator, every kind of value, every setting", () => {
  const cases = Object.entries(TABLE).flatMap(([op, outcomes]) =>
    Object.entries(ANSWERS).flatMap(([field, { same, other, unresolved }]) =>
      [same, other, ...unresolved].flatMap((value, index) =>
        (["include", "exclude"] as const).flatMap((on_unknown) =>
          (["all", "any"] as const).map((match) => {
            const outcome = outcomes[Math.min(index, 2)];
            const passed = outcome === "p" || (outcome === "u" && on_unknown === "include");
            return { op: op as Rule["op"], field, wanted: same, value, on_unknown, match, passed };
          }),
        ),
      ),
    ),
  );
  test("are more than 200 cases", () => expect(cases.length).toBeGreaterThan(200));

  test.each(cases)("$field $value, $op $wanted, $match, $on_unknown: $passed", (one) => {
    const settings = filters([rule(one.field, one.op, one.wanted)], {
      match: one.match,
      on_unknown: one.on_unknown,
    });
    const enrichment = one.value === undefined ? {} : { [one.field]: one.value };
    expect(passes(settings, enrichment)).toBe(one.passed);
    if (one.value === undefined) expect(passes(settings, null)).toBe(one.passed);
  });
});

describe("two rules: what each contributes, and what the two come to", () => {
  const BOTH = [rule("line_type", "in", "mobile"), rule("caller_type", "in", "CONSUMER")];
  const answers = {
    p: ["mobile", "CONSUMER"],
    f: ["landline", "BUSINESS"],
    u: [undefined, "UNDETERMINED"],
  } as const;
  const cases = (["p", "f", "u"] as const).flatMap((first) =>
    (["p", "f", "u"] as const).flatMap((second) =>
      (["all", "any"] as const).flatMap((match) =>
        (["include", "exclude"] as const).map((on_unknown) => {
          const contributed = [first, second].map(
            (o) => o === "p" || (o === "u" && on_unknown === "include"),
          );
          const passed = match === "all" ? contributed.every(Boolean) : contributed.some(Boolean);
          return { first, second, match, on_unknown, passed };
        }),
      ),
    ),
  );
  test.each(cases)(
    "$first and $second, $match, $on_unknown: $passed",
    ({ first, second, passed, ...more }) => {
      const enrichment = { line_type: answers[first][0], caller_type: answers[second][1] };
      expect(passes(filters(BOTH, more), enrichment)).toBe(passed);
    },
  );

  test.each([
    ["all", { line_type: "mobile", caller_type: "CONSUMER" }, true],
    ["all", { line_type: "landline" }, false],
    ["all", { line_type: "mobile", caller_type: "UNDETERMINED" }, true],
    ["all", { line_type: "unknown", caller_type: "BUSINESS" }, false],
    ["any", { line_type: "landline" }, true],
    ["any", { line_type: "landline", caller_type: "BUSINESS" }, false],
  ] as const)("match %s, %j: %s", (match, enrichment, passed) => {
    expect(passes(filters(BOTH, { match }), enrichment)).toBe(passed);
  });
});

describe("allowed_line_types", () => {
  const cases = [null, [], ["mobile"], ["landline", "voip"], ["mobile", "landline", "voip"]].flatMap(
    (allowed) =>
      [
        "mobile",
        "landline",
        "fixedVoip",
        "nonFixedVoip",
        "tollFree",
        "premium",
        "pager",
        "unknown",
        null,
      ].flatMap((line_type) =>
        [true, false].map((include) => {
          const bucket = line_type && bucketOf(line_type);
          const passed = !allowed?.length || (bucket ? (allowed as string[]).includes(bucket) : include);
          return { allowed, line_type, include, passed };
        }),
      ),
  );
  test.each(cases)(
    "$allowed of $line_type, unknown ones $include: $passed",
    ({ allowed, include, line_type, passed }) => {
      expect(passes(legacy(allowed, include), line_type === null ? null : { line_type })).toBe(passed);
    },
  );

  test("count for nothing beside target_filters, even without rules", () => {
    expect(passes({ ...filters([]), allowed_line_types: ["voip"] }, { line_type: "mobile" })).toBe(true);
  });
});

describe("values", () => {
  test("of line_type and caller_type don't mind their case, all others do", () => {
    expect(passes(filters([rule("line_type", "eq", "MOBILE")]), { line_type: "Mobile" })).toBe(true);
    expect(passes(filters([rule("caller_type", "eq", "consumer")]), { caller_type: "CONSUMER" })).toBe(true);
    expect(passes(filters([rule("caller_name", "eq", "ada")]), { caller_name: "Ada" })).toBe(false);
  });
  test("of line_type may be a bucket", () => {
    expect(passes(filters([rule("line_type", "in", "voip")]), { line_type: "nonFixedVoip" })).toBe(true);
    expect(passes(filters([rule("line_type", "not_in", "voip")]), { line_type: "fixedVoip" })).toBe(false);
    expect(passes(filters([rule("line_type", "in", "fixedVoip")]), { line_type: "nonFixedVoip" })).toBe(
      false,
    );
  });
  test("that are no texts are compared as JSON, and inherited ones are none", () => {
    expect(passes(filters([rule("score", "eq", "7")]), { score: 7 })).toBe(true);
    expect(passes(filters([rule("constructor", "exists")]), {})).toBe(false);
  });
});

describe("a skipped request is told why", () => {
  const reason = (settings: FilterSettings, enrichment: Enrichment | null) => {
    const verdict = filterTarget(settings, enrichment);
    return verdict.kind === "skip" ? verdict.reason : null;
  };
  test.each([
    [
      filters([rule("line_type", "in", "mobile", "voip")]),
      { line_type: "landline" },
      "line_type landline fails rule 1 (line_type in mobile, voip)",
    ],
    [filters([rule("mcc", "exists")]), {}, "mcc is missing and fails rule 1 (mcc exists)"],
    [
      filters([rule("mcc", "eq", "310"), rule("mnc", "not_exists")], { on_unknown: "exclude" }),
      { mnc: "4" },
      "mnc 4 fails rule 2 (mnc not_exists)",
    ],
    [
      filters([rule("mcc", "eq", "310")], { on_unknown: "exclude" }),
      null,
      "mcc is unknown for rule 1 (mcc eq 310)",
    ],
    [
      filters([rule("mcc", "eq", "310"), rule("mnc", "in", "1", "2")], { match: "any" }),
      { mcc: "311", mnc: "4" },
      "none of 2 rules passes: mcc 311 fails rule 1 (mcc eq 310); mnc 4 fails rule 2 (mnc in 1, 2)",
    ],
    [
      legacy(["mobile"], true),
      { line_type: "landline" },
      "line_type landline is not among allowed_line_types (mobile)",
    ],
    [legacy(["mobile"], false), null, "line_type is unknown, which is none of mobile, landline, voip"],
    [legacy(["mobile"], false), { line_type: "pager" }, "line_type pager is none of mobile, landline, voip"],
  ])("%j", (settings, enrichment, expected) => expect(reason(settings, enrichment)).toBe(expected));
});

describe("for all filters and enrichments", () => {
  const anyRule = fc.record({
    field: fc.constantFrom("line_type", "caller_type", "mcc", "mnc"),
    op: fc.constantFrom(...(Object.keys(TABLE) as Rule["op"][])),
    values: fc.array(fc.constantFrom("mobile", "landline", "voip", "CONSUMER", "310", "1"), { maxLength: 3 }),
  });
  const anyFilters = fc.record({
    match: fc.constantFrom("all" as const, "any" as const),
    on_unknown: fc.constantFrom("include" as const, "exclude" as const),
    rules: fc.array(anyRule, { minLength: 1, maxLength: 5 }),
  });
  const anyEnrichment = fc.dictionary(
    fc.constantFrom("line_type", "caller_type", "mcc", "mnc"),
    fc.constantFrom(
      "mobile",
      "landline",
      "fixedVoip",
      "unknown",
      "CONSUMER",
      "UNDETERMINED",
      "310",
      "1",
      null,
    ),
  );
  const settingsOf = (target_filters: Filters): FilterSettings => ({ ...filters([]), target_filters });

  test("the order of rules decides nothing", () => {
    fc.assert(
      fc.property(anyFilters, anyEnrichment, (one, enrichment) => {
        const turned = { ...one, rules: one.rules.toReversed() };
        expect(passes(settingsOf(turned), enrichment)).toBe(passes(settingsOf(one), enrichment));
      }),
      { numRuns: rounds(500) },
    );
  });

  test("`all` passes where each rule alone does, `any` where one does", () => {
    fc.assert(
      fc.property(anyFilters, anyEnrichment, (one, enrichment) => {
        const alone = one.rules.map((single) => passes(settingsOf({ ...one, rules: [single] }), enrichment));
        const expected = one.match === "all" ? alone.every(Boolean) : alone.some(Boolean);
        expect(passes(settingsOf(one), enrichment)).toBe(expected);
      }),
      { numRuns: rounds(500) },
    );
  });

  test("excluding what is unknown never lets more through", () => {
    fc.assert(
      fc.property(anyFilters, anyEnrichment, (one, enrichment) => {
        if (passes(settingsOf({ ...one, on_unknown: "exclude" }), enrichment)) {
          expect(passes(settingsOf({ ...one, on_unknown: "include" }), enrichment)).toBe(true);
        }
      }),
      { numRuns: rounds(500) },
    );
  });

  test("with `all`, a rule that definitively fails skips the request, whatever is unknown", () => {
    fc.assert(
      fc.property(anyFilters, anyEnrichment, (one, enrichment) => {
        const failing = rule("carrier_name", "eq", "Verizon");
        const all = { ...one, match: "all" as const, rules: [...one.rules, failing] };
        expect(passes(settingsOf(all), { ...enrichment, carrier_name: "Other" })).toBe(false);
      }),
      { numRuns: rounds(500) },
    );
  });
});

describe("only what the rules name is looked up", () => {
  test.each([
    [filters([]), []],
    [filters([rule("line_type", "exists")]), ["line_type"]],
    [filters([rule("mcc", "eq", "1"), rule("mnc", "eq", "1"), rule("carrier_name", "exists")]), ["carrier"]],
    [filters([rule("caller_type", "eq", "x"), rule("line_type", "eq", "x")]), ["caller_name", "line_type"]],
    [filters([rule("something", "eq", "x"), rule("constructor", "exists")]), []],
    [legacy(null, false), []],
    [legacy([], false), []],
    [legacy(["mobile"], true), ["line_type"]],
    [{ ...filters([]), allowed_line_types: ["mobile"] }, []],
  ])("%j: %j", (settings, fields) => expect(lookupFields(settings)).toEqual(fields));
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { type SecretPlace, secretVariables } from "./secret-variables.ts";

const place = fc.record({
  kind: fc.constantFrom("services", "agents"),
  record: fc.oneof(
    fc.constantFrom("Pay API", "pay-api", "خدمة", "服务", "", "7"),
    fc.string({ unit: "grapheme" }),
  ),
  secret: fc.oneof(fc.constantFrom("token", "x-key", "x_key"), fc.string()),
});
const places = fc.uniqueArray(place, { selector: (each) => JSON.stringify(each), maxLength: 12 });

test("whatever records are called, each secret has a variable of its own, which a shell takes", () => {
  fc.assert(
    fc.property(places, (given) => {
      const names = secretVariables(given);
      expect(new Set(names).size).toBe(given.length);
      for (const name of names) expect(name).toMatch(/^[A-Z_][A-Z0-9_]*$/);
    }),
  );
});

test("no secret ever gets the variable that another one has, whatever else is added or deleted", () => {
  fc.assert(
    fc.property(places, fc.func(fc.boolean()), (given, isKept) => {
      const all = new Map(secretVariables(given).map((name, at) => [name, given[at] as SecretPlace]));
      const kept = given.filter((each) => isKept(each));
      for (const [at, name] of secretVariables(kept).entries())
        expect([undefined, kept[at]]).toContainEqual(all.get(name));
    }),
  );
});

test("a variable is called by its record and its secret where that tells it apart", () => {
  const of = (...records: string[]) =>
    secretVariables(records.map((record) => ({ kind: "services", record, secret: "token" })));
  expect(of("Stripe API", "Calendar")).toEqual(["STRIPE_API_TOKEN", "CALENDAR_TOKEN"]);
  expect(of("Praxis Müller")).toEqual(["PRAXIS_MULLER_TOKEN"]);
  expect(of("Pay API", "pay-api", "7 Days")).toEqual([
    expect.stringMatching(/^PAY_API_[0-9A-F]{8}_TOKEN$/),
    expect.stringMatching(/^PAY_API_[0-9A-F]{8}_TOKEN$/),
    "SECRET_7_DAYS_TOKEN",
  ]);
  expect(of("خدمة")).toEqual([expect.stringMatching(/^(SECRET_)?[0-9A-F]{8}_TOKEN$/)]);
});

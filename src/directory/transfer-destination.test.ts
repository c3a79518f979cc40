import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { LocalMoment } from "./directory-rules.ts";
import { likeness, nameWithType, type Reachable, transferDestination } from "./transfer-destination.ts";

const member = (
  id: number,
  name: string,
  type: string,
  ...numbers: Reachable["extensions"][0]["numbers"] & object
) => ({
  id,
  name,
  type,
  extensions: [{ numbers }],
});
const BILLING = member(1, "Billing", "Department", { number: "+1 (415) 555-0100" });
const FRONT = member(2, "Front desk", "Operator", {
  number: "+14155550101",
  rules: [{ days: "mo-fr", start_time: "09:00", end_time: "17:00" }],
});
const SPANISH = member(3, "José Núñez", "contact", {
  number: "sip:jose@clinic.example",
  rules: [{ language: "es" }],
});
const TWINS = [member(4, "Pharmacy", "Department"), member(5, "Pharmacy", "contact", { number: "*9" })];
const MEMBERS = [BILLING, FRONT, SPANISH, ...TWINS];

const at = (text: string, language = "en-US"): LocalMoment => ({
  language,
  wallClock: () => Temporal.PlainDateTime.from(text),
});
const WEDNESDAY = at("2026-11-18T12:00:00");
const SUNDAY = at("2026-11-22T12:00:00");
const find = (wanted: string, moment = WEDNESDAY, any_number = false) =>
  transferDestination(wanted, MEMBERS, moment, { any_number });

describe("a transfer reaches", () => {
  test.each<[string, string, string, Reachable | null]>([
    ["a member by name", "Billing", "+14155550100", BILLING],
    ["in letters of any case, between any blanks", "  front DESK ", "+14155550101", FRONT],
    ["a name that was misheard", "Biling", "+14155550100", BILLING],
    ["one of two with one name, told by its type", "Pharmacy (contact)", "*9", TWINS[1] as Reachable],
    ["a member by a number", "+1 415-555-0100", "+14155550100", BILLING],
  ])("%s", (_what, wanted, number, reached) =>
    expect(find(wanted)).toEqual({ kind: "reached", number, member: reached }),
  );

  test("a member in the language that is spoken, accents or not", () => {
    const spanish = at("2026-11-18T12:00:00", "es-US");
    expect(find("Jose Nunez", spanish)).toMatchObject({ kind: "reached", number: "sip:jose@clinic.example" });
    expect(find("Jose Nunez")).toEqual({ kind: "closed", member: SPANISH });
  });

  test("any number only where the agent may", () => {
    for (const number of ["+14155550199", "sip:someone@example.com"]) {
      expect(find(number)).toEqual({ kind: "not-allowed" });
      expect(find(number, WEDNESDAY, true)).toEqual({ kind: "reached", number, member: null });
    }
  });
});

test("a member none of whose rules holds is closed", () =>
  expect(find("Front desk", SUNDAY)).toEqual({ kind: "closed", member: FRONT }));

test("one name of two members is ambiguous", () => {
  expect(find("pharmacy")).toEqual({ kind: "ambiguous", members: TWINS });
  expect(TWINS.map(nameWithType)).toEqual(["Pharmacy (Department)", "Pharmacy (contact)"]);
});

test("a name that nobody has is answered with those most like it", () => {
  const found = find("Bill");
  expect(found).toMatchObject({ kind: "unknown", closest: expect.arrayContaining(["Billing"]) });
  expect(found.kind === "unknown" && found.closest[0]).toBe("Billing");
});

test("a name of a million letters, which a model may make up, holds nobody up", () => {
  const many = Array.from({ length: 2_000 }, (_, n) => member(n, `Member number ${n}`, "contact"));
  const found = transferDestination("who is it ".repeat(100_000), many, WEDNESDAY, { any_number: false });
  expect(found).toMatchObject({ kind: "unknown" });
});

describe("the likeness of two names", () => {
  test.each([
    ["", "", 1],
    ["abc", "", 0],
    ["abcd", "abxd", 0.75],
    ["abcd", "bcd", 0.75],
  ])("%j and %j: %d", (a, b, score) => expect(likeness(a, b)).toBe(score));

  test("is between 0 and 1, the same both ways, and 1 only for the same", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 12 }), fc.string({ maxLength: 12 }), (a, b) => {
        const score = likeness(a, b);
        expect(score).toBe(likeness(b, a));
        expect(score).toBeGreaterThanOrEqual(0);
        expect(score === 1).toBe(a === b);
      }),
    );
  });
});

import fc from "fast-check";
import { parsePhoneNumberFromString } from "libphonenumber-js";
import { describe, expect, test } from "vitest";
import { CODE_POINT } from "../../test/harness/code-point.ts";
import { rounds } from "../../test/harness/seed.ts";
import { normaliseEmail, normalisePhone, regionOf, targetsOf } from "./address.ts";

const voice = (source: string | null, caller_id: string | null = null) =>
  targetsOf({ mode: null, source, caller_id });

describe("a telephone number", () => {
  test.each([
    ["+19032900844", "512-555-1234", "+15125551234"],
    ["+19032900844", "(512) 555 1234", "+15125551234"],
    ["+19032900844", "15125551234", "+15125551234"],
    ["+19032900844", "+15125551234", "+15125551234"],
    ["+19032900844", " +1 512 555 1234 ", "+15125551234"],
    ["+19032900844", "+44 20 7946 0018", "+442079460018"],
    ["19995551234", "5125551234", "+15125551234"],
    ["+442079460018", "020 7946 0999", "+442079460999"],
    ["+442079460018", "07700 900123", "+447700900123"],
    ["+4930901820", "0151 23456789", "+4915123456789"],
    ["+4930901820", "0049 151 23456789", "+4915123456789"],
    ["+4930901820", "001 512 555 0123", "+15125550123"],
    ["+33123456789", "0033612345678", "+33612345678"],
    ["+19032900844", "011 44 20 7946 0018", "+442079460018"],
    ["+61255501234", "0011 44 20 7946 0018", "+442079460018"],
    ["+81312345678", "010 1 512 555 0123", "+15125550123"],
    ["+80012345678", "+49 151 23456789", "+4915123456789"],
    ["+19032900844", "\u202a+1 512 555 1234\u202c", "+15125551234"],
    ["desk@clinic.example", "+15125551234", "+15125551234"],
  ])("sent from %s, %s is %s", (source, target, expected) => {
    expect(voice(source)(target)).toBe(expected);
  });

  test.each([
    "",
    " ",
    "nobody",
    "123",
    "+1",
    "555-1234",
    "512-555-12345",
    "512-555-1234 ext. 7",
    "+999123456789",
    "a512-555-1234",
  ])("%j is none", (target) => {
    expect(voice("+19032900844")(target)).toBeNull();
  });

  test("what is dialled for calls abroad is not taken for the beginning of a national number", () => {
    // In Brazil a carrier's code stands behind it.
    expect(voice("+551155256325")("0055 11 98765 4321")).toBeNull();
    expect(voice("+551155256325")("00 15 55 11 98765 4321")).toBe("+5511987654321");
  });

  test("that may have lost its plus, or the zero before its area code, is none where both are somebody's", () => {
    const german = voice("+4930901820");
    expect(german("4915123456789")).toBeNull();
    expect(german("49 151 23456789")).toBeNull();
    expect([german("+4915123456789"), german("015123456789"), german("15123456789")]).toEqual(
      Array(3).fill("+4915123456789"),
    );
    // Of these only one reading is.
    expect(german("4930901820")).toBe("+4930901820");
    expect(voice("+33123456789")("33612345678")).toBe("+33612345678");
    expect(voice("+390612345678")("3912345678")).toBe("+393912345678");
  });

  test("without a number that sends, only an international one is understood", () => {
    expect(voice(null)("512-555-1234")).toBeNull();
    expect(voice(null)("+15125551234")).toBe("+15125551234");
    expect(voice(null, "+442079460018")("020 7946 0999")).toBe("+442079460999");
  });

  test("of North America is read as the library for numbers reads it, however it is written", () => {
    const between = fc.constantFrom("", " ", "-", ".", "--", "/", "+");
    const digits = (count: number) => fc.stringMatching(new RegExp(`^\\d{${count}}$`));
    const written = fc
      .tuple(
        fc.constantFrom("", "+1", "1", "+", "+2", "011"),
        between,
        fc.constantFrom("", "("),
        digits(3),
        fc.constantFrom("", ")"),
        between,
        fc.oneof({ weight: 5, arbitrary: digits(3) }, digits(2)),
        between,
        fc.oneof({ weight: 5, arbitrary: digits(4) }, digits(5)),
      )
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(written, fc.constantFrom("1", "44", null), (text, region) => {
        const asked = region === null ? {} : ({ defaultCountry: region === "1" ? "US" : "GB" } as const);
        const found = parsePhoneNumberFromString(text, { extract: false, ...asked });
        const isAbroad = !text.startsWith("+") && found?.countryCallingCode !== region;
        const isOne = isAbroad ? found?.isValid() : found?.isPossible();
        expect(normalisePhone(text, region)).toBe(isOne ? found?.number : null);
      }),
      { numRuns: rounds(3000) },
    );
  });

  test("is spelled one way: spelling it again changes nothing, whatever stands between its digits", () => {
    const region = regionOf("+19032900844");
    const digit = fc.constantFrom(..."0123456789");
    const number = fc.tuple(
      fc.constantFrom(..."23456789"),
      fc.array(fc.tuple(fc.constantFrom("", " ", "-", "."), digit), { minLength: 9, maxLength: 9 }),
    );
    fc.assert(
      fc.property(number, ([first, rest]) => {
        const expected = `+1${first}${rest.map(([, digit]) => digit).join("")}`;
        const spelled = normalisePhone(first + rest.map((pair) => pair.join("")).join(""), region);
        expect(spelled).toBe(expected);
        expect(normalisePhone(expected, null)).toBe(expected);
      }),
    );
  });

  test("any text is a number or none, never an error", () => {
    fc.assert(
      fc.property(fc.string({ unit: CODE_POINT, maxLength: 60 }), (text) => {
        const spelled = voice("+19032900844")(text);
        expect(spelled === null || /^\+\d{4,15}$/.test(spelled)).toBe(true);
      }),
    );
  });
});

describe("an e-mail address", () => {
  const email = targetsOf({ mode: "email", source: "desk@clinic.example", caller_id: null });

  test.each([
    ["ann@example.com", "ann@example.com"],
    [" Ann.Lee+clinic@Example.COM ", "ann.lee+clinic@example.com"],
    ["o'neil@mail.example.co", "o'neil@mail.example.co"],
    ["\u200bann@example.com", "ann@example.com"],
    ["jörg@example.com", null],
    ["info@müller.example", "info@xn--mller-kva.example"],
  ])("%j is %j", (target, expected) => {
    expect(email(target)).toBe(expected);
  });

  test.each([
    "",
    "ann",
    "ann@",
    "@example.com",
    "ann@localhost",
    "ann@@example.com",
    "ann lee@example.com",
    ".ann@example.com",
    "ann.@example.com",
    "ann..lee@example.com",
    "ann@example..com",
    "ann@-example.com",
    "ann@example.com\nbcc: all@example.com",
    "Ann <ann@example.com>",
    "ann@192.0.2.1",
    `${"a".repeat(65)}@example.com`,
    "+15125551234",
  ])("%j is none", (target) => {
    expect(email(target)).toBeNull();
  });

  test("is spelled one way: spelling it again changes nothing", () => {
    fc.assert(
      fc.property(fc.emailAddress(), (address) => {
        const spelled = normaliseEmail(address);
        if (spelled !== null) expect(normaliseEmail(spelled)).toBe(spelled);
      }),
    );
  });
});

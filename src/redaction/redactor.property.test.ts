import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { processorMs } from "../../test/harness/processor-time.ts";
import { rounds } from "../../test/harness/seed.ts";
import { createVault } from "../base/crypto.ts";
import { compilePattern } from "../base/pattern.ts";
import { passesLuhn } from "./checksums.ts";
import { findValues, REDACTION_KINDS } from "./find-values.ts";
import { type RedactionRules, Redactor } from "./redactor.ts";

const vault = createVault("a secret key for tests, long enough");
const YEAR = 2026;
const all = (more: Partial<RedactionRules> = {}): RedactionRules => ({
  kinds: REDACTION_KINDS,
  patterns: [],
  originals_days: 0,
  ...more,
});
const redactorOf = (rules: RedactionRules, scope = "s", sealed = {}) =>
  new Redactor(rules, { scope, vault, year: YEAR, sealed });
const redact = (text: string, rules = all()) => redactorOf(rules).redact(text);
const kindOf = (text: string) => /\[([a-z ]+): [a-z]{10}\]/.exec(redact(text))?.[1] ?? null;

describe("what is found", () => {
  test.each([
    ["card", "my card is 4111 1111 1111 1111, thanks"],
    ["card", "4111-1111-1111-1111 12/27 123"],
    ["card", "５５００ ００００ ００００ ０００４"],
    ["card", "378282246310005"],
    ["card", "it's four one one one, one one one one, one one one one, triple one one"],
    ["card", "4111\u200b1111\u200b1111\u200b1111"],
    ["national id", "SSN 123-45-6789"],
    ["national id", "my social security number is 123456789"],
    ["national id", "one two three four five six seven eight nine"],
    ["national id", "046 454 286"],
    ["national id", "AB 12 34 56 C"],
    ["national id", "12345678Z"],
    ["national id", "x1234567l"],
    ["national id", "86 095 742 719"],
    ["national id", "RSSMRA85T10A562S"],
    ["bank account", "DE89 3704 0044 0532 0130 00"],
    ["bank account", "gb29nwbk60161331926819"],
    ["date of birth", "03/04/1980"],
    ["date of birth", "1980-03-04"],
    ["date of birth", "March 4th, 1980"],
    ["date of birth", "4. März 1980"],
    ["date of birth", "I was born on 3/4/25"],
    ["date of birth", "nasci em 4 de março de 1980"],
    ["date of birth", "sono nata il 4 ottobre 1980"],
    ["date of birth", "4 maggio 1980"],
    ["date of birth", "4 settembre 1980"],
    ["date of birth", "4 maj 1980"],
    ["date of birth", "4 maart 1980"],
    ["date of birth", "4. Jänner 1980"],
    ["date of birth", "4 de marzo del 1980"],
    ["date of birth", "15 sierpnia 1980 r."],
    ["date of birth", "4 марта 1980 г."],
    ["date of birth", "1980. március 4."],
    ["date of birth", "4 במרץ 1980"],
    ["date of birth", "4 مارس 1980"],
    ["date of birth", "١٤ مارس ١٩٨٠"],
    ["date of birth", "۱۴ اسفند ۱۳۵۸"],
    ["date of birth", "वह 4 मार्च 1980 को"],
    ["date of birth", "ngày 4 tháng 3 năm 1980"],
    ["date of birth", "เกิดวันที่4มีนาคม2523ค่ะ"],
    ["date of birth", "我是1980年3月4日出生的"],
    ["date of birth", "昭和55年3月4日です"],
    ["date of birth", "1980년 3월 4일"],
    ["date of birth", "Machi 4, 1980"],
    ["date of birth", "sono nato il 4 maggio 2026"],
    ["date of birth", "родился 4 мая 2026"],
    ["date of birth", "Ich bin am 12.03.26 geboren"],
    ["date of birth", "4. März 2026 geboren"],
    ["date of birth", "12.03.26 doğumluyum"],
    ["date of birth", "12/03/26 को जन्म हुआ"],
    ["date of birth", "26年3月4日生まれ"],
    ["date of birth", "26년 3월 4일생입니다"],
    ["date of birth", "04.05.26 г.р."],
    ["date of birth", "3/4/26 is my date of birth"],
    ["date of birth", "it's 3/4/85"],
    ["date of birth", "12.03.05"],
    ["email", "write to ann.lee+x@mail.example.com please"],
    ["email", "john dot smith at example dot com"],
    ["email", "राम@डाक.भारत"],
    ["email", "用户@例子.公司"],
    ["phone", "(512) 555-0142"],
    ["phone", "+49 30 901820"],
    ["phone", "call five one two, five five five, oh one four two"],
    ["phone", "030 901820 11"],
    ["phone", "0044 20 7946 0958"],
  ])("%s: %s", (kind, text) => {
    expect(kindOf(text)).toBe(kind);
  });

  test.each([
    "Tuesday, 2026-11-24 10:30",
    "at 10:30 on 11/24/2026",
    "order 4111 1111 1111 1112",
    "it costs 1,234.56 dollars, twice",
    "version 1.2.3.4, room 0142",
    "one or two of the three",
    "0000 0000 0000 0000",
    '{"starts_at": "2026-11-24T10:30:00.000Z", "slots": [9, 10, 11, 12]}',
    "2026-11-24 10:00, 2026-11-25 11:00, 2026-11-26 12:00",
    "4 maggio 2026, 4 de março de 2026, 4 мая 2026, 2026年5月4日, 令和8年5月4日, 4 พฤษภาคม 2569, ۱۴ اسفند ۱۴۰۵",
    "4 rooms and 1980 beds, 2026. So 4",
    "11/24/26, 14.04.26 10:30, 24/11/36",
    "am 12.03.26, geboren in Ulm",
    "on 11/24/26. Birth classes later",
    "version 2.10.60, 1.2.34.5, 12/03/85/4, 50/60/70, 0/3/85",
    "2026년 3월 4일 생각해 볼게요",
    "a 12 Pro 2020, a 2 gen 2015, 3 out 2019, 1 set 2018, 2 Mac 2015",
  ])("nothing in: %s", (text) => {
    expect(redact(text)).toBe(text);
  });
});

test.each([
  ["ご連絡は", "まで"],
  ["请发邮件至", "联系我们"],
  ["ส่งอีเมลถึง", "ได้"],
  ["이메일은", "로"],
])("of a text without blanks, only the address is taken out: %s…%s", (before, behind) => {
  const address = "ann.lee@mail.example.com";
  expect(redact(`${before}${address}${behind}`)).toMatch(
    new RegExp(`^${before}\\[email: [a-z]{10}\\]${behind}$`),
  );
});

const card = fc
  .tuple(fc.constantFrom("4", "51", "37", "6011"), fc.integer({ min: 12, max: 18 }), fc.nat())
  .map(([prefix, length, seed]) => {
    let digits = prefix;
    for (let at = seed; digits.length < length; at = (at * 48_271 + 11) % 2_147_483_647)
      digits += String(at % 10);
    return "0123456789"
      .split("")
      .map((last) => digits + last)
      .find(passesLuhn) as string;
  });
const grouped = fc
  .tuple(card, fc.constantFrom("", " ", "-", ". ", "\u00a0", "/"), fc.integer({ min: 1, max: 6 }))
  .map(([digits, mark, size]) => ({
    digits,
    text: digits.match(new RegExp(`.{1,${size}}`, "g"))!.join(mark),
  }));
/** Words without digits, which can't become a part of a number. */
const words = fc
  .string({ unit: "grapheme", maxLength: 40 })
  .map((text) => ` ${text.replace(/[\p{N}[\]]/gu, "x")} `);
const anyText = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 200 }),
  fc
    .array(
      fc.oneof(
        words,
        grouped.map(({ text }) => text),
        fc.constantFrom("ann@b.example", "03/04/1980", "5125550142"),
      ),
    )
    .map((parts) => parts.join("")),
  fc.stringMatching(/^[\d .\-/@a-d[\]:]{0,80}$/),
);

test("a card is taken out, whatever stands around it and however it is grouped", () => {
  fc.assert(
    fc.property(words, grouped, words, (before, { digits, text }, after) => {
      const redacted = redact(before + text + after);
      expect(redacted.replace(/\D/g, "")).not.toContain(digits);
    }),
    { numRuns: rounds(500) },
  );
});

test("nothing is found in what was redacted, and it is redacted once", () => {
  const sought = {
    kinds: new Set(REDACTION_KINDS),
    patterns: [{ name: "x", pattern: compilePattern("[a-c]{3}\\d") }],
    year: YEAR,
  };
  const rules = all({ patterns: [{ name: "x", pattern: "[a-c]{3}\\d" }] });
  fc.assert(
    fc.property(anyText, (text) => {
      const redacted = redact(text, rules);
      expect(redact(redacted, rules)).toBe(redacted);
      for (const part of redacted.split(/\[[a-z ]+: [a-z]{10}\]/))
        expect(findValues(part, sought, () => {})).toEqual([]);
    }),
    { numRuns: rounds(500) },
  );
});

test("with the originals, every JSON value comes back as it was", () => {
  const value = fc.letrec((tie) => ({
    value: fc.oneof(
      anyText,
      card.map(Number),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      tie("list"),
      tie("record"),
    ),
    list: fc.array(tie("value"), { maxLength: 4 }),
    record: fc.dictionary(
      anyText.filter((name) => name !== "__proto__"),
      tie("value"),
      { maxKeys: 4 },
    ),
  })).value;
  fc.assert(
    fc.property(value, (given) => {
      const redactor = redactorOf(all());
      const stored = JSON.parse(JSON.stringify(redactor.redact(given)));
      const sealed = Object.fromEntries(redactor.takeNew().map(({ token, sealed }) => [token, sealed]));
      expect(redactorOf(all(), "s", sealed).restore(stored)).toEqual(given);
    }),
    { numRuns: rounds(300) },
  );
});

test("a value has one token in a session and another in the next, and its token doesn't hold it", () => {
  const [first, again, other] = [redactorOf(all(), "a"), redactorOf(all(), "a"), redactorOf(all(), "b")];
  const text = "4111 1111 1111 1111";
  expect(first.redact(text)).toBe(again.redact(text));
  expect(first.redact(text)).not.toBe(other.redact(text));
  expect(first.redact(text)).toMatch(/^\[card: [bcdfghjklmnpqrstvwz]{10}\]$/);
});

test("a token of another session opens nothing", () => {
  const theirs = redactorOf(all(), "a");
  const token = theirs.redact("4111 1111 1111 1111");
  expect(redactorOf(all(), "b", {}).restore(token)).toBe(token);
});

test("a text that own patterns can't be run on in time is taken out as a whole", () => {
  const rules = all({ kinds: [], patterns: [{ name: "case", pattern: "CASE-[0-9]{6}" }] });
  const text = `${"x".repeat(900_000)} CASE-123456`;
  const redactor = redactorOf(rules);
  const redacted = redactor.redact(text);
  expect(redacted).toMatch(/^\[too long to search: [a-z]{10}\]$/);
  expect(redactor.restore(redacted)).toBe(text);
});

test.each([
  ["digits", "1 ".repeat(250_000)],
  ["number words", "one ".repeat(120_000)],
  ["letters and ats", "a@".repeat(250_000)],
  ["dots", `a@${"b.".repeat(250_000)}`],
  ["dates", "1/1/".repeat(120_000)],
  ["account numbers", "DE89 ".repeat(100_000)],
  ["words of addresses", "a dot ".repeat(80_000)],
  ["separators", "1----".repeat(100_000)],
])("half a megabyte of %s is searched in time in proportion to it", (_, text) => {
  expect(processorMs(() => redact(text))).toBeLessThan(1_000);
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { rounds } from "../../test/harness/seed.ts";
import { partsOf, plainWord, readJudged, wordSearch } from "./judged-values.ts";

const found = (text: string, ...values: string[]) => {
  const { expression, kinds } = wordSearch(values.map((value) => ({ kind: "name", text: value })));
  return [...text.matchAll(expression)].map(([word]) => [word, kinds.get(plainWord(word))]);
};

test("whatever a value is made of, it is found as a word of its own, in any case and with any white space, and in no longer word", () => {
  const character = fc.oneof(
    fc.constantFrom(..."abzåßñ0 -.'/\\+*?()[]{}|^$,&#:"),
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 1 }),
  );
  const value = fc
    .string({ unit: character, minLength: 2, maxLength: 20 })
    .map((text) => text.trim())
    .filter((text) => /[\p{L}\p{N}]/u.test(text));
  fc.assert(
    fc.property(value, (text) => {
      const spaced = text.replaceAll(/\s+/g, " \n ");
      expect(found(`it is "${spaced}", yes`, text)).toEqual([[spaced, "name"]]);
      expect(found(`it is x${text}x`, text)).toEqual([]);
    }),
    { numRuns: rounds(100) },
  );
  expect(found("call mary-ann  LEE, or 12-14 High St.", "Mary-Ann Lee", "12-14 High St")).toEqual([
    ["mary-ann  LEE", "name"],
    ["12-14 High St", "name"],
  ]);
  expect(found("وعلي حسن، علي", "علي - 12345", "علي", "علي حسن")).toEqual([
    ["علي حسن", "name"],
    ["علي", "name"],
  ]);
  expect(found("in İstanbul", "İstanbul")).toEqual([["İstanbul", "name"]]);
  expect(found("Ann Lee and Ann", "Ann", "Ann Lee")).toEqual([
    ["Ann Lee", "name"],
    ["Ann", "name"],
  ]);
});

test.each([
  ["田中", "田中さんは明日来ます"],
  ["Ann Lee", "Ann Leeさんは明日来ます"],
  ["王小明", "我叫王小明住在北京"],
  ["김민수", "저는 김민수입니다"],
  ["สมชาย", "ผมชื่อสมชายครับ"],
])("%s is found where words or their endings stand against it: %s", (name, text) => {
  expect(found(text, name)).toEqual([[name, "name"]]);
});

/** And, so; in, to, as; the. */
const ARABIC = ["", "و", "ف"].flatMap((and) =>
  ["", "ب", "ل", "ك"].flatMap((to) => ["", "ال"].map((the) => and + to + the)),
);
/** And; when, that, as; in, to, from; the. */
const HEBREW = ["", "ו"].flatMap((and) =>
  ["", "כש", "מש", "ש", "כ"].flatMap((that) =>
    ["", "ב", "ל", "מ"].flatMap((to) => ["", "ה"].map((the) => and + that + to + the)),
  ),
);

test.each([
  ["أحمد", ARABIC],
  ["شارع الملك", ARABIC],
  ["יוסף כהן", HEBREW],
  ["ברקוביץ", HEBREW],
])("%s is found behind each particle that is written on to it, and the particle stays", (name, particles) => {
  fc.assert(
    fc.property(
      fc.constantFrom(...particles),
      fc.constantFrom("", " ", "«", "(", "12 "),
      (particle, before) => {
        expect(found(`${before}${particle}${name}, 5`, name)).toEqual([[name, "name"]]);
      },
    ),
    { numRuns: rounds(100) },
  );
});

test.each([
  ["للرياض وللرياض والرياض", "الرياض", ["لرياض", "لرياض", "الرياض"]],
  ["وَلِأحمد", "أحمد", ["أحمد"]],
  ["ولمي مي بمي كمي", "مي", ["مي", "مي"]],
  ["וגל לגל דגל סגל הגל", "גל", ["גל", "גל"]],
  ["כבר בר מבר לבר", "בר", ["בר", "בר"]],
  ["العمر وعمر", "عمر", ["عمر"]],
  ["הדוד, לדוד ומדוד", "דוד", ["דוד", "דוד"]],
  ["تأحمد أحمدي نوأحمد وأحمدي", "أحمد", []],
  ["טיוסף יוספי שכיוסף", "יוסף", []],
])("of %s, looked for as %s, nothing is taken of another word", (text, name, taken) => {
  expect(found(text, name)).toEqual(taken.map((word) => [word, "name"]));
});

test("a value is found with accents of its own or apart, and no vowel is left of a longer word", () => {
  const apart = "Nguyễn".normalize("NFD");
  expect(found(`tôi là ${apart}`, "Nguyễn")).toEqual([[apart, "name"]]);
  expect(found("tôi là Nguyễn", apart)).toEqual([["Nguyễn", "name"]]);
  expect(readJudged('{"found": [{"kind": "name", "text": "Nguyễn"}]}', apart)).toHaveLength(1);
  expect(found("रामा", "राम")).toEqual([]);
});

test("however long a conversation is, each value of it stands whole in a part that a model takes, and no part is only the end of another", () => {
  const line = fc.tuple(fc.constantFrom("word ", "👩‍👩‍👧", "é", "x"), fc.nat({ max: 3_000 }));
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), fc.nat(), (lines, place) => {
      const parts = partsOf(lines.map(([text, times]) => text.repeat(times)));
      const text = lines.map(([one, times]) => one.repeat(times)).join("\n");
      expect(parts.every((part) => part.length <= 12_000 && part.isWellFormed())).toBe(true);
      for (const [at, part] of parts.entries()) if (at > 0) expect(part.length).toBeGreaterThan(200);
      const value = text
        .slice(place % (text.length + 1))
        .slice(0, 160)
        .toWellFormed();
      if (value.isWellFormed() && text.includes(value))
        expect(text === "" || parts.some((part) => part.includes(value))).toBe(true);
    }),
    { numRuns: rounds(100) },
  );
});

test("of what a model finds is taken what stands in the part, is of 2 to 200 characters, and is none of our own words", () => {
  const part = `user: I am Ann Lee, call 5 or it's me. ${"y".repeat(300)}`;
  const answer = (...texts: string[]) =>
    readJudged(JSON.stringify({ found: texts.map((text) => ({ kind: "1. Full Name!", text })) }), part);
  expect(answer(" ann lee ", "Bob", "5", "user", "--", "y".repeat(201), "y".repeat(200))).toEqual([
    { kind: "full name", text: "ann lee" },
    { kind: "full name", text: "y".repeat(200) },
  ]);
  expect(readJudged('{"found": [{"kind": "…", "text": "Ann Lee"}]}', part)).toEqual([
    { kind: "redacted", text: "Ann Lee" },
  ]);
  for (const wrong of ["I can't help with that.", "{}", '{"found": ["Ann Lee"]}'])
    expect(readJudged(wrong, part)).toBeNull();
});

import { expect, test } from "vitest";
import { JOINED, SPACED, UNSPACED } from "./scripts.ts";
import { spaced, wordStarts } from "./words.ts";

const all = (characters: string, of: string) =>
  [...characters].every((character) => new RegExp(`^${of}$`, "v").test(character));
const none = (characters: string, of: string) => !new RegExp(of, "v").test(characters);

test.each(["田中さん々〇コーヒｰ\u3099", "สมชายครับ๒๕", "ສະບາຍດີ", "សួស្តី", "မင်္ဂလာပါ"])(
  "%s is written without blanks, its marks and digits too",
  (text) => {
    expect(all(text, UNSPACED)).toBe(true);
    expect(all(text, JOINED)).toBe(true);
    expect(none(text, SPACED)).toBe(true);
  },
);

test("Korean has blanks between words, and no letter of it is part of the word that stands beside it", () => {
  expect([all("김민수", JOINED), none("김민수", UNSPACED), none("김민수", SPACED)]).toEqual([
    true,
    true,
    true,
  ]);
});

test.each([
  ...["Größe", "Nguyễn Thị Hạnh", "señor", "são"].map((text) => text.normalize("NFD")),
  "नमस्ते",
  "أحمد",
  "שלום",
  "Иван",
])("%s has blanks between words, and its accents belong to them", (text) => {
  expect(all(text.replaceAll(" ", ""), SPACED)).toBe(true);
  expect(none(text, JOINED)).toBe(true);
});

test("no punctuation is part of a word, in no script", () => {
  for (const mark of "。、「」・！？၊។")
    expect([mark, none(mark, `[${JOINED}${SPACED}]`)]).toEqual([mark, true]);
});

test("words of scripts without blanks stand apart, and other texts stay as they are", () => {
  expect(spaced("予約を変更").trim().split(/\s+/)).toEqual(["予約", "を", "変更"]);
  expect(spaced("コーヒーを二つ").trim().split(/\s+/)).toEqual(["コーヒー", "を", "二つ"]);
  expect(spaced("ผมชื่อสมชายครับ").trim().split(/\s+/)).toEqual(["ผม", "ชื่อ", "สมชาย", "ครับ"]);
  expect(spaced("Book a slot, señor.".normalize("NFD"))).toBe("Book a slot, señor.".normalize("NFD"));
});

test("a word begins behind a blank, and in scripts without blanks where a dictionary says so", () => {
  const words = (text: string) => {
    const starts = wordStarts(text);
    return starts.map((start, at) => text.slice(start, starts[at + 1]));
  };
  expect(words("I can't, 予約を。Book で")).toEqual(["I ", "can't, ", "予約", "を。Book ", "で"]);
});

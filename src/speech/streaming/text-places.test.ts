import fc from "fast-check";
import { expect, test } from "vitest";
import { rounds } from "../../../test/harness/seed.ts";
import { keyTerms } from "./hearing-service.ts";
import { TextPlaces } from "./text-places.ts";

test("each word and each sign that a voice tells is where it stands in the text, whatever capitals either has", () => {
  const word = fc.constantFrom(
    "İstanbul",
    "IŞIK",
    "Straße",
    "ΟΔΟΣ",
    "don't",
    "5",
    "मेरा",
    "電話",
    "👩‍👩‍👧",
    "e\u0301",
  );
  fc.assert(
    fc.property(fc.array(word, { maxLength: 12 }), fc.boolean(), fc.boolean(), (words, isLower, bySign) => {
      const text = words.join(" ");
      const places = new TextPlaces(text);
      let at = 0;
      for (const piece of bySign ? words.flatMap((one) => [...one]) : words) {
        at = text.indexOf(piece, at);
        const told = isLower ? piece.replaceAll(/[A-ZΑ-Ω]/g, (letter) => letter.toLowerCase()) : piece;
        expect(places.next(told, 60)).toEqual({ from: at, to: at + piece.length });
        at += piece.length;
      }
    }),
    { numRuns: rounds(200) },
  );
});

test("names in every script are listened for, each once", () => {
  const names = ["मीरा शर्मा", "สมชาย", "Zoë", "Zoe\u0308", "D’Angelo", "check-up", "田中", "王小明"];
  const others = ["no", "what would you like to do", "ご希望の日時をお聞かせください", "{{ x }}"];
  expect(keyTerms([...names, ...others], 50)).toEqual([
    ...["मीरा शर्मा", "สมชาย", "Zoë", "D’Angelo", "check-up", "田中", "王小明"],
  ]);
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { rounds } from "../../test/harness/seed.ts";
import { mostSegments } from "./outbound/text-segments.ts";
import { MOST_SEGMENTS, splitInto, splitText } from "./text-split.ts";

const within = (text: string, longest: number) => splitInto(text, (part) => part.length <= longest);
const words = (text: string) => text.split(/\s+/).filter(Boolean);

test("no text is longer than what fits, and no word is lost or moved", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme", maxLength: 400 }),
      fc.integer({ min: 2, max: 60 }),
      (text, longest) => {
        const parts = within(text, longest);
        expect(parts.every((part) => part.length <= longest && part.length > 0)).toBe(true);
        expect(parts.every((part) => part.isWellFormed() || !text.isWellFormed())).toBe(true);
        // A word longer than a text is cut; everything else stays as it was.
        expect(words(parts.join("")).join("")).toBe(words(text).join(""));
      },
    ),
  );
});

test("a short text stays whole, nothing stays nothing", () => {
  expect(splitText(" Hello there. ", "sms")).toEqual(["Hello there."]);
  expect(splitText("  \n ", "sms")).toEqual([]);
});

test("no SMS has more segments than carriers take, whatever letters it is written in", () => {
  const some = fc.constantFrom("word ", "größer. ", "Заезд ", "10 € ", "🙂", "x".repeat(90), "\n\n", "[{}] ");
  fc.assert(
    fc.property(fc.array(some, { maxLength: 600 }), (pieces) => {
      const text = pieces.join("");
      const parts = splitText(text, "sms");
      expect(parts.filter((part) => mostSegments(part) > MOST_SEGMENTS || part.length > 1600)).toEqual([]);
      expect(parts.every((part) => part.isWellFormed() && part !== "")).toBe(true);
      expect(words(parts.join("")).join("")).toBe(words(text).join(""));
    }),
    { numRuns: rounds(100) },
  );
});

test.each([
  ["a".repeat(1530), [1530]],
  ["a".repeat(1531), [1530, 1]],
  ["ж".repeat(671), [670, 1]],
  ["€".repeat(671), [670, 1]],
  // In two bytes only what comes with the emoji: no half of it ends a text, nor does it make the first text shorter.
  [`${"a ".repeat(400)}🙂`, [799, 2]],
  [`${"x".repeat(669)}🙂`, [669, 2]],
])("%#: an SMS is cut where the tenth segment ends", (text, lengths) => {
  expect(splitText(text, "sms").map(({ length }) => length)).toEqual(lengths);
});

test.each([
  ["Chinese", "您的预约已经确认。请携带证件，提前十分钟到达。", /[。，]$/],
  ["Hindi", "आपकी अपॉइंटमेंट तय हो गई है। समय पर आइए। ", /।$/],
  ["Arabic", "هل هذا الموعد مناسب لك؟ ", /؟$/],
  ["Thai", "กรุณายืนยันนัดหมายของคุณ", /(?:กรุณา|ยืนยัน|นัด|หมาย|ของ|คุณ)$/],
])("a long text in %s is cut where a reader would pause", (_, words, end) => {
  expect(splitText(words.repeat(100), "whatsapp")[0]).toMatch(end);
});

test("a text by WhatsApp has as many characters as are taken, whatever they are", () => {
  expect(splitText("ж".repeat(1601), "whatsapp").map(({ length }) => length)).toEqual([1600, 1]);
});

test("it is cut between paragraphs, then sentences, then words", () => {
  expect(within("One two three.\n\nFour five six seven.", 24)).toEqual([
    "One two three.",
    "Four five six seven.",
  ]);
  expect(within("One two three. Four five six seven.", 24)).toEqual([
    "One two three.",
    "Four five six seven.",
  ]);
  expect(within("one two three four five six", 14)).toEqual(["one two three", "four five six"]);
  expect(within("abcdefghij", 4)).toEqual(["abcd", "efgh", "ij"]);
});

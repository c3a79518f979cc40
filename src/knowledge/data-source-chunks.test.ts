import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CHUNK_CHARACTERS, chunksOf } from "./data-source-chunks.ts";

const paragraph = (length: number) => "word ".repeat(length / 5).trim();

test.each<[string, string, string | null, string[]]>([
  ["short paragraphs stand together", "One.\n\nTwo.\n \n\nThree.", null, ["One.\n\nTwo.\n\nThree."]],
  ["a delimiter keeps them apart", "One.\n---\nTwo.", "---", ["One.", "Two."]],
  ["a delimiter of blanks too", "One.\n\nTwo.", "\n\n", ["One.", "Two."]],
  ["lines may end as Windows ends them", "One.\r\n\r\nTwo.", "\n\n", ["One.", "Two."]],
  ["a delimiter that is not there", "One.\n\nTwo.", "###", ["One.\n\nTwo."]],
  ["nothing", " \n\n ", null, []],
])("%s", (_what, text, delimiter, chunks) => expect(chunksOf(text, delimiter)).toEqual(chunks));

test("paragraphs that don't fit together are chunks of their own", () => {
  const [a, b] = [paragraph(700), paragraph(600)];
  expect(chunksOf(`${a}\n\n${b}`, null)).toEqual([a, b]);
});

test("a long part becomes windows that begin where the one before nearly ended, between words", () => {
  const words = Array.from({ length: 600 }, (_, index) => `word${index}`);
  const chunks = chunksOf(words.join(" "), null);
  expect(chunks.length).toBeGreaterThan(3);
  for (const [index, chunk] of chunks.slice(1).entries()) {
    const before = chunks[index] as string;
    const first = chunk.split(" ").slice(0, 3).join(" ");
    expect(before).toContain(first);
    expect(words).toContain(before.split(" ").at(-1));
  }
});

test("a wide gap makes no chunk of blanks", () => {
  const chunks = chunksOf(`Left.${" ".repeat(6_000)}Right.`, null);
  expect(chunks).toEqual(["Left.", "Right."]);
});

describe("for all texts and delimiters", () => {
  const text = fc
    .array(
      fc.oneof(
        fc.lorem({ maxCount: 60 }),
        fc.constantFrom("\n\n", "\n", " "),
        fc.string({ maxLength: 3_000 }),
      ),
    )
    .map((parts) => parts.join(""));
  const delimiter = fc.option(fc.constantFrom("\n", "---", ". "), { nil: null });

  test("no chunk is empty or too long, and no word is lost", () => {
    fc.assert(
      fc.property(text, delimiter, (given, mark) => {
        const chunks = chunksOf(given, mark);
        for (const chunk of chunks) {
          expect(chunk.length).toBeGreaterThan(0);
          expect(chunk.length).toBeLessThanOrEqual(CHUNK_CHARACTERS);
        }
        const all = chunks.join(" ");
        const cut = mark === null ? given : given.replaceAll("\r\n", "\n").replaceAll(mark, " ");
        for (const word of cut.split(/\s+/)) if (word.length < 150) expect(all).toContain(word);
      }),
    );
  });

  test("no character is cut in two", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 3 }), (offset) => {
        for (const chunk of chunksOf("x".repeat(offset) + "😀".repeat(2_000), null)) {
          expect(chunk.isWellFormed()).toBe(true);
        }
      }),
    );
  });
});

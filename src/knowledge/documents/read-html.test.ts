import fc from "fast-check";
import { expect, test } from "vitest";
import { rounds } from "../../../test/harness/seed.ts";
import { readHtml } from "./read-html.ts";

const sections = (html: string) => {
  const { outcome } = readHtml(html);
  return outcome.kind === "read" ? outcome.sections : [];
};
const linesOf = (html: string) => sections(html).flatMap(({ text }) => text.split("\n"));

test("words of two elements that a browser sets apart are never one word, and a row of a table is a line", () => {
  const block = fc.constantFrom("p", "div", "li", "dd", "section", "blockquote", "pre");
  const cell = fc.array(fc.tuple(block, fc.constantFrom("Monday", "9-12", "Größe", "電話")), {
    minLength: 1,
    maxLength: 3,
  });
  const row = fc.array(cell, { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 3 }), (rows) => {
      const cells = (of: (typeof rows)[number]) =>
        of.map((one) => `<td>${one.map(([tag, text]) => `<${tag}>${text}</${tag}>`).join("")}</td>`).join("");
      const html = `<table>${rows.map((one) => `<tr>${cells(one)}</tr>`).join("")}</table><p>After\n  it</p>`;
      const inWords = (one: (typeof rows)[number][number]) =>
        one.map(([tag, text]) => (tag === "li" ? `- ${text}` : text)).join(" ");
      expect(linesOf(html).filter((line) => line !== "")).toEqual([
        ...rows.map((one) => one.map(inWords).join(" | ")),
        "After it",
      ]);
    }),
    { numRuns: rounds(100) },
  );
});

test("a heading that is clicked to open what stands below it is that heading; other buttons are not read", () => {
  expect(
    sections(
      '<h2><button aria-expanded="false">What does a cleaning cost?</button></h2><div>80 euros</div><button>Book</button>',
    ),
  ).toEqual([{ page: null, headings: ["What does a cleaning cost?"], text: "80 euros" }]);
});

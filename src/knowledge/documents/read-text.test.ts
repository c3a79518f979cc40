import { expect, test } from "vitest";
import { readMarkdown } from "./read-text.ts";

const sections = (text: string) => {
  const read = readMarkdown(text);
  return read.kind === "read" ? read.sections : null;
};

test.each([
  ["a heading that never ends", "# a", " "],
  ["marks that close no heading", "# ", "#"],
  ["a rule of a table that is none", "|", "-"],
  ["spaces", "a", " "],
  ["links that are never closed", "", "[a]("],
  ["addresses of links", "", "[a](https://b"],
  ["pictures that are never closed", "", "!["],
  ["comments that are never closed", "", "<!--"],
  ["stars", "", " *a"],
])("a line of %s is read as fast as another", (_, begin, unit) => {
  expect(
    sections(`${begin}${unit.repeat(300_000 / unit.length)}b\n\n# Prices\n\n80 euros`)?.at(-1),
  ).toMatchObject({
    text: expect.stringContaining("80 euros"),
  });
});

test("marks close a heading after a space only", () => {
  const text = "# C#\n\nA language.\n\n## Open ##\n\nAt nine.\n\n## Prices # ###   \n\n80 euros";
  expect(sections(text)?.map(({ headings }) => headings)).toEqual([
    ["C#"],
    ["C#", "Open"],
    ["C#", "Prices #"],
  ]);
});

test("links say where they lead, and pictures what they show", () => {
  const text =
    'See [our [new] page](https://a.example/x "Title"), [hours](/hours), ![a *map*](map.png) and [b](https://b.example/y).';
  expect(sections(text)?.[0]?.text).toBe(
    'See [our [new] page](https://a.example/x "Title"), hours, a map and b (https://b.example/y).',
  );
});

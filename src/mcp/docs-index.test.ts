import { expect, test } from "vitest";
import { indexDocs, searchDocs } from "./docs-index.ts";

const index = indexDocs(
  new Map([
    ["tools.md", "# Tools\n\nCalls.\n\n## Timeout\n\nSeconds.\n\n```sh\n# no heading\n```\n\nMore.\n"],
    ["voice.md", "# Voice\n\nHow calls are heard.\n\n## Interruptions\n\nA timeout of silence.\n"],
  ]),
);

test("a word of a heading weighs more than one of the text, and a plural finds the singular", () => {
  expect(searchDocs(index, "timeouts", 5).map(({ heading }) => heading)).toEqual([
    "Tools: Timeout",
    "Voice: Interruptions",
  ]);
});

test("a comment in a block of code is no heading", () => {
  expect(searchDocs(index, "seconds", 5)[0]?.text).toContain("# no heading");
});

test("nothing is found of words that nobody wrote, and of none", () => {
  expect(searchDocs(index, "zebra", 5)).toEqual([]);
  expect(searchDocs(index, "", 5)).toEqual([]);
});

test("of a long query only the first words are looked for, since a megabyte of them keeps everybody waiting", () => {
  const others = Array.from({ length: 200 }, (_, at) => `other${at}x`).join(" ");
  expect(searchDocs(index, `${others} timeout`, 5)).toEqual([]);
  expect(searchDocs(index, `timeout ${others}`, 5)).toEqual(searchDocs(index, "timeout", 5));
});

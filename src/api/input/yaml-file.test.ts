import fc from "fast-check";
import { expect, test } from "vitest";
import { parseDocument, stringify } from "yaml";
import { z } from "zod";
import { rounds } from "../../../test/harness/seed.ts";
import { readYaml, readYamlInTurns } from "./yaml-file.ts";

const anything = z.unknown();

test("whatever is written is read again, whole and in turns", () =>
  fc.assert(
    fc.asyncProperty(fc.jsonValue(), async (value) => {
      const text = stringify(value);
      const read = readYaml(text, anything);
      expect(read).toEqual({ ok: true, value: parseDocument(text).toJS() });
      expect(await readYamlInTurns(text, anything)).toEqual(read);
    }),
  ));

test("any text whatever has the same value or the same faults in turns", () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(..."ab:- \n\t[]{},&*!|>'\"#%?\r", "---", "...", "\n  ", "é"), {
        maxLength: 60,
      }),
      async (parts) => {
        const text = parts.join("");
        expect(await readYamlInTurns(text, anything)).toEqual(readYaml(text, anything));
      },
    ),
    { numRuns: rounds(500) },
  ));

test("a file of ten thousand values is read in turns, with the line of what is wrong", async () => {
  const lines = Array.from({ length: 10_000 }, (_, n) => `- ${n}`);
  const read = await readYamlInTurns(lines.join("\n"), z.array(z.number()));
  expect(read.ok && read.value.length).toBe(10_000);
  lines[7_776] = "- seven";
  expect(await readYamlInTurns(lines.join("\n"), z.array(z.number()))).toEqual({
    ok: false,
    faults: [
      {
        path: [7_776],
        line: 7_777,
        column: 3,
        message: "Input should be a valid number, unable to parse string as a number",
      },
    ],
  });
});

test("a file of several documents is refused at the second", async () => {
  expect(await readYamlInTurns("a: 1\n---\nb: 2\n", anything)).toEqual({
    ok: false,
    faults: [
      {
        path: [],
        line: 2,
        column: 1,
        message: "The file holds several documents. Divide it into several files.",
      },
    ],
  });
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { csvHead, csvLine } from "../../../src/base/csv.ts";
import { csvOf } from "../../../src/console/reports/figures.ts";
import { rounds } from "../../harness/seed.ts";

/* The console imports nothing of the program, so what keeps a spreadsheet from running a cell is written there again. */

const text = fc
  .array(fc.constantFrom(..."'=+-@＝＋－＠\t\r\n\", .;é5", "'=", "+15125550100", "-2.5", " "), {
    maxLength: 6,
  })
  .map((parts) => parts.join(""));

test("a table that the console saves has the bytes that the program would write", () =>
  fc.assert(
    fc.property(
      fc.array(text, { minLength: 1 }),
      fc.array(fc.array(fc.oneof(text, fc.integer(), fc.constant(null)))),
      (columns, rows) => {
        const written = csvHead(columns) + rows.map(csvLine).join("");
        expect(csvOf({ name: "", columns, rows })).toBe(written);
      },
    ),
    { numRuns: rounds(500) },
  ));

test("a formula becomes a text, and a telephone number or a negative number stays what it is", () => {
  const rows = [
    ['=cmd("x")', 'say "hi", you', "'=1"],
    ["+15125550100", -2.5, " "],
  ];
  expect(csvOf({ name: "", columns: ["a", "b", "c"], rows })).toBe(
    '\uFEFFa,b,c\r\n"\'=cmd(""x"")","say ""hi"", you",\'\'=1\r\n+15125550100,-2.5," "\r\n',
  );
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { CsvReader } from "../../../src/base/csv.ts";
import { previewCsv } from "../../../src/console/batches/csv-preview.ts";
import { rounds } from "../../harness/seed.ts";

const plain = fc.constantFrom("a", "é", 'size 6"', "b c", "+1201", "");
const cell = fc.oneof(plain, fc.constantFrom('"a,b"', '"a;b"', '"a\tb"', '"a""b"', '"a\r\nb"', '""'));
const ending = fc.constantFrom("\r\n", "\n", "\r");

test("the console shows the columns and rows that the server reads, whatever separates them and whatever is in quotes", () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { maxLength: 6 }),
      fc.constantFrom(",", ";", "\t"),
      ending,
      (rows, separator, end) => {
        const text = rows.map((cells) => cells.join(separator) + end).join("");
        const reader = new CsvReader(100_000);
        const [header = [], ...people] = [...reader.push(text), ...reader.end()].filter((cells) =>
          cells.some((cell) => cell !== ""),
        );
        const bytes = new TextEncoder().encode(text);
        expect(previewCsv(bytes, bytes.byteLength)).toMatchObject({ columns: header, rows: people });
      },
    ),
    { numRuns: rounds(300) },
  );
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { readCsv, writeCsv } from "./csv-file.ts";

const columns = ["a", "b"] as const;
const read = (text: string) => readCsv(Buffer.from(text), { columns, required: ["a"] });

test("any cells that are written are read back, at the row a spreadsheet shows", () => {
  const cell = fc
    .oneof(fc.string({ unit: "grapheme" }), fc.stringMatching(/^[ ,"\r\n]{0,4}$/))
    .filter((text) => !text.includes("\0"));
  const row = fc.record({ a: cell, b: cell }).filter(({ a, b }) => (a + b).trim() !== "");
  fc.assert(
    fc.property(fc.array(row), (rows) => {
      expect(read(writeCsv(columns, rows))).toEqual(rows.map((cells, index) => ({ row: index + 2, cells })));
    }),
  );
});

test("lines without cells are passed over and still counted; cells and columns that are not there are empty", () => {
  expect(read("b,a\n\n1\n , \n1,2\n")).toEqual([
    { row: 3, cells: { a: "", b: "1" } },
    { row: 5, cells: { a: "2", b: "1" } },
  ]);
  expect(read("a\n1\n")).toEqual([{ row: 2, cells: { a: "1", b: "" } }]);
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { readCsv, writeCsv } from "./csv-file.ts";

const columns = ["a", "b"] as const;
const read = (text: string) => readCsv(Buffer.from(text), { columns, required: ["a"] });

test("any cells that are written are read back, at the row a spreadsheet shows", () => {
  const cell = fc
    .oneof(
      fc.string({ unit: "grapheme" }),
      fc.stringMatching(/^[ ,"\r\n]{0,4}$/),
      fc.stringMatching(/^'{0,2}[=+@-]?[0-9a-z]{0,3}$/),
    )
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

test("a workbook is named as one, and not as a file without columns", () => {
  expect(() => read("PK\u0003\u0004\u0014\u0006a,b")).toThrow(/is a workbook\. Save it as CSV/);
});

test("columns may be separated by semicolons or tabs; a file with other separators is refused for that, and not for missing columns", () => {
  const row = [{ row: 2, cells: { a: "1,5", b: "2" } }];
  expect(read("a;b\n1,5;2\n")).toEqual(row);
  expect(read("b\ta\n2\t1,5\n")).toEqual(row);
  const said = (text: string) => {
    try {
      return read(text);
    } catch (error) {
      return (error as Error).message;
    }
  };
  expect(said("a|b\n1|2\n")).toMatch(/Columns are separated by bars\. Save the file as CSV with commas/);
  expect(said("c;d\n1;2\n")).toMatch(/Column required/);
});

test("a file that is written begins with the byte order mark by which Excel knows UTF-8", () => {
  expect(writeCsv(["a"], [{ a: "Müller" }])).toBe("\uFEFFa\r\nMüller\r\n");
});

test("a cell that a spreadsheet would run is written as text, a number as it is", () => {
  const cells = ["=1+1", "+49 30 1", "-2+3", "@SUM(A1)", "\tx", "＝1", "'=1", "+493012345", "-2.5", "a=b"];
  const written = writeCsv(
    ["a"],
    cells.map((a) => ({ a })),
  )
    .split("\r\n")
    .slice(1, -1);
  expect(written).toEqual([
    "'=1+1",
    "'+49 30 1",
    "'-2+3",
    "'@SUM(A1)",
    '"\'\tx"',
    "'＝1",
    "''=1",
    "+493012345",
    "-2.5",
    "a=b",
  ]);
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { csvLine, readCsvRows, unguarded } from "./csv.ts";

async function read(text: string | Buffer, cuts: number[]): Promise<string[][]> {
  const bytes = Buffer.from(text as string);
  const ends = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  const pieces = [0, ...ends].map((from, index) => bytes.subarray(from, ends[index]));
  const rows: string[][] = [];
  const file = (async function* () {
    yield* pieces;
  })();
  for await (const piece of readCsvRows(file, 100_000)) rows.push(...piece);
  return rows;
}

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
const ending = fc.constantFrom("\r\n", "\n", "\r");
const anything = fc
  .array(fc.constantFrom("a", "é", "👋", " ", ",", ";", "\t", '"', '""', "\n", "\r", "\r\n"), {
    maxLength: 6,
  })
  .map((parts) => parts.join(""));
const plain = fc.stringMatching(/^[a-z é]{1,5}$/).map((text) => ({ text, written: text }));
const cell = fc.oneof(
  plain,
  anything.map((text) => ({ text, written: quoted(text) })),
);
const rows = fc.array(fc.tuple(fc.array(cell, { minLength: 2, maxLength: 4 }), ending), {
  minLength: 1,
  maxLength: 30,
});

// Behind a long row that has to come whole, and behind none.
test.each([0, 5, 40_000])(
  "any cells, quoted or not, with the header's separator and any line endings and cut anywhere, are read back (behind %i characters)",
  async (before) => {
    await fc.assert(
      fc.asyncProperty(
        rows,
        fc.constantFrom(",", ";", "\t"),
        fc.boolean(),
        fc.array(fc.nat(), { maxLength: 8 }),
        async (rows, separator, isEnded, cuts) => {
          const first = "x".repeat(before);
          const text = rows.map(([cells, end], index) => {
            const isLast = index === rows.length - 1 && !isEnded;
            return cells.map(({ written }) => written).join(separator) + (isLast ? "" : end);
          });
          expect(await read(`${first}${separator}y\n${text.join("")}`, cuts)).toEqual([
            [first, "y"],
            ...rows.map(([cells]) => cells.map(({ text }) => text)),
          ]);
        },
      ),
    );
  },
);

test("semicolons and tabs separate where the header has more of them than commas outside of quotes, and blank lines before it decide nothing", async () => {
  expect(await read("a;b\n1,5;2\n", [])).toEqual([
    ["a", "b"],
    ["1,5", "2"],
  ]);
  expect(await read('\r\n;;\r\n"a, c";b\r\n1;"x\r\n;y"\r\n', [1, 4, 9])).toEqual([
    [""],
    ["", "", ""],
    ["a, c", "b"],
    ["1", "x\r\n;y"],
  ]);
  expect(await read("a\tb\n1;\t2", [])).toEqual([
    ["a", "b"],
    ["1;", "2"],
  ]);
  expect(await read("a,b;c\n1;2,3\n", [])).toEqual([
    ["a", "b;c"],
    ["1;2", "3"],
  ]);
  expect(await read("a;b", [])).toEqual([["a", "b"]]);
  for (const cuts of [[], [6], [14], [20]]) {
    expect(await read("Telefon;Name, Vorname;Ort,Land\n1;2,3;4\n", cuts)).toEqual([
      ["Telefon", "Name, Vorname", "Ort,Land"],
      ["1", "2,3", "4"],
    ]);
    expect(await read("Name, Vorname\tTelefon\n2, 3\t1\n", cuts)).toEqual([
      ["Name, Vorname", "Telefon"],
      ["2, 3", "1"],
    ]);
  }
  expect(await read("a, b, c\n1, 2, 3;\n", [])).toEqual([
    ["a", " b", " c"],
    ["1", " 2", " 3;"],
  ]);
});

test("a quote within a cell of the header, such as the sign of inches, is a letter", async () => {
  for (const separator of [",", ";", "\t"])
    expect(await read(`size 6"${separator}"a;,\tb"\n1${separator}2\n`, [9])).toEqual([
      ['size 6"', "a;,\tb"],
      ["1", "2"],
    ]);
});

test.each([0, 20_000])(
  "bytes that are not UTF-8 and a NUL are each named for what they are, and a replacement character in the file is text (row %i)",
  async (before) => {
    const file = (text: string, as: BufferEncoding = "utf8") =>
      read(Buffer.concat([Buffer.from(`name\n${"x\n".repeat(before)}`), Buffer.from(text, as)]), [1, 7, 9]);
    const at = { loc: ["file", before + 2, "name"], type: "string_unicode" };
    await expect(file("J\xf6rg\n", "latin1")).rejects.toMatchObject({
      issues: [{ ...at, msg: "Text is not UTF-8. Save the file as CSV UTF-8" }],
    });
    await expect(file("J\0rg\n")).rejects.toMatchObject({
      issues: [{ ...at, msg: "Text contains a NUL character. Remove it, or save the file as CSV UTF-8" }],
    });
    expect((await file("J\uFFFDrg\n")).at(-1)).toEqual(["J\uFFFDrg"]);
  },
);

test("a file that goes on in a quote that is never closed is refused without holding all of it", async () => {
  let sent = 0;
  const file = (async function* () {
    yield Buffer.from('a,b\n1,2\n3,"');
    for (; sent < 1_000; sent++) yield Buffer.from("x,\n".repeat(5_000));
  })();
  await expect(async () => {
    for await (const _ of readCsvRows(file, 100_000));
  }).rejects.toMatchObject({ issues: [{ loc: ["file", 3, 2], type: "csv_invalid" }] });
  expect(sent).toBeLessThan(20);
});

test("whatever cells we write are read back, nothing is an empty cell, and no cell of text is a formula", async () => {
  const written = fc.oneof(
    anything,
    fc.string(),
    fc.constantFrom("=1+1", "+x", "-1", "@a", "\t=1", null, undefined),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(written, { minLength: 2, maxLength: 5 }), async (cells) => {
      const [row] = await read(csvLine(cells), []);
      for (const [n, cell] of (row ?? []).entries()) {
        expect(unguarded(cell)).toBe(unguarded(cells[n] ?? ""));
        expect(cell).not.toMatch(/^[=@\t]|^[+-](?!\d+(\.\d+)?$)/);
      }
      expect(row).toHaveLength(cells.length);
    }),
    { examples: [[[";;", "a"]], [["a\tb\tc", "d"]]] },
  );
});

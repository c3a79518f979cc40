import { Readable } from "node:stream";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { InvalidInput } from "../base/errors.ts";
import { type FileRow, fileProblem, readRequestFile } from "./request-file.ts";

async function read(text: string | Buffer, chunk = 7): Promise<FileRow[]> {
  const bytes = Buffer.from(text);
  const chunks = Array.from({ length: Math.ceil(bytes.length / chunk) }, (_, index) =>
    bytes.subarray(index * chunk, (index + 1) * chunk),
  );
  const rows = [];
  for await (const piece of readRequestFile(Readable.from(chunks), { rows: 0 })) rows.push(...piece);
  return rows;
}

async function refusal(text: string | Buffer): Promise<InvalidInput> {
  try {
    await read(text);
  } catch (error) {
    if (error instanceof InvalidInput) return error;
    throw error;
  }
  throw new Error("the file was read");
}

const row = (reference_id: string, target: string, variables: object = {}): FileRow => ({
  reference_id,
  target,
  request_variables: JSON.stringify(variables),
});

describe("a file of requests", () => {
  test.each([
    ["its columns in any order", "target,reference_id\n1,a", [row("a", "1")]],
    ["the two columns in any case", "Reference_ID, TARGET \na,1", [row("a", "1")]],
    ["with spaces in the two columns' names", "Reference ID,Target\na,1", [row("a", "1")]],
    [
      "every other column a variable, by its name",
      "reference_id,target,First Name,vars.city\na,1,Ann,Bern",
      [row("a", "1", { First_Name: "Ann", "vars.city": "Bern" })],
    ],
    ["a byte order mark passed over", "\uFEFFreference_id,target\na,1", [row("a", "1")]],
    [
      "any ending of its lines",
      "reference_id,target\r\na,1\rb,2\nc,3",
      [row("a", "1"), row("b", "2"), row("c", "3")],
    ],
    ["blank lines passed over", "\nreference_id,target\n\na,1\n,\n\n", [row("a", "1")]],
    [
      "semicolons between its columns",
      'reference_id;target;"Name, first";amount\na;1;Ann;2,50',
      [row("a", "1", { "Name,_first": "Ann", amount: "2,50" })],
    ],
    [
      "quoted commas, quotes and lines",
      'reference_id,target,note\na,1,"He said ""no"",\nthen left"',
      [row("a", "1", { note: 'He said "no",\nthen left' })],
    ],
    [
      "a quote inside a cell that does not begin with one",
      'reference_id,target,size\na,1,5" tall',
      [row("a", "1", { size: '5" tall' })],
    ],
    [
      "blanks around what is looked up, and not in texts",
      "reference_id,target,x\n a , 1 , y ",
      [row("a", "1", { x: " y " })],
    ],
    ["cells that are left out empty", "reference_id,target,x\na", [row("a", "", { x: "" })]],
    ["any letters", "reference_id,target,name\nä,1,日本 👋", [row("ä", "1", { name: "日本 👋" })]],
    [
      "a variable that is called __proto__",
      "reference_id,target,__proto__\na,1,x",
      [{ reference_id: "a", target: "1", request_variables: '{"__proto__":"x"}' }],
    ],
  ])("is read with %s", async (_, text, rows) => {
    expect(await read(text)).toEqual(rows);
  });

  test("gives back what was written, wherever its bytes are cut", async () => {
    const cell = fc
      .string({ unit: "grapheme", maxLength: 12 })
      .filter((text) => !/[\0\uFFFD]/.test(text) && text.isWellFormed());
    const id = cell.map((text) => `#${text}#`);
    const rows = fc.array(fc.tuple(id, id, cell, cell), { minLength: 1, maxLength: 20 });
    const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
    await fc.assert(
      fc.asyncProperty(rows, fc.integer({ min: 1, max: 50 }), async (rows, chunk) => {
        const lines = [["reference_id", "target", "one", "two"], ...rows];
        const text = lines.map((cells) => cells.map(quoted).join(",")).join("\r\n");
        expect(await read(text, chunk)).toEqual(
          rows.map(([id, target, one, two]) => row(id, target, { one, two })),
        );
      }),
    );
  });

  test.each([
    ["", ["file"], "too_short", "Invalid file format: The file has no rows below its header"],
    [
      "reference_id,target\n",
      ["file"],
      "too_short",
      "Invalid file format: The file has no rows below its header",
    ],
    ["a,b\n1,2", ["file", 1, "reference_id"], "missing", "Missing required fields: reference_id, target"],
    [
      "reference_id;target,name\na;+15125550001,Ann",
      ["file", 1],
      "csv_invalid",
      "Invalid file format: row 1: Columns are separated by semicolons. Save the file as CSV with commas between the columns",
    ],
    [
      "reference_id|target\na|+15125550001",
      ["file", 1],
      "csv_invalid",
      "Invalid file format: row 1: Columns are separated by bars. Save the file as CSV with commas between the columns",
    ],
    [
      "PK\u0003\u0004\u0014\u0006reference_id,target",
      ["file"],
      "csv_invalid",
      "Invalid file format: The file is a workbook. Save it as CSV UTF-8",
    ],
    ["reference_id\na", ["file", 1, "target"], "missing", "Missing required fields: target"],
    [
      "reference_id,target,x,x\na,1,2,3",
      ["file", 1, "x"],
      "value_error",
      "Invalid file format: row 1, column x: Column appears twice",
    ],
    [
      "reference_id,target,,x\na,1,2,3",
      ["file", 1, 3],
      "value_error",
      "Invalid file format: row 1, column 3: Column has no name",
    ],
    [
      "reference_id,target\na,1\n\n ,2",
      ["file", 4, "reference_id"],
      "missing",
      "Invalid file format: row 4, column reference_id: Field required",
    ],
    [
      "reference_id,target\na,1\nb,Smith, John",
      ["file", 3, 3],
      "value_error",
      "Invalid file format: row 3, column 3: Row has 3 cells, the header 2. Quote cells that contain the separator",
    ],
    [
      `reference_id,target\n${"x".repeat(256)},1`,
      ["file", 2, "reference_id"],
      "string_too_long",
      "Invalid file format: row 2, column reference_id: String should have at most 255 characters",
    ],
    [
      "reference_id,target\n ..,1",
      ["file", 2, "reference_id"],
      "value_error",
      "Invalid file format: row 2, column reference_id: Input should be something other than '.' and '..', which no path can name",
    ],
    [
      'reference_id,target\na,1\nb,"2\nc,3',
      ["file", 3, 2],
      "csv_invalid",
      "Invalid file format: row 3, column 2: A quote is opened here and never closed",
    ],
    [
      'reference_id,target,size\na,1,"5" tall"',
      ["file", 2, 3],
      "csv_invalid",
      "Invalid file format: row 2, column 3: Text follows a closing quote. A quote inside a quoted cell must be doubled",
    ],
    [
      Buffer.concat([Buffer.from("reference_id,target,name\na,1,J"), Buffer.from([0xf6]), Buffer.from("rg")]),
      ["file", 2, "name"],
      "string_unicode",
      "Invalid file format: row 2, column name: Text is not UTF-8. Save the file as CSV UTF-8",
    ],
    [
      "reference_id,target\na,1\0",
      ["file", 2, "target"],
      "string_unicode",
      "Invalid file format: row 2, column target: Text contains a NUL character. Remove it, or save the file as CSV UTF-8",
    ],
    [
      `reference_id,target\na,1\nb,"${"x,\n".repeat(40_000)}`,
      ["file", 3, 2],
      "csv_invalid",
      "Invalid file format: row 3, column 2: Row is longer than 100000 bytes. Is a quote not closed?",
    ],
  ])("that can't be read is refused at its row and column: %#", async (text, loc, type, sentence) => {
    const error = await refusal(text);
    expect(error.issues[0]).toMatchObject({ loc, type });
    expect(fileProblem(error)).toBe(sentence);
  });

  test("tells all wrong rows at once, up to twenty, and what ends the file behind them", async () => {
    const places = async (text: string) => (await refusal(text)).issues.map(({ loc }) => loc.slice(1));
    const head = "reference_id,target\n";
    expect(await places(`${head}a,1\n,2\nc,3,4\nd,4\n..,5`)).toEqual([
      [3, "reference_id"],
      [4, 3],
      [6, "reference_id"],
    ]);
    expect(await places(`${head},1\nb,2\nc,"3`)).toEqual([
      [2, "reference_id"],
      [4, 2],
    ]);
    const many = await refusal(head + ",1\n".repeat(30));
    expect(many.issues).toHaveLength(20);
    expect(fileProblem(many)).toMatch(/^Invalid file format: row 2, .*row 6, [^;]*; and 15 more$/);
  });

  test("any bytes are a file or a refusal, never another error", async () => {
    const bytes = fc.uint8Array({ maxLength: 200 });
    await fc.assert(
      fc.asyncProperty(bytes, fc.boolean(), async (bytes, headed) => {
        const text = Buffer.concat([Buffer.from(headed ? "reference_id,target\n" : ""), bytes]);
        await read(text).catch((error) => expect(error).toBeInstanceOf(InvalidInput));
      }),
    );
  });
});

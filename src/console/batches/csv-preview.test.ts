import { expect, test } from "vitest";
import {
  columnProblems,
  guessColumns,
  missingColumns,
  previewCsv,
  renamedCsv,
  rowFault,
} from "./csv-preview.ts";

const preview = (text: string, size?: number) => {
  const bytes = new TextEncoder().encode(text);
  return previewCsv(bytes, size ?? bytes.byteLength);
};

test("quotes, line ends of all kinds and a byte order mark are read as the platform reads them", () => {
  const found = preview(
    '\uFEFFreference_id,target,note\r\n1,+1512,"a ""b"", c"\r2,+1513,"two\nlines"\n\n3,+1514,',
  );
  expect(found.columns).toEqual(["reference_id", "target", "note"]);
  expect(found.rows).toEqual([
    ["1", "+1512", 'a "b", c'],
    ["2", "+1513", "two\nlines"],
    ["3", "+1514", ""],
  ]);
  expect(found).toMatchObject({ problem: null, estimated_rows: 3 });
});

test("columns are separated by semicolons or tabs where the header has more of them than commas, and renamed as they are", async () => {
  const text = '\r\nKunde;"Telefon, privat";Betrag\r\n1;+49;1,50\r\n';
  const found = preview(text);
  expect(found).toMatchObject({
    columns: ["Kunde", "Telefon, privat", "Betrag"],
    rows: [["1", "+49", "1,50"]],
    problem: null,
  });
  const sent = renamedCsv(new File([text], "people.csv"), found, ["reference_id", "target", "a, b; c"]);
  expect(await sent.text()).toBe('reference_id;target;"a, b; c"\n1;+49;1,50\r\n');
  expect(preview("a\tb\n1\t2,5\n").rows).toEqual([["1", "2,5"]]);
  expect(preview("a,b;c\n1,2\n").columns).toEqual(["a", "b;c"]);
  expect(preview("Name, Vorname;Telefon\n2, 3;1\n").columns).toEqual(["Name, Vorname", "Telefon"]);
});

test("of a file that goes on, the cut row is left out and the number of rows is reckoned", () => {
  const found = preview(`id,target\n${"1234,+15125550100\n".repeat(10)}12`, 18_010);
  expect(found.rows).toHaveLength(10);
  expect(found.estimated_rows).toBe(1000);
});

test("a renamed file differs in its first line only, to the byte", async () => {
  const text = '\uFEFFKundennummer,"Telefon, privat",Grüße\r\n1,+49,"ä\r\nö"\r\n';
  const file = new File([text], "people.csv");
  const found = previewCsv(new Uint8Array(await file.arrayBuffer()), file.size);
  const sent = renamedCsv(file, found, ["reference_id", "target", 'say "hi", you']);
  expect(await sent.text()).toBe('reference_id,target,"say ""hi"", you"\n1,+49,"ä\r\nö"\r\n');
  expect(sent.name).toBe("people.csv");
});

test("the two columns that have to be there are guessed from what people call them", () => {
  expect(guessColumns(["Patient ID", "Phone Number", "First Name"])).toEqual([
    "reference_id",
    "target",
    "First_Name",
  ]);
  expect(guessColumns(["Target", "Reference_ID"])).toEqual(["target", "reference_id"]);
  expect(missingColumns(["reference_id", "note"])).toEqual(["target"]);
  expect(columnProblems(["a b", "a_b", " "])).toEqual([
    "",
    "Another column has this name",
    "A column needs a name",
  ]);
});

test.each([
  ["", /empty/],
  ["reference_id,target\n", /no rows/],
  ["reference_id|target\n1|2\n", /commas/],
  ['"reference_id,target', /never closed/],
])("%j is refused before it is sent", (text, problem) => expect(preview(text).problem).toMatch(problem));

test("a NUL is told as one, and a replacement character that somebody wrote is no fault", () => {
  expect(preview("reference_id,target\n1,\0").problem).toMatch(/NUL/);
  expect(preview("reference_id,target\n1,\uFFFD\n").problem).toBeNull();
});

test("bytes that are no UTF-8 are told", () => {
  const bytes = new Uint8Array([...new TextEncoder().encode("reference_id,target\nM"), 0xfc, 0x6c, 0x0a]);
  expect(previewCsv(bytes, bytes.byteLength).problem).toMatch(/UTF-8/);
});

test("a fault of the platform names its row and column", () => {
  expect(rowFault({ loc: ["file", 4, "target"], msg: "Field required" }).place).toBe("Row 4, column target");
  expect(rowFault({ loc: ["file"], msg: "too long" }).place).toBe("The file");
  expect(rowFault({ loc: ["query", "calling_code"], msg: "no" }).place).toBe("Calling code");
});

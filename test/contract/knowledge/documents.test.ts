import { beforeAll, describe, expect, test } from "vitest";
import { storedOf } from "../../../src/accounts/storage.ts";
import { searchDataSources } from "../../../src/knowledge/data-source-search.ts";
import { converse, createAgent } from "../../harness/agent.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { docx, lockedDocx, packedPdf, pdf, zip } from "../../harness/documents.ts";
import { sendForm } from "../../harness/form.ts";

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
});

let counter = 0;
async function source(text = "") {
  const name = `source_${++counter}`;
  const { status, body } = await app.send("POST", "/api/v1/data_sources/", { name, chunk: false, text });
  expect(status).toBe(200);
  return { name, id: body.id as number, path: `/api/v1/data_sources/${body.id}/documents/` };
}
const upload = (path: string, filename: string, content: string | Buffer, token = app.token) =>
  sendForm(app, "POST", path, { file: { filename, content } }, token);
const search = (question: string, ...entries: string[]) =>
  searchDataSources(app.db, app.admin.sub_organization_id, { entries, question });
const textOf = async (path: string, id: number) =>
  (await app.send("GET", `${path}${id}`)).body.text as string;

const PRICES = pdf([
  [
    { text: "Price list 2026", size: 24, y: 780 },
    { text: "Valid from the first of January.", y: 740 },
  ],
  [
    { text: "Hygiene", size: 16, y: 780 },
    { text: "Professional cleaning", y: 740 },
    { text: "95 EUR", x: 400, y: 740 },
    { text: "Fluoride var-", y: 725 },
    { text: "nish", y: 711 },
  ],
  [],
]);

const titled = (title: string) => pdf([[{ text: "Cleaning 95 EUR", y: 700 }]], { title });
const LONG_TITLE = "long ".repeat(40).trim();

describe("a file that is uploaded", () => {
  test("keeps its name, as browsers encode it and as programs do", async () => {
    const { path } = await source();
    const named = async (disposition: string) => {
      const head = `--b\r\ncontent-disposition: form-data; name="file"; ${disposition}`;
      const body = Buffer.from(`${head}\r\n\r\nAnything.\r\n--b--\r\n`);
      const headers = { "content-type": "multipart/form-data; boundary=b" };
      return (await app.send("POST", path, body, headers)).body.name;
    };
    expect(await named('filename="Prices %22new%22, 5%25.txt"')).toBe('Prices "new", 5%25.txt');
    expect(await named('filename="Two%0D%0Alines.txt"')).toBe("Two\r\nlines.txt");
    expect(await named("filename*=UTF-8''%C3%84rzte%20%22%E4%BA%88%22.txt")).toBe('Ärzte "予".txt');
  });

  test("PDF: its pages are read, tables row by row, and the answer says how much", async () => {
    const { path } = await source();
    const { status, body } = await upload(path, "prices.pdf", PRICES);
    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.any(Number),
      kind: "file",
      name: "prices.pdf",
      title: "prices",
      format: "pdf",
      pages: 3,
      pages_without_text: 1,
      characters: expect.any(Number),
      size_bytes: PRICES.length,
      created_at: "2026-11-18T12:00:00+00:00",
      updated_at: "2026-11-18T12:00:00+00:00",
      last_updated_by: "admin@example.com",
    });
    expect(await textOf(path, body.id)).toBe(
      "[page 1]\n\n# Price list 2026\n\nValid from the first of January.\n\n[page 2]\n\n## Hygiene\n\nProfessional cleaning | 95 EUR\nFluoride varnish",
    );
  });

  test("DOCX: its headings are kept in any language of Word, and rows of its tables are lines", async () => {
    const { path } = await source();
    const file = docx(
      [
        { style: "berschrift1", text: "Nach der Behandlung" },
        { text: "Bitte kühlen Sie die Wange." },
        { style: "berschrift2", text: "Essen & Trinken" },
        {
          rows: [
            ["Kaffee", "nach 24 Stunden"],
            ["Suppe", "nach 2 Stunden"],
          ],
        },
      ],
      { title: "Merkblatt" },
    );
    const { body } = await upload(path, "leaflet.docx", file);
    expect(body).toMatchObject({ format: "docx", title: "Merkblatt", pages: null });
    expect(await textOf(path, body.id)).toBe(
      "# Nach der Behandlung\n\nBitte kühlen Sie die Wange.\n\n## Essen & Trinken\n\nKaffee | nach 24 Stunden\nSuppe | nach 2 Stunden",
    );
  });

  test("DOCX: a text box is read once and apart, what was moved only where it is now, and parts have any names", async () => {
    const { path } = await source();
    const run = (text: string) => `<w:r><w:t>${text}</w:t></w:r>`;
    const box = `<w:txbxContent><w:p>${run("Ring the bell.")}</w:p></w:txbxContent>`;
    const relations = (...given: [string, string][]) =>
      `<Relationships>${given.map(([kind, target]) => `<Relationship Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${kind}" Target="${target}"/>`).join("")}</Relationships>`;
    const file = zip({
      "_rels/.rels": relations(
        ["extended-properties", "docProps/app.xml"],
        ["officeDocument", "/word/document2.xml"],
      ),
      "word/_rels/document2.xml.rels": relations(["theme", "theme1.xml"], ["styles", "styles2.xml"]),
      "word/styles2.xml": `<w:styles><w:style w:styleId="H"><w:name w:val="heading 1"/></w:style></w:styles>`,
      "word/document2.xml": `<w:document><w:body>
        <w:p><w:pPr><w:pStyle w:val="H"/></w:pPr>${run("Arriving")}<w:r><mc:AlternateContent><mc:Choice>${box}</mc:Choice><mc:Fallback>${box}</mc:Fallback></mc:AlternateContent></w:r>${run(" late")}</w:p>
        <w:moveFrom><w:p>${run("We wait.")}</w:p></w:moveFrom><w:p>${run("Call us.")}</w:p><w:moveTo><w:p>${run("We wait.")}</w:p></w:moveTo>
        </w:body></w:document>`,
    });
    const { status, body } = await upload(path, "late.docx", file);
    expect([status, body]).toEqual([200, body]);
    expect(await textOf(path, body.id)).toBe("Ring the bell.\n\n# Arriving late\n\nCall us.\n\nWe wait.");
  });

  test("HTML: the words of its main part, without menus, scripts and what is hidden", async () => {
    const { path } = await source();
    const html = `<!doctype html><html><head><title>Clinic &amp; hours</title><style>p{}</style><body>
      <nav><a href=/>Home</a></nav><header>Welcome</header><main><h1>Opening
      hours</h1><p>We open at <b>nine</b>.<br>On Sundays we are closed.<script>alert(1)</script>
      <table><tr><th>Day<th>Hours</tr><tr><td><p>Monday</p><td>9 to 5</tr></table>
      <ul><li>Ring the bell<li>Wait</ul><div hidden>Not <div>shown</div> at all</div><p>Thank you.</p></main>
      <footer>Imprint</footer>`;
    const { body } = await upload(path, "hours.html", html);
    expect(body).toMatchObject({ format: "html", title: "Clinic & hours" });
    expect(await textOf(path, body.id)).toBe(
      "# Opening hours\n\nWe open at nine.\nOn Sundays we are closed.\n\nDay | Hours\nMonday | 9 to 5\n\n- Ring the bell\n\n- Wait\n\nThank you.",
    );
  });

  test("Markdown: its headings and words, and code as it stands", async () => {
    const { path } = await source();
    const markdown = `---\ntitle: x\n---\n# Returns\n\nSend it **back** within [14 days](https://example.com/terms).\n\nHow\n---\n\n| Step | What |\n|---|---|\n| 1 | Pack _it_ |\n\n\`\`\`\n# not a heading\n\`\`\`\n`;
    const { body } = await upload(path, "returns.md", markdown);
    expect(body).toMatchObject({ format: "markdown", title: "Returns" });
    expect(await textOf(path, body.id)).toBe(
      "# Returns\n\nSend it back within 14 days (https://example.com/terms).\n\n## How\n\nStep | What\n1 | Pack it\n\n# not a heading",
    );
  });

  test.each<[string, string, string | Buffer, string]>([
    ["ends with a zero byte", "list.pdf", titled("Price list\\000"), "Price list"],
    ["has a zero byte before each letter", "list.pdf", titled("\\000P\\000r\\000i"), "Pri"],
    ["is a page long", "list.html", `<!doctype html><title>${"long ".repeat(100_000)}</title>x`, LONG_TITLE],
    ["is a page long in Markdown", "list.md", `# ${"long ".repeat(100_000)}\n\nx`, LONG_TITLE],
  ])("a title that %s is brought to what can be kept", async (_, filename, content, title) => {
    const { path } = await source();
    expect(await upload(path, filename, content)).toMatchObject({ status: 200, body: { title } });
  });

  test.each([
    ["UTF-8", Buffer.from("Öffnungszeiten: neun bis fünf")],
    ["UTF-16", Buffer.from("\ufeffÖffnungszeiten: neun bis fünf", "utf16le")],
    ["Windows", Buffer.from("Öffnungszeiten: neun bis fünf", "latin1")],
  ])("text as %s writes it", async (_, content) => {
    const { path } = await source();
    const { body } = await upload(path, "hours.txt", content);
    expect(await textOf(path, body.id)).toBe("Öffnungszeiten: neun bis fünf");
  });
});

describe("a file of which nothing can be read is refused in words, and nothing is stored", () => {
  const bomb = zip({ "word/document.xml": Buffer.alloc(60_000_000, "x") }, { claims: 1_000 });
  test.each<[string, string, string | Buffer, string]>([
    ["scanned pages", "scan.pdf", pdf([[], []]), "has no text: it is scanned pictures"],
    [
      "a password on a PDF",
      "locked.pdf",
      pdf([[{ text: "Secret", y: 700 }]], { is_locked: true }),
      "is password-protected",
    ],
    ["a password on a DOCX", "locked.docx", lockedDocx(), "is password-protected"],
    ["another archive", "photos.docx", zip({ "photo.jpg": "x" }), "is not a DOCX"],
    [
      "an archive under another name",
      "photos.zip",
      zip({ "photo.jpg": "x" }),
      "is not a PDF, DOCX, HTML, Markdown or text file",
    ],
    ["a text called DOCX", "letter.docx", "Dear Sir", "is not a DOCX"],
    ["a text called PDF", "letter.pdf", "Dear Sir", "is not a PDF"],
    [
      "an old Word file",
      "letter.doc",
      Buffer.concat([Buffer.from("d0cf11e0a1b11ae1", "hex"), Buffer.alloc(600)]),
      "is a Word file of the old kind",
    ],
    ["an RTF", "letter.doc", "{\\rtf1\\ansi\\deff0 Cleaning costs 95 EUR\\par}", "is an RTF file"],
    [
      "an archive that unpacks to far more than it says",
      "bomb.docx",
      bomb,
      "unpacks to more than can be read",
    ],
    [
      "a DOCX nested a hundred thousand levels deep",
      "deep.docx",
      zip({ "word/document.xml": "<w:p>".repeat(100_000) }),
      "is damaged",
    ],
    ["a page nested as deep", "deep.html", "<html>".padEnd(900_000, "<section>"), "is damaged"],
    ["half a PDF", "half.pdf", Buffer.from("%PDF-1.4\n1 0 obj\n<< /Type"), "is damaged"],
    ["half a DOCX", "half.docx", docx([{ text: "Hello" }]).subarray(0, 200), "is not a DOCX"],
    ["an empty document", "empty.docx", docx([{ text: " " }]), "has no text"],
    [
      "a picture",
      "photo.png",
      Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 1]),
      "is not a PDF, DOCX, HTML, Markdown or text file",
    ],
    ["blanks", "blank.txt", " \n ", "has no text"],
    ["no bytes", "nothing.txt", "", "is empty"],
  ])("%s", async (_, filename, content, words) => {
    const { path } = await source();
    const answer = await upload(path, filename, content);
    expect(answer).toMatchObject({ status: 422, body: { detail: [{ loc: ["body", "file"] }] } });
    expect(answer.body.detail[0].msg).toContain(words);
    expect((await app.send("GET", path)).body.items).toEqual([]);
  });

  test("a PDF that unpacks to hundreds of megabytes takes no such memory", async () => {
    const { path } = await source();
    const file = packedPdf(600);
    expect(file.length).toBeLessThan(10_000_000);
    let most = 0;
    const before = process.memoryUsage().rss;
    const watching = setInterval(() => {
      most = Math.max(most, process.memoryUsage().rss - before);
    }, 20);
    const answer = await upload(path, "bomb.pdf", file);
    clearInterval(watching);
    expect(answer.status).toBe(422);
    expect(most).toBeLessThan(500_000_000);
  });

  test("a file larger than 25 MB answers 413, and says how large it may be", async () => {
    const { path } = await source();
    expect(await upload(path, "large.txt", Buffer.alloc(26_300_000, "a"))).toMatchObject({
      status: 413,
      body: { detail: "The file is larger than 25 MB, the most that is accepted here." },
    });
  });
});

describe("the documents of a source", () => {
  test("are searched with its text, and each result names the file and the place in it", async () => {
    const { name, path } = await source("We are a dental clinic.");
    await upload(path, "prices.pdf", PRICES);
    await upload(path, "care.md", "# Aftercare\n\nCool the cheek.");
    expect((await search("?", name)).results).toEqual([
      { data_source: name, text: "We are a dental clinic.", score: 1 },
      { data_source: name, source: "prices.pdf, page 1", text: "Valid from the first of January.", score: 1 },
      { data_source: name, source: "prices.pdf, page 2", text: expect.stringContaining("95 EUR"), score: 1 },
      { data_source: name, source: "care.md, Aftercare", text: "Cool the cheek.", score: 1 },
    ]);
    // Beyond what is given whole, the parts are ranked.
    const filler = Array.from({ length: 40 }, (_, n) => `Filler ${n}. ${"lorem ipsum ".repeat(80)}`);
    await upload(path, "filler.txt", filler.join("\n\n"));
    const found = (await search("what does a professional cleaning cost", name)).results;
    expect(found[0]).toMatchObject({ source: "prices.pdf, page 2", text: expect.stringContaining("95 EUR") });
    // By a heading and by the file's name, which the words of the part don't have.
    expect((await search("hygiene", name)).results[0]).toMatchObject({ source: "prices.pdf, page 2" });
    expect((await search("aftercare", name)).results[0]).toMatchObject({ source: "care.md, Aftercare" });
    expect((await search("aftrecare", name)).results[0]).toMatchObject({ source: "care.md, Aftercare" });
  });

  test("an agent answers from them and is told where it stands", async () => {
    const { name, path } = await source();
    await upload(path, "prices.pdf", PRICES);
    const { agent_id } = await createAgent(app, {
      script: `
        on /ask (?<what>.+)/ -> call data_source_search {"question": "{what}"}
        after data_source_search -> say "{result.results.1.text} ({result.results.1.source})"`,
      systemTools: ["data_source_search"],
      agent: {
        prompt_tool_defaults: [
          { tool_name: "data_source_search", default_values: [{ field_name: "doc", default_value: [name] }] },
        ],
      },
    });
    const { text } = await converse(app, agent_id)("ask what does a cleaning cost");
    expect(text).toContain("Professional cleaning | 95 EUR");
    expect(text).toContain("(prices.pdf, page 2)");
  });

  test("a question can be tried without an agent", async () => {
    const { id, path } = await source();
    await upload(path, "prices.pdf", PRICES);
    const { body } = await app.send("POST", `/api/v1/data_sources/${id}/search`, { question: "cleaning" });
    expect(body).toMatchObject({ searched_by: "whole", results: [{ source: "prices.pdf, page 1" }, {}] });
    const filler = Array.from({ length: 40 }, (_, n) => `Filler ${n}. ${"lorem ipsum ".repeat(80)}`);
    await upload(path, "filler.txt", filler.join("\n\n"));
    const ranked = await app.send("POST", `/api/v1/data_sources/${id}/search`, { question: "cleaning" });
    expect(ranked.body).toMatchObject({ searched_by: "words", results: [{ source: "prices.pdf, page 2" }] });
  });

  test("a file of the same name takes the place of the one before, its parts with it", async () => {
    const { name, path } = await source();
    const first = await upload(
      path,
      "hours.md",
      "# Hours\n\nWe open at nine.\n\n# Parking\n\nBehind the house.",
    );
    app.clock.advance(60_000);
    const second = await upload(path, "hours.md", "# Hours\n\nWe open at ten.");
    expect(second.body).toMatchObject({ id: first.body.id, updated_at: "2026-11-18T12:01:00+00:00" });
    expect((await search("?", name)).results.map(({ text }) => text)).toEqual(["We open at ten."]);
    expect((await app.send("GET", path)).body.total_count).toBe(1);
  });

  test("stay when the source's own text is changed, and are gone with what was read when they or the source are deleted", async () => {
    const { id, name, path } = await source("Before.");
    const one = await upload(path, "one.txt", "The word of the first file is heliotrope.");
    await upload(path, "two.txt", "The word of the second file is amaranth.");
    await app.send("PUT", "/api/v1/data_sources/", { id, name, chunk: false, text: "After." });
    const texts = async () => (await search("?", name)).results.map(({ text }) => text.slice(-12));
    expect(await texts()).toEqual(["After.", " heliotrope.", "is amaranth."]);
    expect((await app.send("DELETE", `${path}${one.body.id}`)).body).toEqual({ success: true });
    expect((await app.send("GET", `${path}${one.body.id}`)).status).toBe(404);
    expect(await texts()).toEqual(["After.", "is amaranth."]);
    await app.send("DELETE", `/api/v1/data_sources/${id}?reason=old`);
    expect((await app.send("GET", path)).status).toBe(404);
    const left = await app.db
      .selectFrom("data_source_documents")
      .select("id")
      .where("data_source_id", "=", id)
      .execute();
    expect(left).toEqual([]);
  });

  test("count as kept, and not any more once they are deleted", async () => {
    const used = async () =>
      (await storedOf(app.db, app.admin.sub_organization_id)).kinds.find(
        ({ kind }) => kind === "data-sources",
      )?.bytes ?? 0;
    const { id, path } = await source("four");
    const before = await used();
    const { body } = await upload(path, "a.txt", "twelve bytes");
    expect((await used()) - before).toBe(12);
    await upload(path, "a.txt", "four");
    expect((await used()) - before).toBe(4);
    await app.send("DELETE", `${path}${body.id}`);
    expect(await used()).toBe(before);
    await upload(path, "b.txt", "more");
    await app.send("DELETE", `/api/v1/data_sources/${id}?reason=old`);
    expect(before - (await used())).toBe(4);
  });

  test("a neighbour's are not there, to read, to add to, to delete or to search", async () => {
    const { id, path } = await source();
    const { body } = await upload(path, "mine.txt", "Mine.");
    const neighbour = await app.createNeighbour("documents@example.org");
    expect((await neighbour.send("GET", path)).status).toBe(404);
    expect((await upload(path, "theirs.txt", "Theirs.", neighbour.token)).status).toBe(404);
    expect((await neighbour.send("GET", `${path}${body.id}`)).status).toBe(404);
    expect((await neighbour.send("DELETE", `${path}${body.id}`)).status).toBe(404);
    expect(
      (await neighbour.send("POST", `/api/v1/data_sources/${id}/search`, { question: "?" })).status,
    ).toBe(404);
    expect((await app.send("GET", path)).body.items).toHaveLength(1);
  });

  test("several uploaded at once are all there, each once", async () => {
    const { name, path } = await source();
    const names = ["a.txt", "b.txt", "c.txt", "a.txt"];
    const answers = await Promise.all(names.map((file) => upload(path, file, `Text of ${file}`)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect((await search("?", name)).results.map(({ text }) => text).toSorted()).toEqual([
      "Text of a.txt",
      "Text of b.txt",
      "Text of c.txt",
    ]);
  });
});

test("an organization whose storage is full is refused a file with what to do", async () => {
  const full = await createTestApp({ STORAGE_GB_PER_ORGANIZATION: "1" });
  const { body } = await full.send("POST", "/api/v1/data_sources/", { name: "s", chunk: false, text: "t" });
  const { sub_organization_id } = full.admin;
  await full.db
    .insertInto("storage_counts")
    .values({ sub_organization_id, kind: "recordings", bytes: 1e9 })
    .execute();
  const file = { filename: "a.txt", content: "more" };
  const answer = await sendForm(full, "POST", `/api/v1/data_sources/${body.id}/documents/`, { file });
  expect(answer).toMatchObject({ status: 402, body: { detail: expect.stringContaining("may keep 1 GB") } });
});

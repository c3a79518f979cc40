import { beforeAll, expect, test } from "vitest";
import type { JobContext } from "../../src/jobs/define-job.ts";
import { axeFindings, type ConsolePage, type ConsoleTest, createConsoleTest } from "../harness/console.ts";
import { docx, lockedDocx, pdf } from "../harness/documents.ts";
import { createPeer } from "../harness/peer.ts";

let it: ConsoleTest;
let page: ConsolePage;
let id: number;
beforeAll(async () => {
  it = await createConsoleTest({ CRAWL_PAUSE_MS: "0" });
  const source = { name: "clinic", chunk: false, text: "" };
  id = (await it.app.send("POST", "/api/v1/data_sources/", source)).body.id;
  page = await it.open(await it.person("Admin"));
});

const prices = pdf([
  [
    { text: "Professional cleaning", y: 700 },
    { text: "95 EUR", x: 400, y: 700 },
  ],
  [],
]);
const leaflet = docx([{ style: "berschrift1", text: "Aftercare" }, { text: "Cool the cheek for a day." }]);
const file = (name: string, buffer: Buffer) => ({ name, mimeType: "application/octet-stream", buffer });

test("files that are dropped are read one by one, and each says what was read or why nothing was", async () => {
  await page.goto(`/console/sources/${id}?view=files`);
  await page.getByText("No files yet").waitFor();
  await page
    .locator('input[type="file"]')
    .setInputFiles([
      file("prices.pdf", prices),
      file("leaflet.docx", leaflet),
      file("scan.pdf", pdf([[], []])),
      file("locked.docx", lockedDocx()),
      file("letter.docx", Buffer.from("Dear Sir")),
    ]);
  await page.getByText("5 of 5 files done").waitFor();
  const said = await page.getByRole("table", { name: "Uploaded files" }).innerText();
  expect(said).toMatch(/prices\.pdf\s+Read\s+2 pages, 30 characters; 1 page has no text/i);
  expect(said).toMatch(/leaflet\.docx\s+Read\s+25 characters/i);
  expect(said).toMatch(/scan\.pdf\s+Rejected\s+The file has no text: it is scanned pictures\./i);
  expect(said).toMatch(/locked\.docx\s+Rejected\s+The file is password-protected\./i);
  expect(said).toMatch(/letter\.docx\s+Rejected\s+The file is not a DOCX/i);
  expect(await axeFindings(page)).toEqual([]);
  expect(page.faults).toEqual([]);
});

test("what was read of a file can be looked at, and a question tried", async () => {
  await page.goto(`/console/sources/${id}?view=files`);
  await page.getByRole("button", { name: "prices.pdf", exact: true }).click();
  const read = page.getByRole("region", { name: "Extracted text" });
  await expect.poll(() => read.innerText()).toContain("Professional cleaning | 95 EUR");
  await page.keyboard.press("Escape");
  await page.getByRole("tab", { name: "Test search" }).click();
  await page.getByRole("textbox", { name: "Question" }).fill("What does a cleaning cost?");
  await page.getByRole("button", { name: "Search", exact: true }).click();
  await page.getByText("prices.pdf, page 1").waitFor();
  await page.getByText("Professional cleaning | 95 EUR").waitFor();
  expect(await axeFindings(page)).toEqual([]);
  expect(page.faults).toEqual([]);
});

test("a file is deleted after one question, and is not found any more", async () => {
  await page.goto(`/console/sources/${id}?view=files`);
  await page.getByRole("button", { name: "Delete leaflet.docx" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByRole("button", { name: "leaflet.docx", exact: true }).waitFor({ state: "detached" });
  const found = await it.app.send("POST", `/api/v1/data_sources/${id}/search`, { question: "cheek" });
  expect(found.body.results.map(({ source }: { source: string }) => source)).toEqual(["prices.pdf, page 1"]);
  expect(page.faults).toEqual([]);
});

test("a web site is read from its address, its pages are told one by one, and it is removed with them", async () => {
  const site = await createPeer();
  site.respond(({ path }, response) => {
    response.writeHead(path === "/" || path === "/hours" ? 200 : 404, { "content-type": "text/html" });
    response.end(`<title>${path}</title><p>We open at nine.</p><a href="/hours">h</a><a href="/gone">g</a>`);
  });
  await page.goto(`/console/sources/${id}?view=site`);
  await page.getByRole("textbox", { name: "Start address", exact: true }).fill(`${site.url}/`);
  await page.getByRole("button", { name: "Save and read" }).click();
  await page.getByText("Reading", { exact: true }).waitFor();
  const job = it.app.jobs.find(({ job: { name } }) => name === "crawl-source");
  const signal = new AbortController().signal;
  await job?.run({ data_source_id: id }, { stopping: signal, abortSignal: signal } as unknown as JobContext);
  await page.getByText("Finished", { exact: true }).waitFor();
  const pages = page.getByRole("region", { name: "Pages", exact: true });
  await pages.getByText("is not there (404)").waitFor();
  await expect.poll(() => pages.innerText()).toMatch(/\/hours\s+Read/i);
  expect(await axeFindings(page)).toEqual([]);
  await page.getByRole("button", { name: "Remove" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await page.getByText("Read a web site").waitFor();
  const left = await it.app.send("GET", `/api/v1/data_sources/${id}/documents/`);
  expect(left.body.items.map(({ name }: { name: string }) => name)).toEqual(["prices.pdf"]);
  expect(page.faults).toEqual([]);
});

test("who may only read sees the files and no place to drop any", async () => {
  const viewer = await it.open(await it.person("Viewer"));
  await viewer.goto(`/console/sources/${id}?view=files`);
  await viewer.getByRole("button", { name: "prices.pdf", exact: true }).waitFor();
  expect(await viewer.getByText("Drop files here").count()).toBe(0);
  expect(await viewer.getByRole("button", { name: /Delete/ }).count()).toBe(0);
  expect(viewer.faults).toEqual([]);
});

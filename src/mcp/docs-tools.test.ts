import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { callDocsTool, docsIn } from "./docs-tools.ts";

test("pages that could not be read once are read by the next call, and then not again", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "parley-docs-"));
  try {
    const page = path.join(folder, "tools.md");
    const read = docsIn(folder);
    await mkdir(page);
    await expect(read()).rejects.toThrow("EISDIR");
    await rm(page, { recursive: true });
    await writeFile(page, "# Tools\n\nA tool does something.\n");
    expect([...(await read()).pages.keys()]).toEqual(["tools.md"]);
    expect(await read()).toBe(await read());
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("a page that is asked for by another argument is no list of all pages: the answer says which argument names it", async () => {
  expect(await callDocsTool("read_doc", { path: "tools.md" })).toMatchObject({
    content: [{ text: "There is no argument path. read_doc takes page." }],
    isError: true,
  });
  expect(await callDocsTool("search_docs", { query: "webhook", limit: 3 })).toMatchObject({
    content: [{ text: "There is no argument limit. search_docs takes query." }],
    isError: true,
  });
});

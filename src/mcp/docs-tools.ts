import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { madeOnce } from "../api/made-once.ts";
import { type McpAnswer, refused, said, unknownArguments } from "./call-operation.ts";
import { type DocsIndex, indexDocs, searchDocs } from "./docs-index.ts";

const FOLDER = path.resolve(import.meta.dirname, "../../docs");
const SECTIONS = 6;

const readOnly = (title: string) => ({ title, readOnlyHint: true, openWorldHint: false });

/** The documentation of this very version, for a model that has to know how something is written. */
export const DOCS_TOOLS = [
  {
    name: "search_docs",
    title: "Search the documentation",
    description:
      "Finds sections of this version's documentation, best first. Read a whole page with read_doc.",
    inputSchema: {
      type: "object" as const,
      properties: { query: { type: "string", description: "A few words, such as: publish a version" } },
      required: ["query"],
      additionalProperties: false,
    },
    annotations: readOnly("Search the documentation"),
  },
  {
    name: "read_doc",
    title: "Read a page of the documentation",
    description: "Gives a page in Markdown. Without a page: the names of all pages.",
    inputSchema: {
      type: "object" as const,
      properties: { page: { type: "string", description: "Such as tools.md or reference/tasks.md" } },
      additionalProperties: false,
    },
    annotations: readOnly("Read a page of the documentation"),
  },
];

export const isDocsTool = (name: string): boolean => DOCS_TOOLS.some((tool) => tool.name === name);

/** The pages below a folder. */
export const docsIn = (folder: string): (() => Promise<DocsIndex>) =>
  madeOnce(() => readPages(folder).then(indexDocs));

const readDocs = docsIn(FOLDER);

export async function callDocsTool(name: string, given: Record<string, unknown>): Promise<McpAnswer> {
  const docs = await readDocs();
  if (docs.pages.size === 0) return refused("This installation has no documentation in its folder docs.");
  const unknown = unknownArguments(name, [name === "read_doc" ? "page" : "query"], given);
  if (unknown) return refused(unknown);
  if (name === "read_doc") {
    if (given.page === undefined) return said([...docs.pages.keys()].join("\n"));
    const text = docs.pages.get(String(given.page).replace(/^docs\//, ""));
    return text === undefined
      ? refused(`There is no page ${given.page}. Pages: ${[...docs.pages.keys()].join(", ")}`)
      : said(text);
  }
  const query = String(given.query ?? "").trim();
  if (!query) return refused("Give query: a few words to look for.");
  const found = searchDocs(docs, query, SECTIONS);
  if (found.length === 0) return said(`Nothing says "${query.slice(0, 100)}". Try fewer or other words.`);
  return said(found.map((each) => `## ${each.heading} (${each.page})\n\n${each.text}`).join("\n\n"));
}

/** Pages for those who use the product; why something was decided is not among them. */
async function readPages(folder: string): Promise<Map<string, string>> {
  const names = await readdir(folder, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  const wanted = names.filter((name) => name.endsWith(".md") && !name.startsWith("decisions")).toSorted();
  return new Map(
    await Promise.all(
      wanted.map(async (name) => [name, await readFile(path.join(folder, name), "utf8")] as const),
    ),
  );
}

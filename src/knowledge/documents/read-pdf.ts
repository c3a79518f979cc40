import { getDocumentProxy } from "unpdf";
import { type FileOutcome, MOST_CHARACTERS, MOST_PAGES, refuse } from "./file-outcome.ts";
import { type PlacedText, pageBlocks } from "./pdf-lines.ts";
import { documentTitle, type FileBlock, sectionsOf } from "./sections.ts";

/** The text of a PDF, page by page. Its lines are put together from where each piece of text stands. */
export async function readPdf(bytes: Buffer): Promise<FileOutcome> {
  const pdf = await opened(bytes);
  if (typeof pdf === "string") return refuse(pdf);
  const pages = pdf.numPages;
  if (pages > MOST_PAGES) return refuse("too-many-pages");
  const blocks: FileBlock[] = [];
  let characters = 0;
  let without = 0;
  for (let number = 1; number <= pages; number++) {
    const page = await pdf.getPage(number);
    const { items } = await page.getTextContent();
    page.cleanup();
    const found = pageBlocks(items.flatMap((item) => ("str" in item ? [item as PlacedText] : [])));
    const length = found.reduce(
      (sum, block) => sum + ("text" in block ? block.text : block.heading).length,
      0,
    );
    if (length === 0) without++;
    characters += length;
    if (characters > MOST_CHARACTERS) return refuse("too-long");
    blocks.push(...found.map((block) => ({ ...block, page: number })));
  }
  if (without === pages) return refuse("scanned");
  const sections = sectionsOf(blocks);
  // A page of nothing but headings says something too.
  if (sections.length === 0) sections.push(...sectionsOf(blocks.map(asText)));
  return {
    kind: "read",
    format: "pdf",
    title: await titleOf(pdf),
    pages,
    pages_without_text: without,
    sections,
  };
}

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>;

async function opened(bytes: Buffer): Promise<Pdf | "locked" | "broken"> {
  try {
    return await getDocumentProxy(new Uint8Array(bytes), { stopAtErrors: false, verbosity: 0 });
  } catch (error) {
    return error instanceof Error && error.name === "PasswordException" ? "locked" : "broken";
  }
}

/** Programs write the file's name there, or "Untitled"; that says less than the name the file has now. */
async function titleOf(pdf: Pdf): Promise<string | null> {
  const { info } = await pdf.getMetadata().catch(() => ({ info: {} }));
  const { Title } = info as { Title?: unknown };
  const title = typeof Title === "string" ? documentTitle(Title) : null;
  return title === null || /untitled|microsoft word|\.\w{2,4}$/i.test(title) ? null : title;
}

const asText = (block: FileBlock): FileBlock =>
  "heading" in block ? { ...(block.page && { page: block.page }), text: block.heading } : block;

import path from "node:path";

/*
 * Which modules of the console are one file. Left to itself, the bundler makes a file of each set of pages that share
 * something: 233 files, 77 of them below 1 KB, of which the page of an agent asks for 64. Each is a request with headers of
 * 700 bytes, and a browser has six connections.
 */

type Graph = { getModuleInfo(id: string): { importedIds: readonly string[] } | null };

/** What so many pages use is one file, which the first of them loads for all. */
const PAGES = 6;
/** Editors, charts and canvases: only for the pages that show one. */
const LARGE = /node_modules\/(?:@?codemirror|@lezer|recharts|victory-vendor|d3-[a-z]+|@xyflow)\//;
const HOME = path.join(import.meta.dirname, "home/home-page.tsx");
/** What Home shows of the components, which come from one module for all. */
const COMPONENTS_OF_HOME = /@mantine\/core\/.*\/(?:Grid|get-base-value)\//;

/** A module with all that it imports, and what that imports. */
function reached(from: string, graph: Graph): Set<string> {
  const found = new Set<string>([from]);
  for (const id of found)
    for (const imported of graph.getModuleInfo(id)?.importedIds ?? []) found.add(imported);
  return found;
}

let home: Set<string> | undefined;

/** The first page stays as light as it is: it does not wait for what lists and forms share. */
function ofHome(id: string, graph: Graph): string | null {
  home ??= reached(HOME, graph);
  const isOurs = !id.includes("/node_modules/");
  return id !== HOME && home.has(id) && (isOurs || COMPONENTS_OF_HOME.test(id)) ? "home" : null;
}

function ofManyPages(id: string, graph: Graph): string | null {
  for (const each of reached(id, graph)) if (LARGE.test(each)) return null;
  return "pages";
}

/** Small things that a few pages share to keep or ask something, beside what Home brings: a file of their own is mostly headers. */
const ofServer = (id: string): string | null => (id.includes("/console/server/") ? "home" : null);

const INITIAL = "$initial" as const;

/** What every visit loads, what Home adds, and what lists and forms share. The rest is left to the bundler. */
export const groups = [
  { name: "first", tags: [INITIAL] },
  { name: (id: string, graph: Graph) => ofHome(id, graph) ?? ofServer(id), minShareCount: 2 },
  { name: ofManyPages, minShareCount: PAGES },
];

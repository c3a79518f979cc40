import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { OWNERS } from "../../scripts/table-owners.ts";

/** The import lines of ARCHITECTURE.md, the program's and the console's: rooms from left to right, `|` between siblings. */
const [PROGRAM = [], CONSOLE = []] = [
  ...(readFileSync(path.resolve(import.meta.dirname, "../../ARCHITECTURE.md"), "utf8")
    .split("## The import line")[1]
    ?.matchAll(/```\n([\s\S]*?)```/g) ?? []),
].map(([, line = ""]) => line.split("<").map((step) => step.split("|").map((room) => room.trim())));

/** A file imports from its own folder or from folders to its left. */
const LINE = PROGRAM.flat();
/** Stand side by side: neither may import the other. */
const SIBLINGS = PROGRAM.filter((step) => step.length > 1);
/** A client in the browser: it imports nothing of the program, and the program nothing of it. */
const CLIENT = "console";
/** How the console is bundled; nothing imports it. */
const BUNDLING = ["chunks", "vite.config"];
/** What every page is made of, then the pages, then what shows them. */
const CONSOLE_LINE = [...CONSOLE.flat(), ...BUNDLING];
/** Read once by `commands`, typed for all who are handed a part of it. */
const ANYWHERE = new Set(["config", "settings"]);

const SRC = path.resolve(import.meta.dirname, "../../src");

const files = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter((file) => /\.tsx?$/.test(file));

const areaOf = (file: string): string =>
  file.includes(path.sep) ? (file.split(path.sep)[0] as string) : file.replace(/(\.test)?\.tsx?$/, "");

/** The room of a file of the console. */
const consoleAreaOf = (file: string): string => areaOf(path.relative(CLIENT, file));

const importsOf = (file: string): string[] =>
  [
    ...readFileSync(path.join(SRC, file), "utf8").matchAll(
      /^(?:import|export)\s[^;]*?from\s+"(\.[^"]+)"|\bimport\("(\.[^"]+)"\)/gms,
    ),
  ]
    .map((match) =>
      path.relative(SRC, path.resolve(path.dirname(path.join(SRC, file)), (match[1] ?? match[2]) as string)),
    )
    .filter((target) => !target.startsWith(".."));

/** Of the database, by its generated types. */
const TABLES = [
  ...(readFileSync(path.join(SRC, "db/types.ts"), "utf8").split("export interface DB {")[1] ?? "").matchAll(
    /^ {2}(\w+):/gm,
  ),
].map(([, table = ""]) => table);

const graph = new Map(files.map((file) => [file, importsOf(file)]));

test("every folder has its place in the import line", () => {
  const areas = new Set(files.map(areaOf));
  expect([...areas].filter((area) => !LINE.includes(area) && !ANYWHERE.has(area) && area !== CLIENT)).toEqual(
    [],
  );
});

test("a file imports from its own folder or from the left of the import line", () => {
  const wrong = [...graph].flatMap(([file, targets]) =>
    targets.filter((target) => !mayImport(file, target)).map((target) => `${file} imports ${target}`),
  );
  expect(wrong).toEqual([]);
});

test("every folder of the console has its place in the console's import line", () => {
  const areas = new Set(files.filter((file) => areaOf(file) === CLIENT).map(consoleAreaOf));
  expect([...areas].toSorted()).toEqual(CONSOLE_LINE.toSorted());
});

test("no import cycle, not even of types", () => {
  expect(cycles()).toEqual([]);
});

/** One idea fits into so many files, tests among them; a room that grows beyond holds two. */
const MOST_FILES = 35;

test("no room holds more files than one idea needs", () => {
  const inFolder = Map.groupBy(files, (file) => path.dirname(file));
  const crowded = [...inFolder].filter(([folder, of]) => folder !== "." && of.length > MOST_FILES);
  expect(crowded.map(([folder, of]) => `${folder}: ${of.length} files`)).toEqual([]);
});

test("the composition root names rooms, in fewer than 150 lines", () => {
  expect(readFileSync("src/app.ts", "utf8").split("\n").length).toBeLessThan(150);
});

/**
 * Read or written by a room to the left of the owner, each for its reason. Whoever adds one asks first whether an event, a
 * job or a function handed over by `app.ts` does it.
 */
const CLIMBS: Record<string, { tables: string[]; because: string }> = {
  "agents/agent-record.ts": {
    tables: ["channel_targets", "channels"],
    because: "an agent is answered with its addresses, in one statement",
  },
  "batches/request-insights.ts": {
    tables: ["insight_executions", "insight_outputs"],
    because: "results show what was found in each conversation, page by page",
  },
  "jobs/interrupted.ts": {
    tables: ["sub_organizations"],
    because: "a job that dies again and again is counted for the tenant that its flag names",
  },
  "sessions/held-message.ts": {
    tables: ["mail_messages", "text_messages"],
    because: "a transcript shows what came into the dialogue and was held, in the order of its words",
  },
  "tools/system-tools.ts": {
    tables: ["prompts"],
    because: "a tool that the program has no more is taken from the prompts that offer it, at the start",
  },
  "tools/tool-store.ts": {
    tables: ["agents", "prompts"],
    because: "a tool is answered with the prompts and agents that use it",
  },
};

test("a file names tables of its own room or of rooms to its left", () => {
  const found = new Map(
    files
      .filter((file) => areaOf(file) !== CLIENT && !/\.(test|trial)\.ts$/.test(file))
      .map((file) => [file, climbsOf(file)] as const)
      .filter(([, tables]) => tables.length > 0),
  );
  expect(Object.fromEntries(found)).toEqual(
    Object.fromEntries(Object.entries(CLIMBS).map(([file, { tables }]) => [file, tables])),
  );
});

test("every table has a room that owns it", () => {
  expect(Object.keys(OWNERS).toSorted()).toEqual(TABLES.toSorted());
  expect(Object.values(OWNERS).filter((room) => !LINE.includes(room))).toEqual([]);
});

/** As the statements of a file name them, in SQL and by Kysely; a comment is no statement. */
function climbsOf(file: string): string[] {
  const code = readFileSync(path.join(SRC, file), "utf8").replace(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*/g, "");
  const named = code.matchAll(
    /(?:\b(?:from|join|update|into|copy) |null::|(?:From|from|[jJ]oin|Into|Table)\(\[?"|table: ")([a-z_]+)\b/g,
  );
  const tables = new Set(
    [...named].map(([, table = ""]) => table).filter((table) => Object.hasOwn(OWNERS, table)),
  );
  return [...tables].filter((table) => !allowed(areaOf(file), OWNERS[table] as string)).toSorted();
}

function mayImport(file: string, target: string): boolean {
  const [from, to] = [areaOf(file), areaOf(target)];
  if (from !== CLIENT || to !== CLIENT) return allowed(from, to);
  return CONSOLE_LINE.indexOf(consoleAreaOf(target)) <= CONSOLE_LINE.indexOf(consoleAreaOf(file));
}

function allowed(from: string, to: string): boolean {
  if (from === CLIENT || to === CLIENT) return from === to;
  if (from === to || ANYWHERE.has(to)) return true;
  if (ANYWHERE.has(from)) return to === "base" || to === "egress";
  if (SIBLINGS.some((pair) => pair.includes(from) && pair.includes(to))) return false;
  return LINE.indexOf(to) < LINE.indexOf(from);
}

function cycles(): string[] {
  const found: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, trail: string[]): void => {
    const at = trail.indexOf(file);
    if (at >= 0) {
      found.push([...trail.slice(at), file].join(" → "));
      return;
    }
    if (done.has(file)) return;
    for (const target of graph.get(file) ?? []) visit(target, [...trail, file]);
    done.add(file);
  };
  for (const file of files) visit(file, []);
  return found;
}

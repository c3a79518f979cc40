import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

/** The import line of ARCHITECTURE.md: a file imports from its own folder or from folders to its left. */
const LINE = [
  "base",
  "egress",
  "db",
  "expressions",
  "llm",
  "jobs",
  "api",
  "events",
  "accounts",
  "schemas",
  "speech",
  "knowledge",
  "tools",
  "agents",
  "directory",
  "workflows",
  "channels",
  "mime",
  "consent",
  "sessions",
  "tool-calls",
  "turns",
  "tryout",
  "webchat",
  "carriers",
  "simulator",
  "dialogues",
  "calls",
  "planning",
  "campaigns",
  "batches",
  "dialing",
  "board",
  "webhooks",
  "insights",
  "transcription",
  "executions",
  "folders",
  "reports",
  "demo",
  "app",
  "commands",
  "main",
];
/** Stand side by side: neither may import the other. */
const SIBLINGS = [
  ["expressions", "llm"],
  ["webchat", "dialogues"],
  ["board", "webhooks"],
];
/** A client in the browser: it imports nothing of the program, and the program nothing of it. */
const CLIENT = "console";
/** Read once by `commands`, typed for all who are handed a part of it. */
const ANYWHERE = new Set(["config", "settings"]);

const SRC = path.resolve(import.meta.dirname, "../../src");

const files = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter((file) => /\.tsx?$/.test(file));

const areaOf = (file: string): string =>
  file.includes(path.sep) ? (file.split(path.sep)[0] as string) : file.replace(/(\.test)?\.tsx?$/, "");

const importsOf = (file: string): string[] =>
  [...readFileSync(path.join(SRC, file), "utf8").matchAll(/^(?:import|export)\s[^;]*?from\s+"(\.[^"]+)"/gms)]
    .map((match) => path.relative(SRC, path.resolve(path.dirname(path.join(SRC, file)), match[1] as string)))
    .filter((target) => !target.startsWith(".."));

const graph = new Map(files.map((file) => [file, importsOf(file)]));

test("every folder has its place in the import line", () => {
  const areas = new Set(files.map(areaOf));
  expect([...areas].filter((area) => !LINE.includes(area) && !ANYWHERE.has(area) && area !== CLIENT)).toEqual(
    [],
  );
});

test("a file imports from its own folder or from the left of the import line", () => {
  const wrong = [...graph].flatMap(([file, targets]) =>
    targets
      .filter((target) => !allowed(areaOf(file), areaOf(target)))
      .map((target) => `${file} imports ${target}`),
  );
  expect(wrong).toEqual([]);
});

test("no import cycle, not even of types", () => {
  expect(cycles()).toEqual([]);
});

/** One idea fits into so many files, tests among them; a room that grows beyond holds two. The console is a program of its own. */
const MOST_FILES = 35;

test("no room holds more files than one idea needs", () => {
  const inFolder = Map.groupBy(
    files.filter((file) => areaOf(file) !== CLIENT),
    (file) => path.dirname(file),
  );
  const crowded = [...inFolder].filter(([folder, of]) => folder !== "." && of.length > MOST_FILES);
  expect(crowded.map(([folder, of]) => `${folder}: ${of.length} files`)).toEqual([]);
});

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

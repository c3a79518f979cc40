import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { parseSync } from "rolldown/utils";
import { readToolOptions } from "./tool-options.ts";

/**
 * Prints every text that a person may read, by file and line: labels, help and messages of the console, the chat page,
 * the command line, the API's descriptions and its errors. It is `./parley strings`.
 */

const USAGE = `./parley strings [part of a file's name …]
  prints every text that a person may read, by file and line`;

/** A text of the program and the line it begins on. */
export type ShownText = { line: number; text: string };

type Node = { type: string; start: number; end: number } & Record<string, unknown>;

/** Properties and attributes whose value is shown even where it is one word. */
const SHOWN =
  /^(label|title|placeholder|description|help|hint|text|message|noun|plural|heading|name|empty|legend|caption|summary|tooltip|confirm|aria-label|ariaLabel|alt)$/;
/** What such a property holds where it is not shown: names of the program's own. */
const CODE = /^[a-z0-9_.:/#-]*$|^[A-Z0-9_]+$|^[a-z]+[A-Z]\w*$/;
/** Words with a space between, of which one at least is written in letters. */
const SENTENCE = /\p{L}{2,}\S* \S|\S \S*\p{L}{2,}/u;
const STATEMENT =
  /^\s*(select|insert|update|delete|with|create|alter|drop|set|begin|commit|lock|vacuum|analyze|and|or|order by|from|where|\() /i;
/** `table as alias` of a query. */
const ALIAS = /^[\w.]+ as \w+$/;
const STYLE = /^[\d.a-z%#(),\s/-]+$|\b(px|rem|em|var\(--)/;

/** The name of an operation, by which the console calls it. */
const OPERATION = /^(GET|POST|PUT|PATCH|DELETE) \//;

const isText = (text: string, isShown: boolean): boolean => {
  const trimmed = text.trim();
  if (!/\p{L}/u.test(trimmed)) return false;
  if (isShown) return !CODE.test(trimmed) || /^[A-Z][a-z]+$/.test(trimmed);
  if (OPERATION.test(trimmed) || STATEMENT.test(text) || ALIAS.test(trimmed) || !SENTENCE.test(trimmed))
    return false;
  return /^[\p{Lu}"“…{]/u.test(trimmed) || !STYLE.test(trimmed);
};

const nameOf = (key: Node | undefined): string => String(key?.name ?? key?.value ?? "");

/** The texts of one source file, in the order they stand in it. */
export function stringsOf(file: string, source: string): ShownText[] {
  const found: ShownText[] = [];
  const lines = [...source.matchAll(/\n/g)].map((match) => match.index);
  const lineOf = (at: number) => {
    const line = lines.findIndex((end) => end >= at);
    return (line === -1 ? lines.length : line) + 1;
  };
  const add = (node: Node, text: string, isShown: boolean) => {
    if (isText(text, isShown))
      found.push({ line: lineOf(node.start), text: text.trim().replace(/\s+/g, " ") });
  };

  const visit = (node: Node, isShown: boolean): void => {
    switch (node.type) {
      case "ImportDeclaration":
      case "ExportAllDeclaration":
      case "TSLiteralType":
      case "TSTypeAliasDeclaration":
      case "TSInterfaceDeclaration":
      case "TSTypeAnnotation":
      case "TSTypeParameterInstantiation":
        return;
      case "TaggedTemplateExpression":
        // A statement of SQL.
        return;
      case "JSXText":
        add(node, String(node.value), true);
        return;
      case "Literal":
        if (typeof node.value === "string") add(node, node.value, isShown);
        return;
      case "TemplateLiteral": {
        const quasis = node.quasis as { value: { cooked: string } }[];
        const expressions = node.expressions as Node[];
        const parts = quasis.map(({ value }, at) => {
          const inner = expressions[at];
          return value.cooked + (inner === undefined ? "" : `{${source.slice(inner.start, inner.end)}}`);
        });
        const bare = quasis.map(({ value }) => value.cooked).join(" ");
        if (isText(bare, isShown)) add(node, parts.join(""), true);
        for (const inner of expressions) visit(inner, false);
        return;
      }
    }
    for (const [key, value] of Object.entries(node)) {
      if (key === "type" || key === "start" || key === "end" || key === "range") continue;
      const inherits = isShownPlace(node, key, isShown);
      for (const child of Array.isArray(value) ? value : [value]) {
        if (child !== null && typeof child === "object" && "type" in child) visit(child as Node, inherits);
      }
    }
  };
  visit(parseSync(file, source).program as unknown as Node, false);
  return found;
}

/** Whether what lies at this key of a node is shown: the value of a property or attribute that is, or a branch of such a one. */
function isShownPlace(node: Node, key: string, isShown: boolean): boolean {
  if (node.type === "Property" && key === "value") return SHOWN.test(nameOf(node.key as Node));
  if (node.type === "JSXAttribute" && key === "value") return SHOWN.test(nameOf(node.name as Node));
  if (node.type === "JSXExpressionContainer" || node.type === "LogicalExpression") return isShown;
  if (node.type === "ConditionalExpression") return isShown && key !== "test";
  return false;
}

/** The program's own files whose texts somebody reads. */
const sourceFiles = (root: string): string[] =>
  globSync("src/**/*.{ts,tsx}", { cwd: root })
    .filter((file) => !/\.(test|trial)\.tsx?$|api-types\.ts$|db\/types\.ts$/.test(file))
    .sort();

if (import.meta.main) {
  const root = path.resolve(import.meta.dirname, "..");
  const { positionals: wanted } = readToolOptions(USAGE, {}, { allowPositionals: true });
  let count = 0;
  for (const file of sourceFiles(root)) {
    if (wanted.length > 0 && !wanted.some((part) => file.includes(part))) continue;
    const texts = stringsOf(file, readFileSync(path.join(root, file), "utf8"));
    if (texts.length === 0) continue;
    count += texts.length;
    process.stdout.write(`\n${file}\n`);
    for (const { line, text } of texts) process.stdout.write(`${String(line).padStart(5)}  ${text}\n`);
  }
  process.stdout.write(`\n${count} texts\n`);
}

import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { stringsOf } from "../../scripts/strings.ts";

const textsOf = (source: string, file = "page.tsx") => stringsOf(file, source).map(({ text }) => text);

test("labels, sentences and templates are listed with their line; names, statements and types are not", () => {
  const source = [
    'import { Button } from "a kit of parts";',
    'type Kind = "of no interest";',
    "const page = (name: string) => (",
    `  <Button title="Delete" className="is wide" aria-label={\`Delete \${name}\`}>`,
    "    Keep the",
    "    record",
    "  </Button>",
    ");",
    "const rows = sql`select what nobody reads from it`;",
    'const query = "select a, b from c";',
    'const failed = new Fault("refused", "The record is in use. Stop it first.");',
    'call("GET /api/v1/agents/");',
  ].join("\n");
  expect(stringsOf("page.tsx", source)).toEqual([
    { line: 4, text: "Delete" },
    { line: 4, text: "Delete {name}" },
    { line: 4, text: "Keep the record" },
    { line: 11, text: "The record is in use. Stop it first." },
  ]);
});

test("the console's pages are read whole", () => {
  const file = "src/console/agents/release-panel.tsx";
  const texts = textsOf(readFileSync(path.resolve(import.meta.dirname, "../..", file), "utf8"), file);
  expect(texts).toEqual(expect.arrayContaining(["Release", "Review and publish", "All versions"]));
});

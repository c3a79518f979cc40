import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const SRC = path.resolve(import.meta.dirname, "../../src");
const DECLARED = /^(export )?(?:abstract )?(?:type|interface|class) ([A-Z]\w*)/gm;
/** Generated: the rows of tables have the tables' names. */
const GENERATED = "db/types.ts";

test("a type that others may use has its name to itself: whoever searches for it finds one thing", () => {
  const declared = new Map<string, { file: string; isExported: boolean }[]>();
  const files = readdirSync(SRC, { recursive: true, encoding: "utf8" });
  for (const file of files.map((name) => name.split(path.sep).join("/"))) {
    if (!/^(?!console\/).*(?<!\.test)\.ts$/.test(file) || file === GENERATED) continue;
    for (const [, exported, name = ""] of readFileSync(path.join(SRC, file), "utf8").matchAll(DECLARED)) {
      declared.set(name, [...(declared.get(name) ?? []), { file, isExported: exported !== undefined }]);
    }
  }
  const ambiguous = [...declared].flatMap(([name, places]) => {
    const where = [...new Set(places.map(({ file }) => file))];
    return where.length > 1 && places.some(({ isExported }) => isExported)
      ? [`${name}: ${where.join(", ")}`]
      : [];
  });
  expect(ambiguous).toEqual([]);
});

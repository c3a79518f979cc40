import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const ROOT = path.resolve(import.meta.dirname, "../..");

/** What the program has for its tests alone. */
const FOR_TESTS: Record<string, string> = {
  NOT_EXPORTED:
    "a table that exports leave out is named beside those that they take, so that none is forgotten",
  resolveDay: "a day of a schedule is what its rules are told by",
};

/** What stands beside the files that it is the material of. */
const isMaterial = (file: string): boolean => /\.(trial|examples)\.ts$|-stub\.ts$/.test(file);
const isTest = (file: string): boolean => file.startsWith("test/") || /\.test\.tsx?$/.test(file);

const files = ["src", "test", "bench", "scripts", "sdk"].flatMap((folder) =>
  readdirSync(path.join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .map((file) => path.join(folder, file))
    .filter((file) => /\.tsx?$/.test(file) && !/node_modules|\bdist\b/.test(file)),
);
const texts = new Map(files.map((file) => [file, readFileSync(path.join(ROOT, file), "utf8")]));

/** Files by the words in them. */
const naming = new Map<string, string[]>();
for (const [file, text] of texts)
  for (const word of new Set(text.match(/[\w$]+/g))) naming.set(word, [...(naming.get(word) ?? []), file]);

test("what a file exports, another file uses, and what the program exports, the program does", () => {
  const unused = [...texts].flatMap(([file, text]) => {
    // Types are exported with what takes them; derived files have what they are derived from.
    if (isMaterial(file) || file.startsWith("sdk/")) return [];
    const exported = text.matchAll(/^export (?:async )?(?:const|let|function\*?|class) ([\w$]+)/gm);
    return [...exported].flatMap(([, name = ""]) => {
      const users = (naming.get(name) ?? []).filter((user) => user !== file);
      const isOfProgram = !isTest(file) && !Object.hasOwn(FOR_TESTS, name);
      const isUsedHere = text.split(new RegExp(`\\b${name.replaceAll("$", "\\$")}\\b`)).length > 2;
      const isUsed = users.length > 0 && (isUsedHere || !isOfProgram || users.some((user) => !isTest(user)));
      return isUsed ? [] : [`${file}: ${name}`];
    });
  });
  expect(unused).toEqual([]);
});

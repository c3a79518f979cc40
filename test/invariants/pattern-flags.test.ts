import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const SRC = path.resolve(import.meta.dirname, "../../src");
const REGEX = String.raw`/(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/([a-z]*)`;

/** The flags of each pattern that a file's schemas have, written in place or as a constant of the file. */
function flagsIn(text: string): string[] {
  const inPlace = [...text.matchAll(new RegExp(String.raw`\.regex\(\s*${REGEX}`, "g"))].map(
    ([, flags]) => flags,
  );
  const named = [...text.matchAll(/\.regex\(\s*([A-Z_]+)\b/g)].flatMap(([, name]) =>
    [...text.matchAll(new RegExp(String.raw`\b${name} =\s*${REGEX}`, "g"))].map(([, flags]) => flags),
  );
  return [...inPlace, ...named].filter(
    (flags) => flags !== undefined && flags !== "" && flags !== "u",
  ) as string[];
}

test("a pattern of a schema has no flags, which openapi.json could not tell", () => {
  expect(flagsIn("z.string().regex(/^[a-z/]+$/i)")).toEqual(["i"]);
  expect(flagsIn("const NAME = /^a$/i;\nz.string().regex(NAME, {})")).toEqual(["i"]);
  const found = readdirSync(SRC, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.startsWith("console"))
    .filter((file) => flagsIn(readFileSync(path.join(SRC, file), "utf8")).length > 0);
  expect(found).toEqual([]);
});

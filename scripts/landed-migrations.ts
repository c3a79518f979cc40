import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { readMigrations } from "../src/db/migrate.ts";

const FILE = path.resolve(import.meta.dirname, "../src/db/migrations/landed.txt");

/** As they were when they landed: `0001_schema <checksum>` by file. */
export const readLanded = (): Map<string, string> =>
  new Map(
    (existsSync(FILE) ? readFileSync(FILE, "utf8") : "")
      .split("\n")
      .filter(Boolean)
      .map((line) => line.split(" ") as [string, string]),
  );

/** The text of landed.txt: a new migration is added, what stands there never changes. */
export function landedMigrations(): string {
  const landed = readLanded();
  for (const { version, name, checksum } of readMigrations()) {
    const file = `${String(version).padStart(4, "0")}_${name}`;
    if (!landed.has(file)) landed.set(file, checksum);
  }
  return `${[...landed]
    .map((line) => line.join(" "))
    .toSorted()
    .join("\n")}\n`;
}

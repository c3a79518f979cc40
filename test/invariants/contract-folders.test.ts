import { readdirSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const ROOT = path.resolve(import.meta.dirname, "../..");

const entries = (folder: string) => readdirSync(path.join(ROOT, folder), { withFileTypes: true });

test("every contract test lies in a folder named as the room of src that it is about, where --changed finds it", () => {
  const rooms = entries("src").flatMap((entry) => (entry.isDirectory() ? entry.name : []));
  const folders = entries("test/contract").map((entry) => entry.name);
  expect(folders.filter((folder) => !rooms.includes(folder))).toEqual([]);
});

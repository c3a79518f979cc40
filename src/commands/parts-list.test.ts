import { expect, test } from "vitest";
import { installedParts } from "./parts-list.ts";

/** Each allows to run, change and sell what is built with it, without giving one's own source away. */
const ALLOWED = new Set([
  "0BSD",
  "Apache-2.0",
  "BlueOak-1.0.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "BSD-4-Clause",
  "CC0-1.0",
  "ISC",
  "MIT",
  "MIT-0",
  // Asks for the source of changes to its own files only; none is changed.
  "MPL-2.0",
  "PostgreSQL",
  "Python-2.0",
  "Unlicense",
]);

/** Of `(MIT OR EUPL-1.1+)` one is enough, of `MIT AND ISC` all are needed. */
const isAllowed = (licence: string): boolean =>
  licence
    .replace(/^\((.*)\)$/, "$1")
    .split(" OR ")
    .some((choice) => choice.split(" AND ").every((one) => ALLOWED.has(one)));

test("everything that running Parley installs may be used commercially in a product of one's own", () => {
  const parts = installedParts();
  expect(parts.length).toBeGreaterThan(300);
  expect(parts.filter(({ licence }) => !isAllowed(licence))).toEqual([]);
});

test.each([
  ["(MIT OR EUPL-1.1+)", true],
  ["MIT AND ISC AND BSD-3-Clause", true],
  ["MIT AND GPL-3.0", false],
  ["AGPL-3.0", false],
  ["unknown", false],
])("%s is allowed: %s", (licence, expected) => {
  expect(isAllowed(licence)).toBe(expected);
});

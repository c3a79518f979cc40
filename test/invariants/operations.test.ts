import { readFileSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../harness/app.ts";
import { keyOf, operationsOf } from "../harness/operations.ts";

/** The operations of the public API, one a line: what clients written for it count on. */
const PUBLIC = readFileSync(`${import.meta.dirname}/operations.txt`, "utf8").trimEnd().split("\n").map(keyOf);

/** Of those, the ones that are not built yet. */
const PENDING = new Set<string>([]);

/** What the program has beside the public API, and documents too. */
const OWN = [
  "DELETE /api/v1/api_tokens/{}",
  "DELETE /api/v1/llm_providers/{}",
  "GET /api/v1/api_tokens/",
  "GET /api/v1/llm_providers/",
  "GET /chat/v1/sessions/{}",
  "POST /api/v1/api_tokens/",
  "POST /chat/v1/sessions",
  "POST /chat/v1/sessions/{}/end",
  "POST /chat/v1/sessions/{}/messages",
  "PUT /api/v1/llm_providers/{}",
];

/** Pages' and the console's own calls: no part of the API, and so in no documentation. */
const UNDOCUMENTED = new Set(["GET /api/v1/organizations/logos/{}", "GET /chat/v1/sessions/{}/socket"]);

let app: TestApp;
let documented: string[];
beforeAll(async () => {
  app = await createTestApp();
  documented = (await operationsOf(app.api.server)).map(({ key }) => key);
});

test("every operation of the public API is there, but for those that are listed as pending", () => {
  expect(PUBLIC).toHaveLength(176);
  const there = new Set(documented);
  expect(PUBLIC.filter((key) => !there.has(key) && !PENDING.has(key))).toEqual([]);
  expect([...PENDING].filter((key) => there.has(key))).toEqual([]);
});

test("what the program has beside the public API is listed here", () => {
  const known = new Set(PUBLIC);
  expect(documented.filter((key) => !known.has(key)).toSorted()).toEqual(OWN);
});

test("what the router routes and what openapi.json documents is the same", () => {
  const routed = routesOf(app.api.server.printRoutes({ commonPrefix: false }));
  const api = routed.filter((key) => / \/(api|chat)\/v1\//.test(key) && !UNDOCUMENTED.has(key));
  // The router takes every path with and without a slash at its end, and prints it without.
  expect(api.toSorted()).toEqual(documented.map((key) => key.replace(/\/$/, "")).toSorted());
});

test.each(["/api/v1/services", "/api/v1/services/"])("%s is answered without a redirect", async (path) => {
  const input = { name: `With ${path}`, description: "" };
  expect((await app.send("POST", path, input)).status).toBe(200);
  expect((await app.send("GET", path)).status).toBe(200);
});

/** Reads the tree that the router prints: a line is a part of a path, indented below the part it follows. */
function routesOf(tree: string): string[] {
  const parts: string[] = [];
  return tree.split("\n").flatMap((line) => {
    const found = /^([│\s]*)[├└]── (.*?)(?: \(([A-Z, ]+)\))?$/.exec(line);
    if (!found) return [];
    const [, indent = "", part = "", methods = ""] = found;
    const depth = indent.length / 4;
    parts.splice(depth, Infinity, part);
    const path = parts.join("").replace(/:\w+(\|:\w+)*/g, "{}");
    return methods
      .split(", ")
      .filter((method) => method !== "" && method !== "HEAD")
      .map((method) => `${method} ${path}`);
  });
}

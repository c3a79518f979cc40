import { readFileSync } from "node:fs";
import path from "node:path";
import { validate } from "@scalar/openapi-parser";
import { expect, test } from "vitest";
import { documentPart } from "./document-part.ts";

const DOCUMENT = JSON.parse(readFileSync(path.resolve(import.meta.dirname, "../../../openapi.json"), "utf8"));
const TAGS: string[] = DOCUMENT.tags.map(({ name }: { name: string }) => name);

test("the parts of all tags have every operation once and every component that one uses, and nothing that is not in the whole", () => {
  const operations: string[] = [];
  const components = new Set<string>();
  for (const tag of TAGS) {
    const part = documentPart(DOCUMENT, [tag]);
    for (const [at, methods] of Object.entries<object>(part.paths))
      for (const [method, operation] of Object.entries(methods)) {
        operations.push(`${method} ${at}`);
        expect(operation).toBe(DOCUMENT.paths[at][method]);
      }
    for (const [kind, of] of Object.entries<object>(part.components))
      for (const [name, component] of Object.entries(of)) {
        components.add(`${kind}/${name}`);
        expect(component).toBe(DOCUMENT.components[kind][name]);
      }
  }
  const all = (of: Record<string, object>) =>
    Object.entries(of).flatMap(([a, b]) => Object.keys(b).map((c) => [a, c]));
  expect(operations.toSorted()).toEqual(
    all(DOCUMENT.paths)
      .map(([at, method]) => `${method} ${at}`)
      .toSorted(),
  );
  // The second names of schemas, which nothing refers to: `{"$ref": …}` alone.
  const second = Object.entries<object>(DOCUMENT.components.schemas).flatMap(([name, schema]) =>
    Object.keys(schema).join() === "$ref" ? [`schemas/${name}`] : [],
  );
  expect([...components, ...second].toSorted()).toEqual(
    all(DOCUMENT.components)
      .map((names) => names.join("/"))
      .toSorted(),
  );
});

test("a part is a valid document of its own, in which nothing refers to what is not there", async () => {
  for (const tags of [["agents", "prompts"], ["outbound"], ["sessions"]]) {
    const part = documentPart(DOCUMENT, tags);
    const { valid, errors } = await validate(structuredClone(part));
    expect(errors ?? []).toEqual([]);
    expect(valid).toBe(true);
    expect(JSON.stringify(part).length).toBeLessThan(JSON.stringify(DOCUMENT).length / 4);
  }
});

test("a tag that is none is refused with those that are", () => {
  expect(() => documentPart(DOCUMENT, ["agents", "agnets"])).toThrow(/no tag "agnets"; there are .*agents/);
});

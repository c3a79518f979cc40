import { readFileSync } from "node:fs";
import path from "node:path";

// biome-ignore lint/suspicious/noExplicitAny: OpenAPI, read by its own rules
type Json = any;

const FILE = path.join(import.meta.dirname, "body-examples.json");

/**
 * The document with an example of each JSON body, as the tests send it: `./parley derive` writes the file from them, by the
 * operations' ids.
 */
export function withBodyExamples(document: Json): Json {
  const examples = JSON.parse(readFileSync(FILE, "utf8"));
  const withExample = (operation: Json): Json => {
    const body = operation.requestBody?.content?.["application/json"];
    const example = examples[operation.operationId];
    if (!body || example === undefined) return operation;
    const content = { ...operation.requestBody.content, "application/json": { ...body, example } };
    return { ...operation, requestBody: { ...operation.requestBody, content } };
  };
  const ofEach = (entries: Json, change: (entry: Json) => Json): Json =>
    Object.fromEntries(Object.entries(entries).map(([key, entry]) => [key, change(entry)]));
  return { ...document, paths: ofEach(document.paths, (methods) => ofEach(methods, withExample)) };
}

// biome-ignore lint/suspicious/noExplicitAny: OpenAPI, read by its own rules
type Json = any;

/** The document with an example of each JSON body. `examples`: by the operations' ids. Pure. */
export function withBodyExamples(document: Json, examples: Record<string, unknown>): Json {
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

import { jsonSchemaTransformObject } from "fastify-type-provider-zod";
import { opened } from "./open-answers.ts";

type Document = { components?: { schemas?: Record<string, unknown> } } & Record<string, unknown>;

const REF = "#/components/schemas/";

/**
 * The plugin publishes every named schema twice, as input (`AgentInput`) and as output, wherever it is used. Here what
 * nothing refers to is left out, and an input keeps that name only beside an output that differs from it. Where it used to
 * differ in nothing but that the output was closed, the input's name still leads to the one that is left.
 */
export function tidyDocument(source: Parameters<typeof jsonSchemaTransformObject>[0]): Document {
  const document = jsonSchemaTransformObject(source) as Document;
  const schemas = document.components?.schemas ?? {};
  const { components: _, ...rest } = document;

  const used = new Set<string>();
  const follow = (value: unknown): void => {
    for (const name of referencesIn(value)) {
      if (used.has(name)) continue;
      used.add(name);
      follow(schemas[name]);
    }
  };
  follow(rest);

  const renamed = namesWithoutTwin(schemas, used);
  // What is sent stays as it is: where it takes no other field than those it names, the server refuses them.
  const kept = [...used]
    .toSorted((a, b) => Number(a.endsWith("Input")) - Number(b.endsWith("Input")))
    .map((name) => {
      const sent = name.endsWith("Input") && name.replace(/Input$/, "") in schemas;
      return [renamed.get(name) ?? name, sent ? schemas[name] : opened(schemas[name])] as const;
    });
  const aliases = [...renamed]
    .filter(([input, plain]) => used.has(plain) && !isSame(schemas[input], schemas[plain], renamed))
    .map(([input, plain]) => [input, { $ref: REF + plain }] as const);
  const tidy = {
    ...rest,
    paths: openAnswers(rest.paths),
    components: {
      ...document.components,
      schemas: Object.fromEntries([...kept, ...aliases].toSorted(([a], [b]) => (a < b ? -1 : 1))),
    },
  };
  return rewriteReferences(tidy, renamed) as Document;
}

function openAnswers(paths: unknown): unknown {
  return Object.fromEntries(
    Object.entries((paths ?? {}) as Record<string, Record<string, { responses?: unknown }>>).map(
      ([path, methods]) => [
        path,
        Object.fromEntries(
          Object.entries(methods).map(([method, operation]) => [
            method,
            operation.responses ? { ...operation, responses: opened(operation.responses) } : operation,
          ]),
        ),
      ],
    ),
  );
}

/** Inputs that can go by their plain name: no output has it, or the output of that name says the very same. */
function namesWithoutTwin(schemas: Record<string, unknown>, used: Set<string>): Map<string, string> {
  const renamed = new Map<string, string>();
  for (const name of used) {
    const plain = name.replace(/Input$/, "");
    if (plain !== name && plain in schemas) renamed.set(name, plain);
  }
  const same = (a: string, b: string) =>
    isSame(schemas[a], schemas[b], renamed) || isSame(schemas[a], opened(schemas[b]), renamed);
  // Two schemas may differ only in what they refer to, so one that turns out to differ can tell others apart.
  for (let settled = false; !settled; ) {
    const differing = [...renamed].filter(([input, plain]) => used.has(plain) && !same(input, plain));
    for (const [input] of differing) renamed.delete(input);
    settled = differing.length === 0;
  }
  return renamed;
}

const isSame = (a: unknown, b: unknown, renamed: Map<string, string>): boolean =>
  JSON.stringify(rewriteReferences(a, renamed)) === JSON.stringify(rewriteReferences(b, renamed));

function referencesIn(value: unknown): string[] {
  const text = JSON.stringify(value) ?? "";
  return [...text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map((match) => match[1] as string);
}

function rewriteReferences(value: unknown, renamed: Map<string, string>): unknown {
  if (Array.isArray(value)) return value.map((item) => rewriteReferences(item, renamed));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      if (key !== "$ref" || typeof inner !== "string") return [key, rewriteReferences(inner, renamed)];
      const name = inner.slice(REF.length);
      return [key, REF + (renamed.get(name) ?? name)];
    }),
  );
}

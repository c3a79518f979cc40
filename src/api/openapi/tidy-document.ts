import { jsonSchemaTransformObject } from "fastify-type-provider-zod";
import { documentTextBounds } from "./text-bounds.ts";

type Document = { components?: { schemas?: Record<string, unknown> } } & Record<string, unknown>;

const REF = "#/components/schemas/";

/**
 * The plugin publishes every named schema twice, as input (`AgentInput`) and as output, wherever it is used. Here what
 * nothing refers to is left out, and an input keeps that name only beside an output that differs from it.
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
  const kept = [...used].map((name) => [renamed.get(name) ?? name, schemas[name]] as const);
  const tidy = {
    ...rest,
    components: {
      ...document.components,
      schemas: Object.fromEntries(kept.toSorted(([a], [b]) => (a < b ? -1 : 1))),
    },
  };
  // At the end, so that an input that only lacks a maximum doesn't differ from its output.
  const written = rewriteReferences(tidy, renamed) as Document;
  documentTextBounds(written);
  return written;
}

/** Inputs that can go by their plain name: no output has it, or the output of that name says the very same. */
function namesWithoutTwin(schemas: Record<string, unknown>, used: Set<string>): Map<string, string> {
  const renamed = new Map<string, string>();
  for (const name of used) {
    const plain = name.replace(/Input$/, "");
    if (plain !== name && plain in schemas) renamed.set(name, plain);
  }
  const same = (a: string, b: string) =>
    JSON.stringify(rewriteReferences(schemas[a], renamed)) ===
    JSON.stringify(rewriteReferences(schemas[b], renamed));
  // Two schemas may differ only in what they refer to, so one that turns out to differ can tell others apart.
  for (let settled = false; !settled; ) {
    const differing = [...renamed].filter(([input, plain]) => used.has(plain) && !same(input, plain));
    for (const [input] of differing) renamed.delete(input);
    settled = differing.length === 0;
  }
  return renamed;
}

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

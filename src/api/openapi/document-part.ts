import { invalid } from "../../base/errors.ts";

// biome-ignore lint/suspicious/noExplicitAny: OpenAPI, read by its own rules
type Json = any;

/**
 * The operations of these tags and the components that they use, as a document of its own: a model or a generator that needs
 * two groups reads a tenth of the whole. Pure. Rejects a tag that is none (InvalidInput).
 */
export function documentPart(document: Json, tags: string[]): Json {
  const known = new Set<string>(document.tags.map(({ name }: Json) => name));
  const unknown = tags.filter((tag) => !known.has(tag));
  if (unknown.length > 0)
    throw invalid(
      ["query", "tags"],
      `there is no tag "${unknown.join('", "')}"; there are ${[...known].join(", ")}`,
    );
  const wanted = new Set(tags);
  const paths = keep(document.paths, (methods) => {
    const kept = keep(
      methods,
      (operation) => operation.tags?.some((tag: string) => wanted.has(tag)) && operation,
    );
    return Object.keys(kept).length > 0 && kept;
  });
  const used = componentsOf(document, paths);
  const components = keep(document.components, (of, kind) =>
    kind === "securitySchemes" ? of : keep(of, (component, name) => used.has(`${kind}/${name}`) && component),
  );
  const told = document.tags.filter(({ name }: Json) => wanted.has(name));
  return { ...document, tags: told, paths, components };
}

/** Everything that these paths refer to, and what that refers to, as `schemas/Agent`. */
function componentsOf(document: Json, paths: Json): Set<string> {
  const used = new Set<string>();
  const follow = (value: Json): void => {
    if (typeof value !== "object" || value === null) return;
    const [, kind, name] = /^#\/components\/(\w+)\/(.+)$/.exec(value.$ref ?? "") ?? [];
    if (kind !== undefined && name !== undefined && !used.has(`${kind}/${name}`)) {
      used.add(`${kind}/${name}`);
      follow(document.components[kind][name]);
    }
    for (const inner of Object.values(value)) follow(inner);
  };
  follow(paths);
  return used;
}

/** What is left of each entry; without those of which nothing is. */
const keep = (entries: Json, part: (value: Json, key: string) => Json): Json =>
  Object.fromEntries(
    Object.entries<Json>(entries).flatMap(([key, value]) => {
      const left = part(value, key);
      return left ? [[key, left]] : [];
    }),
  );

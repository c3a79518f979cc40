import { headerLine } from "../egress/outgoing-headers.ts";
import { type Lookup, renderTemplate } from "../expressions/template.ts";
import { isEmpty } from "../tools/tool-arguments.ts";
import type { ToolDefinition } from "../tools/tool-definition.ts";

type Endpoint = NonNullable<ToolDefinition["endpoint"]>;

/** The HTTP request of an endpoint call, before authentication is added. */
export type EndpointRequest = {
  method: "GET" | "POST" | "PUT" | "DELETE";
  url: string;
  headers: Record<string, string>;
  body: string | undefined;
};

/**
 * The placeholders of the path without a value. null, "", an empty list or map are no value, because the URL without it is
 * another resource. `{name}` is no placeholder if a variable of that name has a value.
 */
export function missingInPath(
  { argument_location, url }: Endpoint,
  values: Record<string, unknown>,
  lookup: Lookup,
): string[] {
  if (argument_location !== "path") return [];
  const names = [...url.matchAll(PLACEHOLDER)].map(([, name]) => name as string);
  return [...new Set(names)].filter((name) => {
    const value = Object.hasOwn(values, name) ? values[name] : lookup(name);
    return isEmpty(value) || (typeof value === "string" && value.trim() === "");
  });
}

const PLACEHOLDER = /(?<!\{)\{([A-Za-z0-9_.-]+)\}(?!\})/g;

/** Places the arguments as the tool's definition says. Pure. */
export function endpointRequest(
  endpoint: Endpoint,
  values: Record<string, unknown>,
  toolHeaders: Record<string, string>,
  lookup: Lookup,
): EndpointRequest {
  const method = endpoint.method.toUpperCase() as EndpointRequest["method"];
  const inPath =
    endpoint.argument_location === "path"
      ? fillPath(endpoint.url, values)
      : { url: endpoint.url, rest: values };
  const url = renderUrl(inPath.url, lookup);
  const headers = Object.fromEntries(
    Object.entries(toolHeaders).map(([name, value]) => [
      name.toLowerCase(),
      headerLine(renderTemplate(value, lookup)),
    ]),
  );

  switch (placeOf(endpoint, method)) {
    case "query":
      return { method, url: withQuery(url, pairs(inPath.rest)), headers, body: undefined };
    case "form":
      return {
        method,
        url,
        headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
        body: new URLSearchParams(pairs(inPath.rest)).toString(),
      };
    case "body":
      return {
        method,
        url,
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify(inPath.rest),
      };
  }
}

/**
 * Whether a URL's path contains `..`. Such an argument can't be encoded, since URLs treat `%2e%2e` the same, and would lead
 * to a resource that the tool is not meant for.
 */
export const climbs = (url: string): boolean =>
  (url.split(/[?#]/, 1)[0] as string).split(/[/\\]/).some((part) => /^(?:\.|%2e){1,2}$/i.test(part));

/** Arguments without a placeholder in the path go into the query or the body, depending on the method. */
function placeOf(endpoint: Endpoint, method: EndpointRequest["method"]): "query" | "form" | "body" {
  if (endpoint.argument_location !== "path") return endpoint.argument_location;
  return method === "GET" || method === "DELETE" ? "query" : "body";
}

function fillPath(url: string, values: Record<string, unknown>) {
  const used = new Set<string>();
  const filled = url.replace(PLACEHOLDER, (placeholder, name: string) => {
    if (!Object.hasOwn(values, name)) return placeholder;
    used.add(name);
    return encodeURIComponent(printed(values[name]));
  });
  return {
    url: filled,
    rest: Object.fromEntries(Object.entries(values).filter(([name]) => !used.has(name))),
  };
}

/**
 * Variables in a URL are encoded, so that a caller's name can't add a path or a query. One at the beginning of the URL
 * (`{{ api_base }}/slots`) is a configured address and is not encoded.
 */
function renderUrl(url: string, lookup: Lookup): string {
  const opening = /^\s*\{\{[^{}]*\}\}/.exec(url)?.[0] ?? "";
  const encoded: Lookup = (name) => {
    const value = lookup(name);
    return value === undefined || value === null ? value : encodeURIComponent(printed(value));
  };
  return renderTemplate(opening, lookup) + renderTemplate(url.slice(opening.length), encoded);
}

function pairs(values: Record<string, unknown>): [string, string][] {
  return Object.entries(values).flatMap(([name, value]): [string, string][] => {
    if (value === null || value === undefined) return [];
    return Array.isArray(value) ? value.map((item) => [name, printed(item)]) : [[name, printed(value)]];
  });
}

function withQuery(url: string, query: [string, string][]): string {
  if (query.length === 0) return url;
  const [base, fragment] = url.split("#", 2) as [string, string?];
  const joined = `${base}${base.includes("?") ? "&" : "?"}${new URLSearchParams(query)}`;
  return fragment === undefined ? joined : `${joined}#${fragment}`;
}

const printed = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

import type { Issue } from "../../schemas/validation-issue.ts";
import { lacksScheme } from "../allowed-hosts.ts";
import { parameterDefaults, type ToolDefinition, toolFields, toolType } from "../tool-definition.ts";

export function missingEndpoint(definition: ToolDefinition): Issue[] {
  if (toolType(definition) !== "endpoint" || definition.endpoint) return [];
  return [
    {
      id: "endpoint-missing",
      severity: "warning",
      message: "An endpoint tool without an endpoint can't be called; say where its calls go.",
      path: ["endpoint"],
    },
  ];
}

/** A warning: an address without one is refused when the tool is called, and some were saved before this was told. */
export function urlWithoutScheme({ endpoint }: ToolDefinition): Issue[] {
  if (!endpoint || !lacksScheme(endpoint.url)) return [];
  return [
    {
      id: "url-without-scheme",
      severity: "warning",
      message: "Begin the URL with https:// or http://; without it the tool can't be called.",
      path: ["endpoint", "url"],
      value: endpoint.url,
    },
  ];
}

/** `{city}` or `{{ city }}`, from the first of its braces: each of thousands that nothing closes would be tried as a first. */
const PLACEHOLDER = /(?<!\{)\{+[^{}]*\}+/g;

/** The same for one that names no server, as the form's "https://" before anything is added. */
export function urlWithoutHost({ endpoint }: ToolDefinition): Issue[] {
  if (!endpoint || lacksScheme(endpoint.url) || endpoint.url.trimStart().startsWith("{")) return [];
  const filled = endpoint.url.replace(/:\{+[^{}]*\}+/g, ":1").replace(PLACEHOLDER, "x");
  if (URL.canParse(filled)) return [];
  return [
    {
      id: "url-without-host",
      severity: "warning",
      message:
        "Name the server in the URL, such as https://api.example.com; without it the tool can't be called.",
      path: ["endpoint", "url"],
      value: endpoint.url,
    },
  ];
}

/** A warning, too: no such request is sent, and everybody who may read the tool reads the password. */
export function urlWithCredentials({ endpoint }: ToolDefinition): Issue[] {
  if (!endpoint || !/^\s*https?:\/\/[^/?#]*@/i.test(endpoint.url)) return [];
  return [
    {
      id: "url-with-credentials",
      severity: "warning",
      message:
        "Take the user and the password out of the URL and give them to the service; with them the tool can't be called.",
      path: ["endpoint", "url"],
    },
  ];
}

/** `{{ city }}` is a variable of the session; `{city}` is where an argument goes. */
export function pathPlaceholder(definition: ToolDefinition): Issue[] {
  const { endpoint } = definition;
  if (!endpoint) return [];
  const { url, argument_location } = endpoint;
  const names = [...url.replace(/\{\{[^{}]*\}\}/g, "").matchAll(/\{([^{}]+)\}/g)].map(
    ([, name]) => name as string,
  );
  const issue = (id: string, severity: "error" | "warning", message: string): Issue => ({
    id,
    severity,
    message,
    path: ["endpoint", "url"],
    value: url,
  });
  const inPath = argument_location === "path";
  if (inPath && names.length === 0) {
    const message = "Arguments go into the path, but the URL has no {placeholder} for one.";
    return [issue("path-placeholder-missing", "error", message)];
  }
  const given = new Set([...toolFields(definition), ...parameterDefaults(definition).map(([name]) => name)]);
  return [...new Set(names)].flatMap((name) => {
    if (inPath && !given.has(name) && !name.includes(".")) {
      const message = `No argument of the tool is called ${name}, so a call needs a variable of that name. Write it as {{ ${name} }}, or name an argument.`;
      return [issue("path-placeholder-unknown", "warning", message)];
    }
    if (!inPath && given.has(name)) {
      const message = `{${name}} is not filled in, because the arguments go into the ${argument_location}. Send them as path, or take it out of the URL.`;
      return [issue("path-placeholder-unused", "warning", message)];
    }
    return [];
  });
}

/** RFC 9110, 9.3.1: a body of a GET has no meaning, and servers, proxies and caches drop it or refuse the request. */
export function bodyOfRead({ endpoint }: ToolDefinition): Issue[] {
  if (endpoint?.method !== "get" && endpoint?.method !== "delete") return [];
  if (endpoint.argument_location !== "body" && endpoint.argument_location !== "form") return [];
  return [
    {
      id: "body-with-get",
      severity: "warning",
      message: `Many servers ignore the body of a ${endpoint.method.toUpperCase()}. Send the arguments as query, or use POST.`,
      path: ["endpoint", "argument_location"],
      value: endpoint.argument_location,
    },
  ];
}

import type { Issue } from "../../schemas/validation-issue.ts";
import { lacksScheme } from "../allowed-hosts.ts";
import { type ToolDefinition, toolType } from "../tool-definition.ts";

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

/** `{{ city }}` is a variable of the session; `{city}` is where an argument goes. */
export function pathPlaceholder({ endpoint }: ToolDefinition): Issue[] {
  if (endpoint?.argument_location !== "path") return [];
  if (/\{[^{}]+\}/.test(endpoint.url.replace(/\{\{[^{}]*\}\}/g, ""))) return [];
  return [
    {
      id: "path-placeholder-missing",
      severity: "error",
      message: "Arguments go into the path, but the URL has no {placeholder} for one.",
      path: ["endpoint", "url"],
      value: endpoint.url,
    },
  ];
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

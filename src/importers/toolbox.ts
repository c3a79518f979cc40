import type { z } from "zod";
import type { AgentFile } from "../agent-files/agent-file.ts";
import { isRecord } from "../expressions/member.ts";
import { SYSTEM_TOOLS } from "../tools/system-tools.ts";
import type { StaticToolParameter, ToolDefinition } from "../tools/tool-definition.ts";
import { addressOf } from "./endpoint-address.ts";
import { type BuiltInNames, isSecretName, ownText } from "./foreign-text.ts";
import { type FieldPath, quoted, type Report } from "./report.ts";

type FileParts = z.input<typeof AgentFile>;
type DraftTool = NonNullable<FileParts["tools"]>[number];
type DraftService = NonNullable<FileParts["services"]>[number];

/** An argument that the model does not give. */
export type FixedArgument = { name: string; value: unknown; path: FieldPath };

export type GivenEndpoint = {
  root: FieldPath;
  name: string;
  description: string;
  url: string | null;
  method: string;
  location: "body" | "query" | "path";
  parameters: unknown;
  fixed: FixedArgument[];
  headers: Record<string, unknown>;
  /** Headers whose value the file keeps elsewhere. */
  secrets?: { header: string; path: FieldPath }[];
  timeout_s: number | null;
  paths: Record<"name" | "description" | "url" | "method" | "parameters" | "headers" | "timeout", FieldPath>;
};

export type Toolbox = {
  tools: DraftTool[];
  services: DraftService[];
  /** What the prompt offers, in the order of the file. */
  offered: string[];
  /** Makes an endpoint tool; null where Parley can't call it. The name may differ from the file's. */
  endpoint(given: GivenEndpoint): string | null;
  /** Offers one of the program's own tools. */
  builtIn(tool: string, path: FieldPath, sentence: string): string;
  /** Adds a tool that is made here. */
  own(name: string, definition: DraftTool["definition"]): void;
};

const SERVICE_OF_OURS = "Imported workflows";
const METHODS = ["get", "post", "put", "delete"] as const;
const LONGEST_TIMEOUT = 120;
/** What every call with a body says by itself. */
const SAID_ANYWAY = /^(?:content-type|accept|user-agent|content-length|host)$/i;

export function newToolbox(platform: string, builtInNames: BuiltInNames, report: Report): Toolbox {
  const tools: DraftTool[] = [];
  const services = new Map<string, DraftService>();
  const offered: string[] = [];
  const taken = new Set(SYSTEM_TOOLS.map(({ name }) => name));
  const toldHeaders = new Set<string>();

  const offer = (name: string): string => {
    if (!offered.includes(name)) offered.push(name);
    return name;
  };

  return {
    tools,
    offered,
    get services() {
      return [...services.values()];
    },
    builtIn(tool, path, sentence) {
      report.note(path, "mapped", sentence);
      return offer(tool);
    },
    own(name, definition) {
      services.set(SERVICE_OF_OURS, {
        name: SERVICE_OF_OURS,
        description: "Holds workflows of imported agents.",
      });
      taken.add(name);
      tools.push({ name, service: SERVICE_OF_OURS, definition });
      offer(name);
    },
    endpoint(given) {
      const { root, paths, location } = given;
      const method = METHODS.find((each) => each === given.method.toLowerCase());
      if (method === undefined) {
        report.note(
          root,
          "no equivalent",
          `The tool is left out: Parley calls with GET, POST, PUT or DELETE, not with ${quoted(given.method)}.`,
        );
        return null;
      }
      const address = given.url === null ? null : addressOf(given.url, builtInNames);
      if (address === null) {
        report.note(root, "no equivalent", "The tool is left out: it has no address that Parley can call.");
        return null;
      }
      const name = toolName(given.name, taken);
      taken.add(name);
      report.note(
        paths.name,
        name === given.name ? "mapped" : "approximated",
        name === given.name
          ? "The name of an endpoint tool."
          : `The tool is called ${name} here. Change it where the prompt names it.`,
      );
      report.note(
        paths.url,
        address.problems.length > 0 || address.left_out.length > 0 ? "approximated" : "mapped",
        ["The address that the tool calls.", ...address.problems].join(" "),
      );
      for (const credential of address.left_out)
        keepBack(address.service, credential, `${credential} of the address`, paths.url);
      report.note(paths.method, "mapped", "The method of the call.");
      for (const header of Object.keys(given.headers))
        noteHeader(address.service, header, [...paths.headers, header]);
      for (const { header, path } of given.secrets ?? []) noteHeader(address.service, header, path);
      const description = ownText(given.description, builtInNames);
      report.note(
        paths.description,
        description.problems.length > 0 ? "approximated" : "mapped",
        ["What the model reads of the tool.", ...description.problems].join(" "),
      );
      report.note(paths.parameters, "mapped", "The arguments of the tool.");
      const { static_parameters, defaults } = fixedArguments(given.fixed, address.service);
      const definition: DraftTool["definition"] = {
        type: "endpoint",
        tool: {
          type: "function",
          function: {
            name,
            description: description.text || `Calls ${name}.`,
            parameters: objectSchema(
              given.parameters,
              given.fixed.map((each) => each.name),
              builtInNames,
            ),
          },
        },
        endpoint: {
          url: address.url,
          method,
          argument_location: location,
          ...(given.timeout_s !== null && { timeout: timeoutOf(given.timeout_s, paths.timeout) }),
        },
        ...(static_parameters.length > 0 && { static_parameters }),
        ...(Object.keys(defaults).length > 0 && { defaults }),
      };
      const service = {
        name: address.service,
        description: `Called by agents from ${platform}.`,
      };
      if (!services.has(service.name)) services.set(service.name, service);
      tools.push({ name, service: service.name, definition });
      return offer(name);
    },
  };

  function timeoutOf(seconds: number, path: FieldPath): number {
    const allowed = Math.min(LONGEST_TIMEOUT, Math.max(1, seconds));
    report.note(
      path,
      allowed === seconds ? "mapped" : "approximated",
      allowed === seconds ? "How long a call may take." : `A call may take ${allowed} seconds here.`,
    );
    return allowed;
  }

  function noteHeader(service: string, header: string, path: FieldPath): void {
    if (SAID_ANYWAY.test(header)) {
      report.note(path, "mapped", "Parley sends this header by itself, for JSON.");
      return;
    }
    keepBack(service, header, `the header ${header}`, path);
  }

  /** What may be a credential gets a name, under which somebody fills it in. */
  function keepBack(service: string, what: string, where: string, path: FieldPath): void {
    const name = referenceName([service, what]);
    report.note(
      path,
      "approximated",
      `Not copied, as it may be a credential. Fill in ${name} at the service ${quoted(service)}.`,
    );
    if (toldHeaders.has(name)) return;
    toldHeaders.add(name);
    report.missing(
      path,
      name,
      `${quoted(where).slice(1, -1)}; credentials are custom headers of the service ${quoted(service)} here`,
    );
  }

  function fixedArguments(fixed: readonly FixedArgument[], service: string) {
    const static_parameters: StaticToolParameter[] = [];
    const defaults: Record<string, unknown> = {};
    for (const { name, value, path } of fixed) {
      if (isSecretName(name)) {
        keepBack(service, name, `the argument ${name}`, path);
        continue;
      }
      const own = typeof value === "string" ? ownText(value, builtInNames) : { text: value, problems: [] };
      report.note(
        path,
        own.problems.length > 0 ? "approximated" : "mapped",
        ["The tool sets this argument itself.", ...own.problems].join(" "),
      );
      const type = staticType(value);
      if (type) static_parameters.push({ name, required: false, type, default: own.text });
      else defaults[name] = { transform: { action: "override", value } };
    }
    return { static_parameters, defaults };
  }
}

const staticType = (value: unknown): StaticToolParameter["type"] | null => {
  if (typeof value === "string") return "string";
  if (typeof value === "boolean") return "boolean";
  return Number.isInteger(value) ? "int" : null;
};

/** The schema as an object's, without what the tool sets itself, its descriptions in our templates. */
function objectSchema(
  schema: unknown,
  without: readonly string[],
  builtInNames: BuiltInNames,
): ToolDefinition["tool"]["function"]["parameters"] {
  const given = isRecord(schema) ? schema : {};
  const properties = isRecord(given.properties) ? given.properties : {};
  const required = Array.isArray(given.required) ? given.required : [];
  return {
    ...given,
    type: "object",
    properties: Object.fromEntries(
      Object.entries(properties)
        .filter(([name]) => !without.includes(name))
        .map(([name, inner]) => [name, described(inner)]),
    ),
    required: required.filter((name) => typeof name === "string" && !without.includes(name)),
  };

  function described(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(described);
    if (!isRecord(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [
        key,
        key === "description" && typeof inner === "string"
          ? ownText(inner, builtInNames).text
          : described(inner),
      ]),
    );
  }
}

/** A name that model providers take and that no other tool has. */
function toolName(wanted: string, taken: ReadonlySet<string>): string {
  const base =
    wanted
      .slice(0, 200)
      .replaceAll(/[^A-Za-z0-9_-]+/g, "_")
      .replaceAll(/^_+|_+$/g, "")
      .slice(0, 60) || "tool";
  if (!taken.has(base)) return base;
  let number = 2;
  while (taken.has(`${base}_${number}`)) number++;
  return `${base}_${number}`;
}

export const referenceName = (parts: string[]): string =>
  parts
    .join("_")
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, "_")
    .replaceAll(/^_+|_+$/g, "")
    .replace(/^(?=\d|$)/, "SECRET_");

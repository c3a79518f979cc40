import { z } from "zod";
import { sha256 } from "../../base/crypto.ts";
import { isRecord } from "../../expressions/member.ts";
import type { Issue } from "../../schemas/validation-issue.ts";

/*
 * A tool of an MCP server is pinned: its definition keeps the hashes of the schema and of the description that a person
 * accepted. The model is always shown what was accepted, and a call is only made while the schema is still the same.
 */

const hash = () => z.string().regex(/^[0-9a-f]{64}$/);

export const McpCall = z
  .object({
    tool: z.string().min(1).max(128).describe("The tool's name on the MCP server."),
    schema_hash: hash().describe("SHA-256 of the input schema that was accepted."),
    description_hash: hash().describe("SHA-256 of the description that was accepted."),
    timeout: z.number().min(1).max(120).nullish().describe("Seconds; 20 when unset."),
  })
  .meta({ id: "ToolMcpCall" });
export type McpCall = z.infer<typeof McpCall>;

/** A tool as an MCP server lists it. */
export type McpTool = {
  name: string;
  description: string;
  input_schema: Record<string, unknown>;
  schema_hash: string;
  description_hash: string;
};

/** The server's words that a model would read; more is no description. */
const MAX_DESCRIPTION = 8_000;

/** One entry of `tools/list`; null where it is no tool. */
export function offeredTool(entry: unknown): McpTool | null {
  if (!isRecord(entry) || typeof entry.name !== "string" || !/^[^\s\p{Cc}]{1,128}$/u.test(entry.name))
    return null;
  const description = typeof entry.description === "string" ? entry.description : "";
  const input_schema = isRecord(entry.inputSchema) ? entry.inputSchema : { type: "object" };
  if (description.length > MAX_DESCRIPTION) return null;
  return {
    name: entry.name,
    description,
    input_schema,
    schema_hash: sha256(canonicalText(input_schema)),
    description_hash: sha256(description),
  };
}

/** JSON whose members are in order, so that a server which writes them in another one has not changed anything. */
const canonicalText = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) =>
    isRecord(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : part,
  );

export const PIN_STATES = ["same", "description-changed", "schema-changed", "gone"] as const;
type PinState = (typeof PIN_STATES)[number];

/** How the server's tool differs from what was accepted. Pure. */
export function pinState(
  pin: Pick<McpCall, "schema_hash" | "description_hash">,
  offered: Pick<McpTool, "schema_hash" | "description_hash"> | undefined,
): PinState {
  if (!offered) return "gone";
  if (offered.schema_hash !== pin.schema_hash) return "schema-changed";
  return offered.description_hash === pin.description_hash ? "same" : "description-changed";
}

/** What a tool's service is, for the findings: `tools` is null while the server's list was never read. */
export type McpSurroundings = { url: string | null; tools: ReadonlyMap<string, McpTool> | null };

/** The findings of a tool that calls an MCP server. */
export function mcpIssues(
  { type, mcp }: { type?: string | null; mcp?: McpCall | null },
  server: McpSurroundings | undefined,
): Issue[] {
  const issue = (id: string, severity: Issue["severity"], message: string, at: string[] = []): Issue => ({
    id,
    severity,
    message,
    path: ["mcp", ...at],
    ...(mcp && at.length > 0 && { value: mcp[at[0] as keyof McpCall] ?? undefined }),
  });
  if (!mcp)
    return type === "mcp"
      ? [issue("mcp-missing", "warning", "An MCP tool without mcp can't be called; add it from its service.")]
      : [];
  if (type != null && type !== "mcp")
    return [issue("mcp-without-effect", "warning", `A tool of type ${type} doesn't call an MCP server.`)];
  if (!server) return [];
  if (server.url === null)
    return [
      issue(
        "mcp-service-without-server",
        "warning",
        "The service is no MCP server: enter its MCP address first.",
      ),
    ];
  if (server.tools === null) return [];
  const offered = server.tools.get(mcp.tool);
  const state = pinState(mcp, offered);
  switch (state) {
    case "same":
      return [];
    case "gone":
      return [
        issue("mcp-tool-gone", "warning", `The MCP server no longer offers the tool "${mcp.tool}".`, [
          "tool",
        ]),
      ];
    case "schema-changed":
      return [
        issue(
          "mcp-schema-changed",
          "warning",
          "The MCP server changed the tool's arguments. Calls are refused until you accept the change on the service's page.",
          ["schema_hash"],
        ),
      ];
    case "description-changed":
      return [
        issue(
          "mcp-description-changed",
          "warning",
          "The MCP server changed the tool's description. The model still reads the accepted one; accept the change on the service's page.",
          ["description_hash"],
        ),
      ];
  }
}

import { z } from "zod";
import type { Caller } from "../../api/caller.ts";
import { write } from "../../api/resource.ts";
import { recordId, timestamp } from "../../api/schema.ts";
import type { Api } from "../../api/server.ts";
import { sha256 } from "../../base/crypto.ts";
import { Fault, invalid, notFound } from "../../base/errors.ts";
import type { Db } from "../../db/database.ts";
import { ToolResponse, type ToolWriters } from "../tool.ts";
import type { ToolDefinition } from "../tool-definition.ts";
import type { ToolInput } from "../tool-store.ts";
import { type McpListing, type McpListings, storedListing } from "./mcp-listing.ts";
import { type McpCall, type McpTool, PIN_STATES, pinState } from "./mcp-pin.ts";

const McpOfferedTool = z
  .object({
    name: z.string(),
    description: z.string(),
    input_schema: z.record(z.string(), z.unknown()),
    schema_hash: z.string(),
    description_hash: z.string(),
    added_as: z.string().nullable().describe("The tool that calls it; null: none does."),
    state: z
      .enum(PIN_STATES)
      .nullable()
      .describe("How it differs from what was accepted when the tool was added."),
    accepted: z
      .object({ description: z.string(), input_schema: z.unknown() })
      .nullable()
      .describe("What the model is shown of the tool that was added."),
  })
  .meta({ id: "McpOfferedTool" });

const McpServerResponse = z
  .object({
    service_id: z.int(),
    mcp_url: z.string(),
    revision: z.string().nullable().describe("Of the protocol, as the server speaks it."),
    server_name: z.string().nullable(),
    server_version: z.string().nullable(),
    read_at: timestamp().nullable().describe("When the list was read; null: never."),
    problem: z.string().nullable().describe("Why the last question had no answer."),
    tools: z.array(McpOfferedTool),
    gone: z.array(z.string()).describe("Tools of ours whose tool the server no longer offers."),
  })
  .meta({ id: "McpServerResponse" });
type McpServerResponse = z.infer<typeof McpServerResponse>;

const McpToolsRequest = z
  .object({
    tools: z
      .array(
        z.object({
          tool: z.string().min(1).max(128).describe("Its name on the server."),
          schema_hash: z
            .string()
            .nullish()
            .describe(
              "As it was shown to whoever accepts it; refused where the server has changed it since.",
            ),
          name: z
            .string()
            .regex(/^[a-zA-Z0-9_-]{1,64}$/)
            .nullish()
            .describe("What a new tool is called here; its name on the server when unset."),
        }),
      )
      .min(1)
      .max(100),
  })
  .meta({ id: "McpToolsRequest" });

type Deps = { db: Db; listings: McpListings; tools: ToolWriters };

/** A timeout for questions of a person who waits for the page. */
const ASK_MS = 20_000;

export function mcpRoutes(api: Api, { db, listings, tools }: Deps): void {
  const tag = "services";
  const params = z.object({ service_id: recordId() });

  api.get(
    "/api/v1/services/:service_id/mcp",
    {
      summary: "Get the tools of an MCP server",
      description: "As they were read last; nothing is asked.",
      tag,
      permission: "tools_read",
      params,
      response: McpServerResponse,
    },
    async ({ caller, params: { service_id } }) => {
      const url = await mcpUrlOf(db, caller, service_id);
      return answer(db, service_id, url, await storedListing(db, service_id, url));
    },
  );

  api.post(
    "/api/v1/services/:service_id/mcp/refresh",
    {
      summary: "Refresh the tools of an MCP server",
      tag,
      permission: "tools_write",
      params,
      response: McpServerResponse,
    },
    async ({ caller, params: { service_id } }) => {
      const url = await mcpUrlOf(db, caller, service_id);
      const peer = { service_id, url, conversation: "list", timeout_ms: ASK_MS };
      return answer(db, service_id, url, await listings.read(peer));
    },
  );

  api.post(
    "/api/v1/services/:service_id/mcp/tools",
    {
      summary: "Add tools of an MCP server, or accept their changes",
      description:
        "A tool that is there already takes over the server's arguments, and its description unless it was rewritten here.",
      tag,
      permission: "tools_write",
      params,
      body: McpToolsRequest,
      response: z.object({ tools: z.array(ToolResponse) }).meta({ id: "McpToolsResponse" }),
    },
    async ({ caller, params: { service_id }, body }) => {
      const url = await mcpUrlOf(db, caller, service_id);
      const listing = await storedListing(db, service_id, url);
      if (!listing?.tools) throw new Fault("refused", "Ask the MCP server for its tools first.");
      const offered = new Map(listing.tools.map((tool) => [tool.name, tool]));
      return write(db, "Tool", async (tx) => {
        const present = new Map((await pinnedTools(tx, service_id)).map((tool) => [tool.pin.tool, tool]));
        const saved: ToolResponse[] = [];
        for (const [index, wanted] of body.tools.entries()) {
          const at = (field: string) => ["body", "tools", index, field];
          const found = offered.get(wanted.tool);
          if (!found) throw invalid(at("tool"), `The MCP server does not offer a tool "${wanted.tool}"`);
          if (wanted.schema_hash != null && wanted.schema_hash !== found.schema_hash)
            throw invalid(at("schema_hash"), "The MCP server has changed the tool since: look at it again");
          const ours = present.get(wanted.tool);
          saved.push(
            ours
              ? await tools.replace(tx, caller, {
                  id: ours.id,
                  name: ours.name,
                  service_id,
                  definition: accepted(ours.definition, ours.pin, found),
                })
              : await tools.create(
                  tx,
                  caller,
                  newTool(service_id, found, wanted.name ?? nameFor(found.name)),
                ),
          );
        }
        return { tools: saved };
      });
    },
  );
}

async function mcpUrlOf(db: Db, caller: Caller, service_id: number): Promise<string> {
  const service = await db
    .selectFrom("services")
    .select("mcp_url")
    .where("id", "=", service_id)
    .where("sub_organization_id", "=", caller.sub_organization_id)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  if (!service) throw notFound("Service", service_id);
  if (service.mcp_url === null)
    throw new Fault("refused", "This service is no MCP server: enter its MCP address first.");
  return service.mcp_url;
}

type PinnedTool = { id: number; name: string; definition: ToolDefinition; pin: McpCall };

/** The tools of a service that call its MCP server. Index: tools_service. */
async function pinnedTools(db: Db, service_id: number): Promise<PinnedTool[]> {
  const rows = await db
    .selectFrom("tools")
    .select(["id", "name", "definition"])
    .where("service_id", "=", service_id)
    .where("deleted_at", "is", null)
    .orderBy("id", "desc")
    .execute();
  return rows.flatMap(({ id, name, definition }) => {
    const { mcp } = definition as ToolDefinition;
    return mcp ? [{ id, name, definition: definition as ToolDefinition, pin: mcp }] : [];
  });
}

async function answer(
  db: Db,
  service_id: number,
  mcp_url: string,
  listing: McpListing | null,
): Promise<McpServerResponse> {
  const ours = new Map((await pinnedTools(db, service_id)).map((tool) => [tool.pin.tool, tool]));
  const offered = listing?.tools ?? [];
  const names = new Set(offered.map(({ name }) => name));
  return {
    service_id,
    mcp_url,
    revision: listing?.revision ?? null,
    server_name: listing?.server_name ?? null,
    server_version: listing?.server_version ?? null,
    read_at: listing?.read_at ?? null,
    problem: listing?.problem ?? null,
    tools: offered.map((tool) => {
      const added = ours.get(tool.name);
      return {
        ...tool,
        added_as: added?.name ?? null,
        state: added ? pinState(added.pin, tool) : null,
        accepted: added ? shownOf(added.definition) : null,
      };
    }),
    gone: listing?.tools
      ? [...ours.values()].filter(({ pin }) => !names.has(pin.tool)).map(({ name }) => name)
      : [],
  };
}

const shownOf = ({ tool: { function: shown } }: ToolDefinition) => ({
  description: shown.description,
  input_schema: shown.parameters,
});

const pinOf = ({ name, schema_hash, description_hash }: McpTool): McpCall => ({
  tool: name,
  schema_hash,
  description_hash,
});

/** Names on a server may have dots and slashes, which model providers refuse. */
const nameFor = (name: string): string => name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64);

const newTool = (service_id: number, offered: McpTool, name: string): ToolInput => ({
  name,
  service_id,
  definition: {
    type: "mcp",
    tool: {
      type: "function",
      function: { name, description: offered.description, parameters: offered.input_schema },
    },
    mcp: pinOf(offered),
  },
});

/** An author's own description is kept: only the one that came from the server is replaced. */
function accepted(definition: ToolDefinition, pin: McpCall, offered: McpTool): ToolDefinition {
  const { description } = definition.tool.function;
  const isTheirs = sha256(description) === pin.description_hash;
  return {
    ...definition,
    tool: {
      ...definition.tool,
      function: {
        ...definition.tool.function,
        description: isTheirs ? offered.description : description,
        parameters: offered.input_schema,
      },
    },
    mcp: { ...pin, ...pinOf(offered) },
  };
}

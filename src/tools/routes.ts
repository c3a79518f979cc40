import type { Api } from "../api/server.ts";
import type { McpListings } from "./mcp/mcp-listing.ts";
import { mcpRoutes } from "./mcp/mcp-routes.ts";
import { type CreatesService, serviceRoutes } from "./service.ts";
import { type CreatesTool, toolRoutes } from "./tool.ts";

type Deps = Parameters<typeof serviceRoutes>[1] &
  Parameters<typeof toolRoutes>[1] & { listings: McpListings };

/** Creates services and tools inside another room's transaction. */
export type CreatesTools = { service: CreatesService; tool: CreatesTool };

/** Services, and tools with their versions. */
export function addTools(api: Api, deps: Deps): CreatesTools {
  const service = serviceRoutes(api, deps).create;
  const tools = toolRoutes(api, deps);
  mcpRoutes(api, { ...deps, tools });
  return { service, tool: tools.create };
}

import type { Api } from "../api/server.ts";
import { type CreatesService, serviceRoutes } from "./service.ts";
import { type CreatesTool, toolRoutes } from "./tool.ts";

type Deps = Parameters<typeof serviceRoutes>[1];

/** Creates services and tools inside another room's transaction. */
export type CreatesTools = { service: CreatesService; tool: CreatesTool };

/** Services, and tools with their versions. */
export function addTools(api: Api, deps: Deps): CreatesTools {
  return { service: serviceRoutes(api, deps).create, tool: toolRoutes(api, deps).create };
}

import type { Api } from "../api/server.ts";
import { serviceRoutes } from "./service.ts";
import { toolRoutes } from "./tool.ts";

type Deps = Parameters<typeof serviceRoutes>[1];

/** Services, and tools with their versions. */
export function addTools(api: Api, deps: Deps): void {
  serviceRoutes(api, deps);
  toolRoutes(api, deps);
}

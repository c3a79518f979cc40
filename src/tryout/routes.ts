import type { Api } from "../api/server.ts";
import { playTaskRoutes } from "./play-task.ts";
import { testAgentRoutes } from "./test-agent.ts";
import { tryToolRoutes } from "./try-tool.ts";

type Deps = Parameters<typeof testAgentRoutes>[1];

/** An author tries an agent, a tool, a task. */
export function addTryout(api: Api, deps: Deps): void {
  testAgentRoutes(api, deps);
  tryToolRoutes(api, deps);
  playTaskRoutes(api, deps);
}

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { variablesOf } from "../editors/template-variables.ts";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import type { KnownName } from "../workflows/names.ts";
import type { CallableTool } from "./step-context.ts";

const MOST_TOOLS = 1_000;
const MOST_AGENTS = 100;

/** The tools that a workflow may call, and the variables that agents and the program set. */
export function useAround(): { tools: CallableTool[]; names: KnownName[] } {
  const may = useMay();
  const tools = useQuery({
    queryKey: ["GET /api/v1/tools/", "studio"],
    enabled: may("tools_read"),
    staleTime: 60_000,
    queryFn: ({ signal }) =>
      call("GET /api/v1/tools/", {
        query: { fields: ["name", "service_id", "definition"], limit: MOST_TOOLS, order_by: "name" },
        signal,
      }),
  });
  const agents = useQuery({
    queryKey: ["GET /api/v1/agents/", "studio"],
    enabled: may("agents_read"),
    staleTime: 60_000,
    queryFn: ({ signal }) => call("GET /api/v1/agents/", { query: { limit: MOST_AGENTS }, signal }),
  });
  return useMemo(
    () => ({
      tools: (tools.data?.items ?? []).map(({ name, service_id, definition }) => ({
        name,
        service_id,
        definition,
      })),
      names: variablesOf(agents.data?.items ?? []),
    }),
    [tools.data, agents.data],
  );
}

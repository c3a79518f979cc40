import { useQuery } from "@tanstack/react-query";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";

/** Up to a hundred agents that use a record, with their variables, and how many there are; undefined until it is known, and where it may not be read. */
export function useAgentsWith(field: "prompt_id" | "custom_message_id", id: number | null) {
  const may = useMay();
  const agents = useQuery({
    queryKey: ["GET /api/v1/agents/", "with", field, id],
    enabled: id !== null && may("agents_read"),
    queryFn: ({ signal }) =>
      call("GET /api/v1/agents/", {
        query: { search_fields: [field], search_field_values: [String(id)], limit: 100 },
        signal,
      }),
  });
  return agents.data;
}

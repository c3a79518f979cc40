import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { RouteLink } from "../parts/parts.tsx";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";

/** The experiments that split the traffic of an agent now: until they end, nothing else takes a version live. */
export function RunningExperiments({ agent_id }: { agent_id: number }) {
  const may = useMay();
  const running = useQuery({
    queryKey: ["GET /api/v1/experiments/", "running", agent_id],
    enabled: may("experiments_read"),
    queryFn: ({ signal }) =>
      call("GET /api/v1/experiments/", {
        query: { search_fields: ["agent_id", "status"], search_field_values: [String(agent_id), "running"] },
        signal,
      }),
  });
  return (running.data?.items ?? []).map(({ id, name, stages }) => (
    <Text size="sm" mt={4} key={id}>
      <RouteLink to={`/agents/${agent_id}/experiments/${id}`} underline="always">
        <bdi>{name}</bdi>
      </RouteLink>{" "}
      splits the traffic:{" "}
      {(stages.at(-1)?.weights ?? [])
        .map(({ version_number, weight }) => `version ${version_number}: ${weight} %`)
        .join(", ")}
      .
    </Text>
  ));
}

import { Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { OfflineMark } from "../parts/offline-mark.tsx";
import { Facts, Fetched, Panel } from "../parts/parts.tsx";
import { call } from "../server/api.ts";

const MANY = 100;

/** What insight workflows found in this session. */
export function InsightPanel({ id }: { id: string }) {
  const found = useQuery({
    queryKey: ["session", id, "insights"],
    queryFn: ({ signal }) =>
      call("GET /api/v1/insights/", {
        query: { search_fields: ["session_id"], search_field_values: [id], limit: MANY },
        signal,
      }),
  });
  return (
    <Panel title="Insights">
      <Fetched query={found} lines={2}>
        {({ items }) =>
          items.length === 0 ? (
            <Text size="sm" c="dimmed">
              No insight workflow has analyzed this session.
            </Text>
          ) : (
            <Facts
              items={items.map(({ insight_key, string_value, numeric_value, json_value, model }) => [
                insight_key,
                <Stack key={insight_key} gap={4} align="flex-start">
                  <span dir="auto">
                    {string_value ?? numeric_value ?? String(json_value[insight_key] ?? "")}
                  </span>
                  <OfflineMark model={model} />
                </Stack>,
              ])}
            />
          )
        }
      </Fetched>
    </Panel>
  );
}

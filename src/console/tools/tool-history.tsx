import { Button, Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { ToolDefinition, ToolDetailResponse } from "../api-types.ts";
import { DifferenceList } from "../changes/difference-list.tsx";
import { differences } from "../changes/differences.ts";
import { Fetched, Panel } from "../parts/parts.tsx";
import { call } from "../server/api.ts";
import { Time } from "../time/time.tsx";
import { DEFINITION_LABELS } from "./tool-labels.ts";

type Props = { tool: ToolDetailResponse; onRestore: ((definition: ToolDefinition) => void) | null };

/** Versions of the tool, each compared with the current one; any can be restored into the form. */
export function ToolHistory({ tool, onRestore }: Props) {
  const history = useQuery({
    queryKey: ["tool history", tool.id],
    queryFn: ({ signal }) =>
      call("GET /api/v1/tools/{tool_id}/history", { path: { tool_id: tool.id }, signal }),
  });
  const [open, setOpen] = useState<number | null>(null);
  return (
    <Panel title="Versions">
      <Fetched query={history}>
        {({ items }) => (
          <Stack gap="sm">
            {items.map((version) => {
              const { version_number: number } = version;
              const isNow = number === tool.version_number;
              return (
                <div key={number}>
                  <Group gap="xs" justify="space-between">
                    <Text size="sm">
                      <b>Version {number}</b>
                      {isNow ? " (now)" : ""}, <Time at={version.created_at} /> by {version.updated_by}
                      {version.comments && (
                        <>
                          : <bdi>{version.comments}</bdi>
                        </>
                      )}
                    </Text>
                    {!isNow && (
                      <Group gap="xs">
                        <Button
                          size="compact-sm"
                          variant="default"
                          aria-expanded={open === number}
                          onClick={() => setOpen(open === number ? null : number)}
                        >
                          Compare
                        </Button>
                        {onRestore && (
                          <Button
                            size="compact-sm"
                            variant="default"
                            onClick={() => onRestore(version.definition)}
                          >
                            Restore
                          </Button>
                        )}
                      </Group>
                    )}
                  </Group>
                  {open === number && (
                    <DifferenceList
                      entries={differences(version.definition, tool.definition)}
                      labels={DEFINITION_LABELS}
                    />
                  )}
                </div>
              );
            })}
          </Stack>
        )}
      </Fetched>
    </Panel>
  );
}

import { Button, Group, TagsInput, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { InsightWorkflowOutput } from "../api-types.ts";
import { useAction } from "../parts/action.ts";
import { Failure, Panel } from "../parts/parts.tsx";
import { call } from "../server/api.ts";

/** Queues single sessions or recordings, whatever the workflow's conditions say. */
export function QueuePanel({ workflow }: { workflow: InsightWorkflowOutput }) {
  const client = useQueryClient();
  const [numbers, setNumbers] = useState<string[]>([]);
  const isUpload = workflow.source === "upload";
  const queueing = useAction({
    mutationFn: () => {
      const list = numbers.map(Number);
      return call("POST /api/v1/insights/workflows/queue-work", {
        body: {
          workflow_name: workflow.name,
          ...(isUpload ? { file_id_list: list } : { session_id_list: list }),
        },
      });
    },
    async onSuccess({ queued, skipped }) {
      notifications.show({
        message: `${queued} queued${skipped > 0 ? `, ${skipped} skipped: analysed already, or not over yet` : ""}`,
        color: queued > 0 ? "green" : "yellow",
      });
      setNumbers([]);
      await client.invalidateQueries({ queryKey: ["GET /api/v1/insights/executions/"] });
    },
  });
  const wrong = numbers.filter((text) => !/^\d+$/.test(text));
  return (
    <Panel title="By hand">
      <Text size="sm" c="dimmed" mb="xs">
        Analyzes the sessions you enter, tests included, even while the workflow is inactive.
      </Text>
      <Group gap="xs" align="flex-end">
        <TagsInput
          style={{ flex: "1 1 16rem" }}
          label={isUpload ? "Recording IDs" : "Session IDs"}
          splitChars={[",", " ", ";"]}
          value={numbers}
          onChange={setNumbers}
          error={wrong.length > 0 && `${wrong.join(", ")}: not a number`}
        />
        <Button
          variant="default"
          disabled={numbers.length === 0 || wrong.length > 0}
          loading={queueing.isPending}
          onClick={() => queueing.mutate()}
        >
          Add to queue
        </Button>
      </Group>
      {queueing.error && <Failure error={queueing.error} />}
    </Panel>
  );
}

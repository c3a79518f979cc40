import { Button, Group, NumberInput, Progress, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconPlayerPause, IconPlayerPlay } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { InsightAmounts, InsightBackfillState, InsightWorkflowOutput } from "../api-types.ts";
import { useAction } from "../parts/action.ts";
import { counted } from "../parts/counted.ts";
import { Fetched, Panel, Scroller, Status, type Tone } from "../parts/parts.tsx";
import { showFailure } from "../parts/show-failure.ts";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import { Time } from "../time/time.tsx";
import { began, dollars, tokens } from "./insight-words.tsx";
import classes from "./insights.module.css";
import { amountFigures } from "./known-costs.ts";
import { numberOrNull } from "./workflow-values.ts";

/** Refreshed as often as the workflow, because its queue holds the same conversations. */
const REFRESH_ms = 4000;
const KEY = ["insight backfill"];

const STATES: Record<InsightBackfillState["status"], { tone: Tone; word: string }> = {
  RUNNING: { tone: "busy", word: "running" },
  PAUSED: { tone: "warn", word: "paused" },
  COMPLETED: { tone: "good", word: "complete" },
  CANCELED: { tone: "quiet", word: "canceled" },
};

/** Progress of the backfill: its pace, and its actual tokens and cost beside the estimate. */
export function BackfillPanel({ workflow }: { workflow: InsightWorkflowOutput }) {
  const workflow_id = workflow.id;
  const path = { workflow_id };
  const state = useQuery({
    queryKey: [...KEY, workflow_id],
    queryFn: ({ signal }) => call("GET /api/v1/insights/workflows/{workflow_id}/backfill", { path, signal }),
    refetchInterval: REFRESH_ms,
  });
  return (
    <Fetched query={state} lines={4}>
      {({ backfill, rate_per_minute }) => (
        <Panel
          title={
            <Group gap="xs">
              Older conversations
              {backfill && (
                <Status tone={STATES[backfill.status].tone}>{STATES[backfill.status].word}</Status>
              )}
            </Group>
          }
          actions={backfill && <PauseOrResume workflow_id={workflow_id} backfill={backfill} />}
        >
          <Stack gap="md">
            {backfill ? (
              <Course backfill={backfill} source={workflow.source} />
            ) : (
              <Text size="sm" c="dimmed">
                {workflow.start_datetime
                  ? workflow.status === "ACTIVE"
                    ? "There were none when you activated the workflow."
                    : "They are analyzed once you activate the workflow, oldest first."
                  : "The workflow has no start date. Set one under Settings to analyze older conversations."}
              </Text>
            )}
            <Rate key={rate_per_minute} workflow_id={workflow_id} rate={rate_per_minute} />
          </Stack>
        </Panel>
      )}
    </Fetched>
  );
}

function Course({ backfill, source }: { backfill: InsightBackfillState; source: string }) {
  const { status, planned, actual, failed_count, waiting_count, running_count, queued_count } = backfill;
  const over = actual.count + failed_count;
  // The estimate may come from a sample; the number queued is exact once the backfill is complete.
  const all = status === "COMPLETED" ? queued_count : Math.max(planned.count, queued_count);
  return (
    <Stack gap="xs">
      <Progress.Root size="lg">
        <Progress.Section value={all === 0 ? 100 : (over / all) * 100} aria-label="Backfill" />
      </Progress.Root>
      <Text size="sm">
        {over.toLocaleString("en")} of {all.toLocaleString("en")} done, {failed_count.toLocaleString("en")} of
        them failed; {counted(running_count, "runs", "run")}, {counted(waiting_count, "waits", "wait")}.{" "}
        {backfill.finished_at ? (
          <>
            {status === "CANCELED" ? "Stopped" : "Finished"} <Time at={backfill.finished_at} kind="minute" />.
          </>
        ) : (
          backfill.cursor_datetime && (
            <>
              Processed so far: what {began(source)} before{" "}
              <Time at={backfill.cursor_datetime} kind="minute" />.
            </>
          )
        )}
      </Text>
      <Scroller label="Estimate and usage" className={classes.scroll}>
        <table className={classes.amounts}>
          <thead>
            <tr>
              <th scope="col">So far</th>
              <th scope="col">Conversations</th>
              <th scope="col">Input tokens</th>
              <th scope="col">Output tokens</th>
              <th scope="col">Cost</th>
            </tr>
          </thead>
          <tbody>
            <AmountRow label="Approved" amounts={planned} />
            <AmountRow label="Used" amounts={actual} />
          </tbody>
        </table>
      </Scroller>
    </Stack>
  );
}

function AmountRow({ label, amounts }: { label: string; amounts: InsightAmounts }) {
  const { input_tokens, output_tokens, cost_usd } = amountFigures(amounts.count, amounts);
  return (
    <tr>
      <th scope="row">{label}</th>
      <td>{amounts.count.toLocaleString("en")}</td>
      <td>{tokens(input_tokens)}</td>
      <td>{tokens(output_tokens)}</td>
      <td>{dollars(cost_usd)}</td>
    </tr>
  );
}

function PauseOrResume({ workflow_id, backfill }: { workflow_id: number; backfill: InsightBackfillState }) {
  const may = useMay();
  const client = useQueryClient();
  const isPaused = backfill.status === "PAUSED";
  const moving = useAction({
    mutationFn: () =>
      isPaused
        ? call("POST /api/v1/insights/workflows/{workflow_id}/backfill/resume", { path: { workflow_id } })
        : call("POST /api/v1/insights/workflows/{workflow_id}/backfill/pause", { path: { workflow_id } }),
    onSettled: () => client.invalidateQueries({ queryKey: KEY }),
    onError: showFailure,
  });
  if (!may("insights_write") || (backfill.status !== "RUNNING" && !isPaused)) return null;
  return (
    <Button
      size="xs"
      variant="default"
      leftSection={isPaused ? <IconPlayerPlay size={14} /> : <IconPlayerPause size={14} />}
      loading={moving.isPending}
      onClick={() => moving.mutate()}
    >
      {isPaused ? "Resume" : "Pause"}
    </Button>
  );
}

function Rate({ workflow_id, rate }: { workflow_id: number; rate: number | null }) {
  const may = useMay();
  const client = useQueryClient();
  const [text, setText] = useState<number | string>(rate ?? "");
  const chosen = numberOrNull(text);
  const setting = useAction({
    mutationFn: () =>
      call("PUT /api/v1/insights/workflows/{workflow_id}/backfill", {
        path: { workflow_id },
        body: { rate_per_minute: chosen },
      }),
    onSuccess: () => notifications.show({ message: "Rate set", color: "green" }),
    onSettled: () => client.invalidateQueries({ queryKey: KEY }),
  });
  if (!may("insights_write")) {
    return <Text size="sm">{rate === null ? "No limit." : `At most ${rate} a minute.`}</Text>;
  }
  return (
    <Group gap="xs" align="flex-end">
      <NumberInput
        label="Limit per minute"
        description="Empty: no limit."
        placeholder="no limit"
        min={1}
        allowDecimal={false}
        // A lone minus sign is not a number, which would mean no limit.
        allowNegative={false}
        w={200}
        value={text}
        onChange={setText}
        error={setting.error?.message}
      />
      <Button
        variant="default"
        disabled={chosen === rate}
        loading={setting.isPending}
        onClick={() => setting.mutate()}
      >
        Set the rate
      </Button>
    </Group>
  );
}

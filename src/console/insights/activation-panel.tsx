import { Alert, Button, Checkbox, Group, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconReportMoney } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { InsightWorkflowEstimate, InsightWorkflowOutput } from "../api-types.ts";
import { useAction } from "../parts/action.ts";
import { ConfirmButton } from "../parts/confirm-button.tsx";
import { formatDuration } from "../parts/duration.ts";
import { Names } from "../parts/names.tsx";
import { Facts, Failure, Panel, Status } from "../parts/parts.tsx";
import { showFailure } from "../parts/show-failure.ts";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import { Time } from "../time/time.tsx";
import { began, dailyCount, dollars, expectedDay, knownEstimate, sourceName } from "./insight-words.tsx";
import { isLengthUnsure, withoutCost } from "./known-costs.ts";
import { useSpending } from "./spending-panel.tsx";

/** The queries of a workflow's page. They are invalidated together, so that no part shows an older state. */
const KEYS = [
  ["insight workflow"],
  ["insight backfill"],
  ["insight spending"],
  ["GET /api/v1/insights/workflows/"],
  ["GET /api/v1/insights/executions/"],
];

/** The estimate shown before a workflow is activated, and the button that deactivates it. */
export function ActivationPanel({ workflow }: { workflow: InsightWorkflowOutput }) {
  return workflow.status === "ACTIVE" ? <Active workflow={workflow} /> : <Inactive workflow={workflow} />;
}

function Active({ workflow }: { workflow: InsightWorkflowOutput }) {
  const may = useMay();
  return (
    <Panel
      title="It is active"
      actions={
        <>
          {may("insights_write") && Boolean(workflow.failed_count) && <RetryFailed workflow={workflow} />}
          {may("insights_write") && (
            <ConfirmButton
              size="xs"
              verb="Deactivate"
              question="Deactivate this workflow?"
              act={() =>
                call("PUT /api/v1/insights/workflows/{workflow_id}/inactivate", {
                  path: { workflow_id: workflow.id },
                })
              }
              invalidates={KEYS}
              done={`${workflow.name} is inactive`}
            >
              Its queue is deleted; running executions finish. Its results are kept.
            </ConfirmButton>
          )}
        </>
      }
    >
      <Facts
        items={[
          ["Data", sourceName(workflow.source)],
          ["Waiting or running", (workflow.queue_count ?? 0).toLocaleString("en")],
          [
            "Failed",
            workflow.failed_count ? (
              <Status key="failed" tone="bad">
                {workflow.failed_count.toLocaleString("en")}
              </Status>
            ) : (
              "0"
            ),
          ],
          ["Expected per day", expectedDay(workflow)],
          ["Processes", <Until key="until" workflow={workflow} />],
        ]}
      />
    </Panel>
  );
}

const Until = ({ workflow }: { workflow: InsightWorkflowOutput }) =>
  workflow.end_datetime ? (
    <>
      what {began(workflow.source)} before <Time at={workflow.end_datetime} kind="minute" />
    </>
  ) : (
    "everything until it is deactivated"
  );

export function RetryFailed({ workflow }: { workflow: InsightWorkflowOutput }) {
  const client = useQueryClient();
  const retrying = useAction({
    mutationFn: () =>
      call("POST /api/v1/insights/workflows/{workflow_id}/retry-failed", {
        path: { workflow_id: workflow.id },
      }),
    async onSuccess({ retried, remaining }) {
      notifications.show({
        message: `${retried} tried again${remaining > 0 ? `, ${remaining} are left` : ""}`,
        color: "green",
      });
      await Promise.all(KEYS.map((queryKey) => client.invalidateQueries({ queryKey })));
    },
    onError: showFailure,
  });
  return (
    <Button size="xs" variant="default" loading={retrying.isPending} onClick={() => retrying.mutate()}>
      Retry failed
    </Button>
  );
}

function Inactive({ workflow }: { workflow: InsightWorkflowOutput }) {
  const may = useMay();
  const client = useQueryClient();
  // The agreement covers the estimate that was shown; if the estimate changes, it is asked again.
  const [read, setRead] = useState<InsightWorkflowEstimate | null>(null);
  const current = knownEstimate(workflow);
  const estimate = read ?? current;
  const spending = useSpending(workflow.id);
  // Null until it is loaded, because 0 can mean that no price is known.
  const leftOut = spending.data ? withoutCost(workflow.insight_tools, spending.data.tools) : null;
  const lengthUnsure = spending.data ? isLengthUnsure(workflow.source, spending.data.tools) : false;
  const isWhole = leftOut?.length === 0 && !lengthUnsure;
  const cost = (usd: number): string => {
    if (isWhole) return dollars(usd);
    return usd > 0 ? `at least ${dollars(usd)}` : "–";
  };
  const activating = useAction({
    mutationFn: (agreed: InsightWorkflowEstimate) =>
      call("PUT /api/v1/insights/workflows/{workflow_id}/activate", {
        path: { workflow_id: workflow.id },
        body: { is_acknowledged: true, estimate: agreed },
      }),
    async onSuccess(active) {
      // A request under way would bring back the state from before.
      await client.cancelQueries({ queryKey: ["insight workflow", String(workflow.id)] });
      client.setQueryData(["insight workflow", String(workflow.id)], active);
      notifications.show({ message: `${workflow.name} is active`, color: "green" });
    },
    onSettled: () => {
      setRead(null);
      return Promise.all(KEYS.map((queryKey) => client.invalidateQueries({ queryKey })));
    },
  });
  return (
    <Panel title="Activation estimate">
      <Stack gap="md">
        <Facts
          items={[
            ["Older conversations, now", estimate ? count(estimate.backfill_count, workflow) : "–"],
            ["Their length", workflow.start_datetime && estimate ? length(estimate.backfill_duration) : "–"],
            [
              "Their cost",
              workflow.start_datetime && estimate ? (
                <b key="now">{cost(estimate.estimated_backfill_cost)}</b>
              ) : (
                "–"
              ),
            ],
            ["Then, each day", estimate ? dailyCount(estimate) : "–"],
            ["Length a day", estimate ? length(estimate.estimated_daily_duration) : "–"],
            ["Cost a day", estimate ? <b key="day">{cost(estimate.estimated_daily_cost)}</b> : "–"],
          ]}
        />
        <Text size="sm" c="dimmed">
          Analyzes {workflow.source === "upload" ? "recordings uploaded" : "conversations that"}{" "}
          {workflow.start_datetime ? (
            <>
              {workflow.source !== "upload" && "began "}on or after{" "}
              <Time at={workflow.start_datetime} kind="minute" />.
            </>
          ) : (
            `${workflow.source === "upload" ? "" : "end "}after activation. Set a start date under Settings to add older ones.`
          )}{" "}
          Daily figures are averages of the last 14 days. Costs are list prices times the tokens its tools
          have used so far.
        </Text>
        {estimate === null && <Text size="sm">{workflow.estimate_problem}</Text>}
        {leftOut !== null && leftOut.length > 0 && (
          <Text size="sm">
            The cost of <Names of={leftOut} /> is not known yet and not included.
          </Text>
        )}
        {lengthUnsure && <Text size="sm">Transcription costs leave out recordings of unknown length.</Text>}
        {activating.error && <Failure error={activating.error} />}
        {may("insights_write") && estimate !== null && (
          <Alert color="ink" icon={<IconReportMoney />}>
            <Group justify="space-between" gap="sm">
              <Checkbox
                label={agreement(estimate, isWhole)}
                checked={read !== null}
                onChange={({ currentTarget }) => setRead(currentTarget.checked ? current : null)}
              />
              <Group gap="xs">
                {Boolean(workflow.failed_count) && <RetryFailed workflow={workflow} />}
                <Button
                  size="xs"
                  disabled={read === null}
                  loading={activating.isPending}
                  onClick={() => read && activating.mutate(read)}
                >
                  Activate
                </Button>
              </Group>
            </Group>
          </Alert>
        )}
      </Stack>
    </Panel>
  );
}

const count = (number: number, { start_datetime }: InsightWorkflowOutput): string =>
  start_datetime ? number.toLocaleString("en") : "none";
const length = (seconds: number): string => (seconds === 0 ? "–" : formatDuration(seconds * 1000));

function agreement(estimate: InsightWorkflowEstimate, isWhole: boolean): string {
  const { estimated_backfill_cost: now, estimated_daily_cost: day } = estimate;
  if (isWhole) return `I accept the cost: ${dollars(now)} now and about ${dollars(day)} a day`;
  if (now === 0 && day === 0) return "I accept that the cost is not known";
  return `I accept the cost: at least ${dollars(now)} now and ${dollars(day)} a day`;
}

import { Group, Stack } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { InsightWorkflowOutput } from "../api-types.ts";
import { asLeft } from "../parts/as-left.ts";
import { ConfirmButton } from "../parts/confirm-button.tsx";
import { Findings } from "../parts/findings.tsx";
import { ViewTabs } from "../parts/view-tabs.tsx";
import { recordPage } from "../records/build-record-page.tsx";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import { Time } from "../time/time.tsx";
import { ActivationPanel } from "./activation-panel.tsx";
import { BackfillPanel } from "./backfill-panel.tsx";
import { ExecutionList } from "./execution-list.tsx";
import { QueuePanel } from "./queue-panel.tsx";
import { SpendingPanel } from "./spending-panel.tsx";
import { WorkflowForm } from "./workflow-form.tsx";
import { WorkflowStatus } from "./workflow-list.tsx";
import { sent, valuesOf, WORKFLOW_LABELS, type WorkflowValues } from "./workflow-values.ts";

const LIST = "GET /api/v1/insights/workflows/";

export default recordPage({
  operations: {
    list: LIST,
    read: "GET /api/v1/insights/workflows/{workflow_id}",
    create: "POST /api/v1/insights/workflows/",
    update: "PUT /api/v1/insights/workflows/{workflow_id}",
  },
  permission: "insights",
  noun: "Workflow",
  queryKey: "insight workflow",
  list: { to: "/insights", label: "Insights" },
  address: "/insights/workflows",
  newTitle: "New workflow",
  title: "Workflow",
  refresh_ms: 4000,
  alsoInvalidates: [["insight spending"]],
  isFixed: ({ status }) => status === "ACTIVE",
  labels: WORKFLOW_LABELS,
  values: valuesOf,
  body: (values: WorkflowValues) => sent(values),
  About: ({ record: { status, updated_at, last_updated_by } }) => (
    <Group gap="xs" mt={4}>
      <WorkflowStatus status={status} />
      <span>
        updated <Time at={updated_at} /> by {last_updated_by}
      </span>
    </Group>
  ),
  Around: Views,
  Remove,
  Form: WorkflowForm,
});

const VIEWS = { work: "Work and cost", executions: "Executions", settings: "Settings" };

function Views({ record: workflow, children }: { record: InsightWorkflowOutput; children: ReactNode }) {
  const may = useMay();
  return (
    <>
      <Findings issues={workflow.validation_issues} labels={WORKFLOW_LABELS} />
      <ViewTabs label="Parts of the workflow" views={VIEWS}>
        {(view) =>
          view === "settings" ? (
            children
          ) : view === "executions" ? (
            <ExecutionList workflow={workflow} />
          ) : (
            <Stack gap="md">
              <ActivationPanel workflow={workflow} />
              <BackfillPanel workflow={workflow} />
              <SpendingPanel workflow_id={workflow.id} />
              {may("insights_write") && <QueuePanel workflow={workflow} />}
            </Stack>
          )
        }
      </ViewTabs>
    </>
  );
}

function Remove({ record: { id: workflow_id, name } }: { record: InsightWorkflowOutput }) {
  const navigate = useNavigate();
  return (
    <ConfirmButton
      verb="Delete"
      c="var(--mantine-color-error)"
      question="Delete this workflow?"
      act={() => call("DELETE /api/v1/insights/workflows/{workflow_id}", { path: { workflow_id } })}
      invalidates={[[LIST]]}
      done={`${name} deleted`}
      onDone={() => void navigate({ to: asLeft("/insights"), ignoreBlocker: true, replace: true })}
    >
      The queue of <b dir="auto">{name}</b> is deleted. Its results are kept.
    </ConfirmButton>
  );
}

import { Group, Stack, Tabs } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import type { InsightWorkflowOutput } from "../api-types.ts";
import { Fetched, PageHead } from "../parts/parts.tsx";
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

const REFRESH_ms = 4000;

export default function WorkflowPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const isNew = id === "new";
  const workflow = useQuery({
    queryKey: ["insight workflow", id],
    queryFn: () =>
      call("GET /api/v1/insights/workflows/{workflow_id}", { path: { workflow_id: Number(id) } }),
    enabled: !isNew,
    refetchInterval: REFRESH_ms,
  });
  return (
    <>
      <PageHead
        title={isNew ? "New workflow" : (workflow.data?.name ?? "Workflow")}
        back={{ to: "/insights", label: "Insights" }}
        about={
          workflow.data && (
            <Group gap="xs" mt={4}>
              <WorkflowStatus status={workflow.data.status} />
              <span>
                changed <Time at={workflow.data.updated_at} /> by {workflow.data.last_updated_by}
              </span>
            </Group>
          )
        }
      />
      {isNew ? (
        <WorkflowForm id={id} workflow={null} />
      ) : (
        <Fetched query={workflow} lines={12}>
          {(found) => <WorkflowViews key={id} id={id} workflow={found} />}
        </Fetched>
      )}
    </>
  );
}

const VIEWS = { work: "Work and cost", executions: "Executions", settings: "Settings" };

function WorkflowViews({ id, workflow }: { id: string; workflow: InsightWorkflowOutput }) {
  const may = useMay();
  const navigate = useNavigate();
  const { view } = useSearch({ strict: false }) as { view?: string };
  const shown = view && Object.hasOwn(VIEWS, view) ? view : "work";
  return (
    <Tabs
      value={shown}
      onChange={(chosen) => void navigate({ to: ".", search: chosen === "work" ? {} : { view: chosen } })}
      keepMounted={false}
    >
      <Tabs.List mb="md" aria-label="Parts of the workflow">
        {Object.entries(VIEWS).map(([value, label]) => (
          <Tabs.Tab key={value} value={value}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value="work">
        <Stack gap="md">
          <ActivationPanel workflow={workflow} />
          <BackfillPanel workflow={workflow} />
          <SpendingPanel workflow_id={workflow.id} />
          {may("insights_write") && <QueuePanel workflow={workflow} />}
        </Stack>
      </Tabs.Panel>
      <Tabs.Panel value="executions">
        <ExecutionList workflow={workflow} />
      </Tabs.Panel>
      <Tabs.Panel value="settings">
        <WorkflowForm id={id} workflow={workflow} />
      </Tabs.Panel>
    </Tabs>
  );
}

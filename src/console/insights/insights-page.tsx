import { Tabs } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useNewRecord } from "../lists/new-record.tsx";
import { PageHead } from "../parts/parts.tsx";
import { FolderList } from "./folder-list.tsx";
import { ResultsView } from "./results-view.tsx";
import { ToolList } from "./tool-list.tsx";
import { WorkflowList } from "./workflow-list.tsx";

const VIEWS = {
  workflows: { label: "Workflows", create: { to: "/insights/workflows/new", label: "New workflow" } },
  tools: { label: "Tools", create: { to: "/insights/tools/new", label: "New insight tool" } },
  results: { label: "Results", create: null },
  recordings: { label: "Recordings", create: { to: "/insights/folders/new", label: "New folder" } },
};

export default function InsightsPage() {
  const navigate = useNavigate();
  const { view } = useSearch({ strict: false }) as { view?: string };
  const shown = view && Object.hasOwn(VIEWS, view) ? (view as keyof typeof VIEWS) : "workflows";
  const { create } = VIEWS[shown];
  const { button } = useNewRecord(create && { permission: "insights_write", ...create });
  return (
    <>
      <PageHead
        title="Insights"
        about="Analyze every conversation automatically, or run it on past ones."
        actions={button}
      />
      <Tabs
        value={shown}
        onChange={(chosen) =>
          void navigate({ to: ".", search: chosen === "workflows" ? {} : { view: chosen } })
        }
        keepMounted={false}
      >
        <Tabs.List mb="md" aria-label="Parts of the insights">
          {Object.entries(VIEWS).map(([value, { label }]) => (
            <Tabs.Tab key={value} value={value}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="workflows">
          <WorkflowList />
        </Tabs.Panel>
        <Tabs.Panel value="tools">
          <ToolList />
        </Tabs.Panel>
        <Tabs.Panel value="results">
          <ResultsView />
        </Tabs.Panel>
        <Tabs.Panel value="recordings">
          <FolderList />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}

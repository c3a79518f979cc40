import { useNewRecord } from "../lists/new-record.tsx";
import { PageHead } from "../parts/parts.tsx";
import { useView, ViewTabs } from "../parts/view-tabs.tsx";
import { FolderList } from "./folder-list.tsx";
import { ResultsView } from "./results-view.tsx";
import { ToolList } from "./tool-list.tsx";
import { WorkflowList } from "./workflow-list.tsx";

const VIEWS = { workflows: "Workflows", tools: "Tools", results: "Results", recordings: "Recordings" };
const NEW = {
  workflows: { to: "/insights/workflows/new", label: "New workflow" },
  tools: { to: "/insights/tools/new", label: "New insight tool" },
  results: null,
  recordings: { to: "/insights/folders/new", label: "New folder" },
};

/** By hand: four lists, each with its own new record. */
export default function InsightsPage() {
  const create = NEW[useView(VIEWS)];
  const { button } = useNewRecord(create && { permission: "insights_write", ...create });
  return (
    <>
      <PageHead
        title="Insights"
        about="Analyze every conversation automatically, or run it on past ones."
        actions={button}
      />
      <ViewTabs label="Parts of the insights" views={VIEWS}>
        {(view) =>
          view === "tools" ? (
            <ToolList />
          ) : view === "results" ? (
            <ResultsView />
          ) : view === "recordings" ? (
            <FolderList />
          ) : (
            <WorkflowList />
          )
        }
      </ViewTabs>
    </>
  );
}

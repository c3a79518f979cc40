import { Select, Stack, Tabs, Textarea, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import type { ToolDefinition, ToolDetailResponse, ToolResponse, ToolUpdateRequest } from "../api-types.ts";
import { JsonEditor } from "../editors/json-editor.tsx";
import { RecordSelect } from "../lists/record-select.tsx";
import { Findings } from "../parts/findings.tsx";
import { Fetched, Loading, PageHead, Panel, RouteLink } from "../parts/parts.tsx";
import { RecordFormFrame, useRecordForm } from "../records/record-form.tsx";
import { RemoveRecord } from "../records/remove-record.tsx";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import { Time } from "../time/time.tsx";
import { CheckedFindings } from "./checked-findings.tsx";
import { EndpointFields } from "./endpoint-fields.tsx";
import { ToolHistory } from "./tool-history.tsx";
import { kindOf } from "./tools-page.tsx";
import { TryPane } from "./try-pane.tsx";
import { stepsTasks } from "./workflow.ts";

const WorkflowEditor = lazy(() => import("./workflow-editor.tsx"));

type Values = {
  name: string;
  service_id: number;
  definition: ToolDefinition;
  last_updated_comments: string;
};

const NEW: Values = {
  name: "",
  service_id: 0,
  definition: {
    type: "endpoint",
    tool: {
      type: "function",
      function: { name: "", description: "", parameters: { type: "object", properties: {}, required: [] } },
    },
    endpoint: { url: "https://", method: "post", argument_location: "body", timeout: 20 },
  },
  last_updated_comments: "",
};

const read = (tool_name: string) => call("GET /api/v1/tools/{tool_name}", { path: { tool_name } });

export default function ToolPage() {
  const { name } = useParams({ strict: false }) as { name: string };
  const isNew = name === "new";
  const tool = useQuery({ queryKey: ["tool", name], queryFn: () => read(name), enabled: !isNew });
  return (
    <>
      <PageHead
        title={isNew ? "New tool" : name}
        back={{ to: "/tools", label: "Tools" }}
        about={
          tool.data && (
            <>
              {kindOf(tool.data.definition)}, version {tool.data.version_number}, changed{" "}
              <Time at={tool.data.last_updated} /> by {tool.data.last_updated_by}
            </>
          )
        }
      />
      {isNew ? (
        <ToolForm tool={null} />
      ) : (
        <Fetched query={tool} lines={14}>
          {(found) => <ToolForm key={found.id} tool={found} />}
        </Fetched>
      )}
    </>
  );
}

function ToolForm({ tool }: { tool: ToolDetailResponse | null }) {
  const may = useMay();
  const navigate = useNavigate();
  const { view = "form" } = useSearch({ strict: false }) as { view?: string };
  const record = useRecordForm<ToolResponse, Values>({
    noun: "Tool",
    acrossViews: true,
    labels: { last_updated_comments: "Version note" },
    record: tool,
    values: (found) => (found ? valuesOf(found) : NEW),
    save(values) {
      const body = sent(values);
      return tool
        ? call("PUT /api/v1/tools/", { body: { ...body, id: tool.id } })
        : call("POST /api/v1/tools/", { body });
    },
    ...(tool && { reread: () => read(tool.name) }),
    invalidates: [["tool"], ["tool history"], ["GET /api/v1/tools/"]],
    onSaved: (stored) => {
      if (stored.name !== tool?.name) void navigate({ to: `/tools/${encodeURIComponent(stored.name)}` });
    },
  });
  const { form } = record;
  const values = form.getValues();
  const { definition } = values;
  const setDefinition = (next: ToolDefinition) => form.setFieldValue("definition", next);
  const setFunction = (part: Partial<ToolDefinition["tool"]["function"]>) =>
    setDefinition({
      ...definition,
      tool: { ...definition.tool, function: { ...definition.tool.function, ...part } },
    });
  const isWorkflow = stepsTasks(definition).length > 0;
  const isSystem = tool?.service_name === "System";
  const mayWrite = may("tools_write") && !isSystem;
  const views = ["form", "json", ...(isWorkflow ? ["workflow"] : []), "try", ...(tool ? ["history"] : [])];
  const shown = views.includes(view) ? view : "form";

  return (
    <Tabs
      value={shown}
      onChange={(chosen) =>
        void navigate({ to: ".", search: chosen === "form" ? {} : { view: chosen }, resetScroll: false })
      }
      keepMounted={false}
    >
      <Tabs.List mb="md" aria-label="Views of the tool">
        {views.map((each) => (
          <Tabs.Tab key={each} value={each}>
            {VIEWS[each as keyof typeof VIEWS]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tool && !record.isDirty && <Findings issues={tool.validation_issues} />}
      {record.isDirty && may("tools_read") && (
        <CheckedFindings tool={{ ...sent(values), id: tool?.id ?? null }} />
      )}
      {shown === "history" && tool ? (
        <ToolHistory tool={tool} onRestore={mayWrite ? setDefinition : null} />
      ) : shown === "try" ? (
        <TryPane definition={definition} service_id={values.service_id} />
      ) : (
        <Panel>
          <RecordFormFrame
            form={record}
            readOnly={!mayWrite}
            extra={
              tool &&
              may("tools_delete") &&
              !isSystem && (
                <RemoveRecord
                  noun="tool"
                  name={tool.name}
                  remove={(reason) =>
                    call("DELETE /api/v1/tools/{tool_name}", {
                      path: { tool_name: tool.name },
                      query: { reason },
                    })
                  }
                  invalidates={[["GET /api/v1/tools/"]]}
                  onRemoved={() => void navigate({ to: "/tools", ignoreBlocker: true })}
                />
              )
            }
          >
            {shown === "json" && (
              <JsonEditor
                label="Definition"
                description="The tool as JSON. Invalid JSON is not applied."
                value={definition}
                onChange={(value) => setDefinition(value as ToolDefinition)}
                error={form.errors.definition}
                readOnly={!mayWrite}
              />
            )}
            {shown === "workflow" && (
              <Suspense fallback={<Loading />}>
                <WorkflowEditor definition={definition} onChange={setDefinition} readOnly={!mayWrite} />
              </Suspense>
            )}
            {shown === "form" && (
              <Stack gap="md">
                {isSystem && (
                  <p>This tool is part of the program: it can be used by prompts and not be changed.</p>
                )}
                <TextInput
                  label="Name"
                  description="Letters, digits, _ and -; no spaces."
                  required
                  value={values.name}
                  onChange={({ currentTarget }) => {
                    form.setFieldValue("name", currentTarget.value);
                    setFunction({ name: currentTarget.value });
                  }}
                  error={form.errors.name}
                />
                <Textarea
                  label="Description"
                  description="Tells the model what the tool does and when to use it."
                  dir="auto"
                  autosize
                  minRows={2}
                  maxRows={10}
                  value={definition.tool.function.description}
                  onChange={({ currentTarget }) => setFunction({ description: currentTarget.value })}
                  error={form.errors["definition.tool.function.description"]}
                />
                <RecordSelect
                  operation="GET /api/v1/services/"
                  label="Service"
                  description="Credentials used for the request."
                  required
                  chosenName={tool?.service_id === values.service_id ? tool.service_name : null}
                  value={values.service_id || null}
                  onChange={(chosen) => form.setFieldValue("service_id", chosen ?? 0)}
                  error={form.errors.service_id}
                />
                <Select
                  label="Type"
                  data={KINDS}
                  allowDeselect={false}
                  value={definition.type ?? "action"}
                  onChange={(type) => setDefinition(withType(definition, type as ToolDefinition["type"]))}
                />
                {definition.endpoint && (
                  <EndpointFields
                    endpoint={definition.endpoint}
                    onChange={(endpoint) => setDefinition({ ...definition, endpoint })}
                    errorOf={(field) => form.errors[`definition.endpoint.${field}`]}
                  />
                )}
                {isWorkflow ? (
                  <p>
                    This tool runs a step workflow:{" "}
                    <RouteLink to={`/tools/${encodeURIComponent(values.name)}?view=workflow`}>
                      open the workflow
                    </RouteLink>
                    .
                  </p>
                ) : (
                  <JsonEditor
                    label="Arguments"
                    description="JSON Schema of the arguments the model may pass."
                    value={definition.tool.function.parameters}
                    onChange={(parameters) => setFunction({ parameters })}
                    error={form.errors["definition.tool.function.parameters"]}
                    readOnly={!mayWrite}
                  />
                )}
                {tool && mayWrite && (
                  <TextInput
                    label="Version note"
                    dir="auto"
                    {...form.getInputProps("last_updated_comments")}
                  />
                )}
              </Stack>
            )}
          </RecordFormFrame>
        </Panel>
      )}
    </Tabs>
  );
}

const VIEWS = { form: "Form", json: "JSON", workflow: "Workflow", try: "Try it", history: "History" };

const KINDS = [
  { value: "endpoint", label: "HTTP request" },
  { value: "action", label: "Fixed reply" },
  { value: "context", label: "Workflow or variables" },
  { value: "log", label: "Log event" },
];

const withType = (definition: ToolDefinition, type: ToolDefinition["type"]): ToolDefinition => ({
  ...definition,
  type,
  endpoint: type === "endpoint" ? (definition.endpoint ?? NEW.definition.endpoint) : null,
});

const valuesOf = ({ name, service_id, definition }: ToolResponse): Values => ({
  name,
  service_id,
  definition,
  last_updated_comments: "",
});

const sent = ({ last_updated_comments, ...values }: Values): Omit<ToolUpdateRequest, "id"> => ({
  ...values,
  definition: values.definition as ToolUpdateRequest["definition"],
  ...(last_updated_comments && { last_updated_comments }),
});

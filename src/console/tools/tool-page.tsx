import { Select, Stack, Textarea, TextInput } from "@mantine/core";
import { useSearch } from "@tanstack/react-router";
import { useRef } from "react";
import type { ToolDefinition, ToolDetailResponse } from "../api-types.ts";
import { JsonEditor } from "../editors/json-editor.tsx";
import { RecordSelect } from "../lists/record-select.tsx";
import { Findings } from "../parts/findings.tsx";
import { lazyPart } from "../parts/lazy-part.tsx";
import { Panel, RouteLink } from "../parts/parts.tsx";
import { ViewTabs } from "../parts/view-tabs.tsx";
import { recordPage } from "../records/build-record-page.tsx";
import { RecordFormFrame } from "../records/record-form-frame.tsx";
import type { RecordFormProps } from "../records/record-page.tsx";
import { Steady } from "../records/steady.tsx";
import { useMay } from "../server/me.tsx";
import type { StudioPlace } from "../studio/studio.tsx";
import { useEditHistory } from "../studio/use-edit-history.ts";
import { Time } from "../time/time.tsx";
import { definitionFault } from "../workflows/definition-shape.ts";
import { mergeDefinitions } from "../workflows/merge-definitions.ts";
import { stepsTasks } from "../workflows/workflow.ts";
import { CallLimits } from "./call-limits.tsx";
import { useCheckedFindings } from "./checked-findings.tsx";
import { EndpointFields } from "./endpoint-fields.tsx";
import { KeptDraft } from "./kept-draft.tsx";
import { useRecordedSession } from "./recorded-session.ts";
import { ToolHistory } from "./tool-history.tsx";
import { DEFINITION_LABELS, KINDS, TOOL_LABELS } from "./tool-labels.ts";
import { NEW_TOOL, type ToolValues, toolBody, toolValues } from "./tool-values.ts";
import { kindOf } from "./tools-page.tsx";
import { TryPane } from "./try-pane.tsx";

const Studio = lazyPart("studio", () => import("../studio/studio.tsx"));

const INSIDE = { definition: mergeDefinitions };

/** The service of the tools that are part of the program. */
const SYSTEM = "System";

export default recordPage({
  operations: {
    list: "GET /api/v1/tools/",
    read: "GET /api/v1/tools/{tool_name}",
    create: "POST /api/v1/tools/",
    update: "PUT /api/v1/tools/",
    remove: "DELETE /api/v1/tools/{tool_name}",
  },
  permission: "tools",
  noun: "Tool",
  queryKey: "tool",
  list: { to: "/tools", label: "Tools" },
  newTitle: "New tool",
  title: "Tool",
  keyOf: ({ name }) => name,
  alsoInvalidates: [["tool history"]],
  acrossViews: true,
  inside: INSIDE,
  isFixed: ({ service_name }) => service_name === SYSTEM,
  labels: TOOL_LABELS,
  values: toolValues,
  body: toolBody,
  About: ({ record: { definition, version_number, last_updated, last_updated_by } }) => (
    <>
      {kindOf(definition)}, version {version_number}, updated <Time at={last_updated} /> by {last_updated_by}
    </>
  ),
  Form: ToolForm,
});

function ToolForm(props: RecordFormProps<ToolDetailResponse, ToolValues>) {
  const { form, record: tool, readOnly, frame } = props;
  const may = useMay();
  const { isDirty } = frame.form;
  const values = form.getValues();
  const { definition } = values;
  const left = useRef<StudioPlace | null>(null);
  const history = useEditHistory(definition, (next) => form.setFieldValue("definition", next));
  const setDefinition = history.change;
  const setFunction = (part: Partial<ToolDefinition["tool"]["function"]>) =>
    setDefinition({
      ...definition,
      tool: { ...definition.tool, function: { ...definition.tool.function, ...part } },
    });
  const isWorkflow = stepsTasks(definition).length > 0;
  const checked = useCheckedFindings(
    { ...toolBody(values), id: tool?.id ?? null },
    may("tools_read") && (isDirty || isWorkflow),
  );
  const { session } = useSearch({ strict: false }) as { session?: unknown };
  const recorded = useRecordedSession(session, tool?.name);
  const views = {
    ...(isWorkflow && { workflow: "Workflow" }),
    form: "Form",
    json: "JSON",
    ...(!isWorkflow && may("tools_write") && { try: "Try it" }),
    ...(tool && { history: "History" }),
  };

  const studio = isWorkflow && !recorded.isLoading && (
    <Studio
      definition={definition}
      onChange={setDefinition}
      undo={history.undo}
      redo={history.redo}
      issues={checked.placed}
      readOnly={readOnly}
      recorded={recorded.data ?? null}
      left={left}
    />
  );

  return (
    <ViewTabs label="Views of the tool" views={views}>
      {(shown) => (
        <>
          {!readOnly && (
            <KeptDraft
              of={`tool.${tool?.id ?? "new"}`}
              initial={form.getInitialValues()}
              values={values}
              isDirty={isDirty}
              inside={INSIDE}
              onRestore={(restored) => form.setValues(restored)}
            />
          )}
          {shown !== "workflow" && (
            <Findings
              issues={isDirty ? checked.issues : tool?.validation_issues}
              labels={DEFINITION_LABELS}
            />
          )}
          {shown === "history" && tool ? (
            <ToolHistory tool={tool} onRestore={readOnly ? null : setDefinition} />
          ) : shown === "try" ? (
            <TryPane definition={definition} service_id={values.service_id} />
          ) : shown === "workflow" && readOnly ? (
            // Not in the form, whose buttons would be off: a workflow that can be read can be played.
            <Panel>{studio}</Panel>
          ) : (
            <Panel>
              <RecordFormFrame {...frame}>
                {shown === "json" && (
                  <JsonEditor
                    label="Definition"
                    description="The tool as JSON. Invalid JSON is not applied."
                    value={definition}
                    onChange={(value) => setDefinition(value as ToolDefinition, "json")}
                    check={definitionFault}
                    marks={checked.placed}
                    error={form.errors.definition}
                    readOnly={readOnly}
                  />
                )}
                {shown === "workflow" && studio}
                {shown === "form" && (
                  <Stack gap="md">
                    {tool?.service_name === SYSTEM && (
                      <p>Built-in tool: prompts can use it; it can't be changed.</p>
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
                      without={SYSTEM}
                      chosenName={tool?.service_id === values.service_id ? tool.service_name : null}
                      value={values.service_id || null}
                      onChange={(chosen) => form.setFieldValue("service_id", chosen ?? 0)}
                      error={form.errors.service_id}
                    />
                    <Select
                      label="Type"
                      data={definition.mcp ? [...KINDS, MCP] : KINDS}
                      allowDeselect={false}
                      value={definition.type ?? "action"}
                      onChange={(type) => setDefinition(withType(definition, type as ToolDefinition["type"]))}
                    />
                    {definition.endpoint && (
                      <Steady of={{ endpoint: definition.endpoint, errors: form.errors }}>
                        {({ endpoint, errors }) => (
                          <EndpointFields
                            endpoint={endpoint}
                            onChange={(next) =>
                              setDefinition({ ...form.getValues().definition, endpoint: next })
                            }
                            errorOf={(field) => errors[`definition.endpoint.${field}`]}
                          />
                        )}
                      </Steady>
                    )}
                    {definition.mcp && (
                      <p>
                        Calls <code>{definition.mcp.tool}</code> of an MCP server.{" "}
                        <RouteLink to={`/services/${values.service_id}`}>Tools of the server</RouteLink>
                      </p>
                    )}
                    {isWorkflow ? (
                      <p>
                        This tool runs a step workflow:{" "}
                        <RouteLink to={`/tools/${encodeURIComponent(tool?.name ?? "new")}`}>
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
                        readOnly={readOnly}
                      />
                    )}
                    {!isWorkflow && (
                      <CallLimits
                        definition={definition}
                        onChange={setDefinition}
                        errorOf={(field) => form.errors[`definition.${field}`]}
                      />
                    )}
                    {tool && !readOnly && (
                      <TextInput label="Version note" {...form.getInputProps("last_updated_comments")} />
                    )}
                  </Stack>
                )}
              </RecordFormFrame>
            </Panel>
          )}
        </>
      )}
    </ViewTabs>
  );
}

/** Added from its service only, where a person sees what is accepted. */
const MCP = { value: "mcp", label: "Tool of an MCP server" };

const withType = (definition: ToolDefinition, type: ToolDefinition["type"]): ToolDefinition => ({
  ...definition,
  type,
  endpoint: type === "endpoint" ? (definition.endpoint ?? NEW_TOOL.definition.endpoint) : null,
});

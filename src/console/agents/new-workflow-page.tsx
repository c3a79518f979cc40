import { Button, Group, SimpleGrid, Stack, Text, Textarea, TextInput, UnstyledButton } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import type { ToolCreateRequest } from "../api-types.ts";
import { RecordSelect } from "../lists/record-select.tsx";
import { useAction } from "../parts/action.ts";
import { Empty, Failure, PageHead, Panel } from "../parts/parts.tsx";
import { showFailure } from "../parts/show-failure.ts";
import { promptBody, promptValues } from "../prompts/prompt-values.ts";
import { ApiError, call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import { EMPTY, newWorkflow, toolNameOf, WORKFLOW_TEMPLATES } from "../workflows/workflow-templates.ts";
import classes from "./new-workflow.module.css";

/** A workflow calls nothing by itself, so any service will do for its record; this one is made where there is none. */
const SERVICE = "Workflows";

/** Begins a workflow: a template or an empty one, a name, a description. It opens in the studio. */
export default function NewWorkflowPage() {
  const may = useMay();
  const navigate = useNavigate();
  const client = useQueryClient();
  const [chosen, choose] = useState(EMPTY.key);
  const [title, setTitle] = useState("");
  const [description, setDescription] = useState("");
  const given = useSearch({ strict: false }) as { agent?: unknown };
  const [agent_id, setAgent] = useState<number | null>(Number(given.agent) || null);
  const name = toolNameOf(title);
  const template = WORKFLOW_TEMPLATES.find(({ key }) => key === chosen) ?? EMPTY;
  const making = useAction({
    async mutationFn() {
      const definition = newWorkflow(name, description.trim() || title.trim(), template);
      return call("POST /api/v1/tools/", {
        body: {
          name,
          definition: definition as ToolCreateRequest["definition"],
          service_id: await serviceForWorkflows(may("services_write")),
        },
      });
    },
    async onSuccess(tool) {
      // The workflow is there by now; where the agent can't take it, the person is told and adds it there.
      if (agent_id !== null) await addToAgent(agent_id, tool.name).catch(showFailure);
      await Promise.all(
        [["GET /api/v1/tools/"], ["agent"], ["prompt"]].map((queryKey) =>
          client.invalidateQueries({ queryKey }),
        ),
      );
      void navigate({ to: `/tools/${encodeURIComponent(tool.name)}`, replace: true });
    },
  });
  const isTaken = making.error instanceof ApiError && making.error.status === 409;
  return (
    <>
      <PageHead
        title="New workflow"
        back={{ to: "/tools", label: "Tools" }}
        about="Leads a conversation step by step: what to ask, what to do with the answers, where to go next."
      />
      {may("tools_write") ? (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (name !== "") making.mutate();
          }}
        >
          <Stack gap="md">
            <Panel title="Start with">
              <SimpleGrid cols={{ base: 1, xs: 2, lg: 5 }} spacing="sm" role="group" aria-label="Start with">
                {[EMPTY, ...WORKFLOW_TEMPLATES].map((each) => (
                  <UnstyledButton
                    key={each.key}
                    className={classes.template ?? ""}
                    aria-pressed={each.key === chosen}
                    onClick={() => {
                      choose(each.key);
                      if (title === "" || isTemplateTitle(title)) setTitle(each === EMPTY ? "" : each.title);
                    }}
                  >
                    <Text fw={600} size="sm">
                      {each.title}
                    </Text>
                    <Text size="sm" c="dimmed">
                      {each.description}
                    </Text>
                  </UnstyledButton>
                ))}
              </SimpleGrid>
            </Panel>
            <Panel title="Name">
              <Stack gap="md" maw={560}>
                {making.error && !isTaken && <Failure error={making.error} />}
                <TextInput
                  label="Name"
                  description={
                    name === "" ? "Say what it does: Book a visit." : `The model knows it as ${name}.`
                  }
                  required
                  value={title}
                  onChange={({ currentTarget }) => {
                    setTitle(currentTarget.value);
                    making.reset();
                  }}
                  error={
                    isTaken
                      ? `There is a tool named ${name}. Enter another name.`
                      : title !== "" && name === ""
                        ? "Use at least one letter from a to z, or a digit."
                        : null
                  }
                />
                <Textarea
                  label="Description"
                  description="Tells the model what the workflow is for. Empty: the name."
                  autosize
                  minRows={1}
                  value={description}
                  onChange={({ currentTarget }) => setDescription(currentTarget.value)}
                />
                {may("prompts_write") && may("agents_read") && (
                  <RecordSelect
                    operation="GET /api/v1/agents/"
                    label="Agent"
                    description="The workflow is added to this agent's tools, in a new version of its instructions."
                    placeholder="None for now"
                    value={agent_id}
                    onChange={setAgent}
                  />
                )}
                <Group>
                  <Button type="submit" loading={making.isPending} disabled={name === ""}>
                    Create workflow
                  </Button>
                </Group>
              </Stack>
            </Panel>
          </Stack>
        </form>
      ) : (
        <Empty title="You can't create workflows">Ask an administrator for a role that may edit tools.</Empty>
      )}
    </>
  );
}

const isTemplateTitle = (title: string): boolean => WORKFLOW_TEMPLATES.some((each) => each.title === title);

async function addToAgent(agent_id: number, tool: string): Promise<void> {
  const { prompt } = await call("GET /api/v1/agents/{agent_id}", { path: { agent_id } });
  if (!prompt) return;
  const values = promptValues(prompt);
  const tools = [...values.tools, tool];
  await call("PUT /api/v1/prompts/", { body: { ...promptBody({ ...values, tools }), id: prompt.id } });
}

async function serviceForWorkflows(mayMake: boolean): Promise<number> {
  const search = { search_fields: ["name" as const], search_field_values: [SERVICE] };
  const { items: named } = await call("GET /api/v1/services/", { query: { ...search, limit: 100 } });
  const known = named.find(({ name }) => name === SERVICE);
  if (known) return known.id;
  const { items } = await call("GET /api/v1/services/", { query: { limit: 2 } });
  const [other] = items.filter(({ name }) => name !== "System");
  if (!mayMake && other) return other.id;
  const made = await call("POST /api/v1/services/", {
    body: { name: SERVICE, description: "Groups workflows. Workflows call services through tools." },
  });
  return made.id;
}

import {
  ActionIcon,
  Button,
  FileButton,
  Group,
  Stack,
  Table,
  Text,
  Textarea,
  TextInput,
} from "@mantine/core";
import { IconPlus, IconTrash, IconUpload } from "@tabler/icons-react";
import { keepPreviousData, type QueryClient, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import type { AgentResponse } from "../../api-types.ts";
import { RecordSelect } from "../../lists/record-select.tsx";
import { useAction } from "../../parts/action.ts";
import { Empty, Panel, RouteLink } from "../../parts/parts.tsx";
import { showFailure } from "../../parts/show-failure.ts";
import { promptBody, promptValues } from "../../prompts/prompt-values.ts";
import { useWindowForm, WindowForm } from "../../records/window-form.tsx";
import { call } from "../../server/api.ts";
import { useMay } from "../../server/me.tsx";
import { toolSetting, withToolSetting } from "../agent-values.ts";
import { changeAgent } from "../change-agent.ts";

const SEARCH = "data_source_search";
const SOURCES = "GET /api/v1/data_sources/";
const LIST = [SOURCES];
/** As many as one page of a list holds. */
const MOST_ALIKE = 1000;
/** A request's body holds at most ten. */
const MOST_FILE_BYTES = 5_000_000;

/** The data source of a name, which may also be a label of several. */
async function namedSource(name: string, signal: AbortSignal) {
  const query = { search_fields: ["name" as const], search_field_values: [name], limit: MOST_ALIKE };
  const { items } = await call(SOURCES, { query, signal });
  return items.find((source) => source.name === name);
}

/** The data sources that the agent searches: chosen from those there are, or written here. */
export function KnowledgeSection({ agent }: { agent: AgentResponse }) {
  const may = useMay();
  const client = useQueryClient();
  const [isWriting, setWriting] = useState(false);
  const names = sourcesOf(agent);
  const mayChoose = may("agents_write");
  const sources = useQuery({
    queryKey: [...LIST, "of an agent", names],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => Promise.all(names.map((name) => namedSource(name, signal))),
  });
  const any = useQuery({
    queryKey: [...LIST, "any"],
    queryFn: ({ signal }) => call(SOURCES, { query: { limit: 1 }, signal }),
  });
  const changing = useAction({
    mutationFn: async (change: { add: number } | { remove: string }) => {
      if ("remove" in change) return changeSources(client, agent, change);
      const path = { data_source_id: change.add };
      const { name } = await call("GET /api/v1/data_sources/{data_source_id}", { path });
      await changeSources(client, agent, { add: name });
    },
    onSuccess: () => client.invalidateQueries({ queryKey: ["agent"] }),
    onError: showFailure,
  });
  const choose = mayChoose && (any.data?.items ?? []).length > 0 && (
    <RecordSelect
      operation={SOURCES}
      label="Existing data source"
      placeholder="Choose"
      value={null}
      disabled={changing.isPending}
      onChange={(id) => id !== null && changing.mutate({ add: id })}
    />
  );
  const write = mayChoose && may("data_sources_write") && (
    <Button
      variant={names.length > 0 ? "default" : "filled"}
      {...(names.length > 0 && { size: "xs", leftSection: <IconPlus size={14} /> })}
      onClick={() => setWriting(true)}
    >
      Add data source
    </Button>
  );
  return (
    <Panel title="Knowledge">
      {names.length === 0 ? (
        <Empty
          title="No data sources"
          action={
            (write || choose) && (
              <Group gap="xs" justify="center" align="flex-end">
                {write}
                {choose}
              </Group>
            )
          }
        >
          The agent knows what its instructions say. Add a data source for more: prices, opening hours,
          questions and answers. Files and web sites are added on the page of the data source.
        </Empty>
      ) : (
        <Stack gap="sm">
          <Table aria-label="Data sources of the agent">
            <Table.Tbody>
              {names.map((name) => {
                const source = sources.data?.find((found) => found?.name === name);
                return (
                  <Table.Tr key={name}>
                    <Table.Td>
                      {source ? (
                        <RouteLink to={`/sources/${source.id}`}>
                          <bdi>{name}</bdi>
                        </RouteLink>
                      ) : (
                        <bdi>{name}</bdi>
                      )}
                      <Text size="xs" c="dimmed">
                        {source?.description ?? (source || !sources.data ? "" : "Label")}
                      </Text>
                    </Table.Td>
                    <Table.Td ta="right">
                      {mayChoose && (
                        <ActionIcon
                          aria-label={`Remove ${name} from the agent`}
                          loading={changing.isPending}
                          onClick={() => changing.mutate({ remove: name })}
                        >
                          <IconTrash size={15} />
                        </ActionIcon>
                      )}
                    </Table.Td>
                  </Table.Tr>
                );
              })}
            </Table.Tbody>
          </Table>
          <Group gap="xs" align="flex-end">
            {write}
            {choose}
          </Group>
        </Stack>
      )}
      {isWriting && <WriteText agent={agent} onClose={() => setWriting(false)} />}
    </Panel>
  );
}

/** A text with a name, typed or read from a file. */
function WriteText({ agent, onClose }: { agent: AgentResponse; onClose(): void }) {
  const client = useQueryClient();
  /** Made, while the agent could not be given it yet. */
  const unused = useRef<number | null>(null);
  const { form, sending } = useWindowForm({
    initial: { name: "", text: "" },
    async send({ name, text }) {
      const body = { name: withoutBlanks(name), description: null, labels: [], chunk: true, text };
      const created =
        unused.current === null
          ? await call("POST /api/v1/data_sources/", { body })
          : await call("PUT /api/v1/data_sources/", { body: { ...body, id: unused.current } });
      unused.current = created.id;
      await changeSources(client, agent, { add: created.name });
      return created;
    },
    async onSent() {
      onClose();
      await Promise.all([
        client.invalidateQueries({ queryKey: LIST }),
        client.invalidateQueries({ queryKey: ["agent"] }),
      ]);
    },
  });
  const readText = async (file: File | null) => {
    if (file === null) return;
    const text = file.size > MOST_FILE_BYTES ? null : await file.text();
    if (text === null || text.includes("\0"))
      return form.setFieldError("text", "Choose a text file of at most 5 MB, such as .txt, .md or .csv.");
    form.setValues((now) => ({ text, name: now.name || withoutBlanks(file.name.replace(/\.\w+$/, "")) }));
    form.clearFieldError("text");
  };
  return (
    <WindowForm title="Add data source" size="lg" verb="Add" sending={sending} onClose={onClose}>
      <TextInput
        label="Name"
        description="The agent cites the source by this name."
        placeholder="prices"
        required
        maxLength={255}
        data-autofocus
        {...form.getInputProps("name")}
      />
      <Textarea label="Text" required autosize minRows={8} maxRows={18} {...form.getInputProps("text")} />
      <div>
        <FileButton accept=".txt,.md,.csv,.json,.html,.yaml,text/*" onChange={(file) => void readText(file)}>
          {(button) => (
            <Button {...button} size="xs" variant="default" leftSection={<IconUpload size={14} />}>
              Read a file
            </Button>
          )}
        </FileButton>
      </div>
    </WindowForm>
  );
}

const withoutBlanks = (name: string): string => name.trim().replace(/\s+/g, "_");

/** Names and labels of the agent's own search; those of the tool itself count for agents without any. */
function sourcesOf({ prompt_tool_defaults }: Pick<AgentResponse, "prompt_tool_defaults">): string[] {
  const value = toolSetting(prompt_tool_defaults, SEARCH, "doc");
  if (typeof value === "string") return [value];
  return Array.isArray(value) ? value.map(String) : [];
}

/** Adds or removes a text; the first one gives the agent's prompt the tool that searches. */
async function changeSources(
  client: QueryClient,
  { id, prompt_id }: AgentResponse,
  { add, remove }: { add?: string; remove?: string },
): Promise<void> {
  if (add !== undefined) {
    const prompt = await call("GET /api/v1/prompts/{prompt_id}", { path: { prompt_id } });
    if (!prompt.tools.includes(SEARCH)) {
      const values = { ...promptValues(prompt), tools: [...prompt.tools, SEARCH] };
      const edit_comments = `Tool ${SEARCH} added`;
      await call("PUT /api/v1/prompts/", {
        body: { ...promptBody({ ...values, edit_comments }), id: prompt_id },
      });
    }
  }
  await changeAgent(client, id, (now) => {
    const kept = sourcesOf(now).filter((name) => name !== remove && name !== add);
    const doc = add === undefined ? kept : [...kept, add];
    return {
      prompt_tool_defaults: withToolSetting(
        now.prompt_tool_defaults,
        SEARCH,
        "doc",
        doc.length > 0 ? doc : undefined,
      ),
    };
  });
}

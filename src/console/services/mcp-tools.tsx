import { Alert, Button, Checkbox, Group, Stack, Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { McpOfferedTool } from "../api-types.ts";
import { DifferenceList } from "../changes/difference-list.tsx";
import { differences } from "../changes/differences.ts";
import { useAction } from "../parts/action.ts";
import { Code, Empty, Failure, Fetched, Panel, RouteLink, Status } from "../parts/parts.tsx";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import { Time } from "../time/time.tsx";

/** What an MCP server offers: chosen tools are added as tools, and changes of added ones are accepted here. */
export default function McpTools({ service_id }: { service_id: number }) {
  const may = useMay()("tools_write");
  const queries = useQueryClient();
  const path = { service_id };
  const key = ["mcp server", service_id];
  const server = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => call("GET /api/v1/services/{service_id}/mcp", { path, signal }),
  });
  const refresh = useAction({
    mutationFn: () => call("POST /api/v1/services/{service_id}/mcp/refresh", { path }),
    onSuccess: (read) => queries.setQueryData(key, read),
  });
  const [chosen, setChosen] = useState<string[]>([]);
  const save = useAction({
    mutationFn: (tools: McpOfferedTool[]) =>
      call("POST /api/v1/services/{service_id}/mcp/tools", {
        path,
        body: { tools: tools.map(({ name, schema_hash }) => ({ tool: name, schema_hash })) },
      }),
    onSuccess: async () => {
      setChosen([]);
      await queries.invalidateQueries();
    },
  });
  const error = refresh.error ?? save.error;

  return (
    <Panel
      title="Tools of the MCP server"
      actions={
        may && (
          <Button
            variant="default"
            size="compact-sm"
            loading={refresh.isPending}
            onClick={() => refresh.mutate()}
          >
            Read the list
          </Button>
        )
      }
    >
      {error && <Failure error={error} />}
      <Fetched query={server}>
        {(read) => (
          <Stack gap="md">
            {read.problem && (
              <Alert color="red" title="The server gave no list">
                {read.problem}
              </Alert>
            )}
            {read.read_at && (
              <Text size="sm">
                <bdi>{read.server_name ?? "A server without a name"}</bdi> {read.server_version}, protocol{" "}
                {read.revision}, read <Time at={read.read_at} />
              </Text>
            )}
            {read.gone.length > 0 && (
              <Alert color="yellow" title="No longer offered">
                Calls of {read.gone.join(", ")} are refused.
              </Alert>
            )}
            {read.tools.length === 0 && !read.problem && (
              <Empty title={read.read_at ? "The server offers no tools" : "The list was not read yet"} />
            )}
            {read.tools.map((tool) => (
              <Offered
                key={tool.name}
                tool={tool}
                isChosen={chosen.includes(tool.name)}
                onChoose={
                  may && tool.state === null
                    ? (isChosen) =>
                        setChosen(
                          isChosen ? [...chosen, tool.name] : chosen.filter((name) => name !== tool.name),
                        )
                    : null
                }
                onAccept={may && !save.isPending ? () => save.mutate([tool]) : null}
              />
            ))}
            {may && read.tools.some(({ state }) => state === null) && (
              <Group>
                <Button
                  disabled={chosen.length === 0}
                  loading={save.isPending}
                  onClick={() => save.mutate(read.tools.filter(({ name }) => chosen.includes(name)))}
                >
                  Add tools
                </Button>
              </Group>
            )}
          </Stack>
        )}
      </Fetched>
    </Panel>
  );
}

function Offered(props: {
  tool: McpOfferedTool;
  isChosen: boolean;
  onChoose: ((isChosen: boolean) => void) | null;
  onAccept: (() => void) | null;
}) {
  const { tool, isChosen, onChoose, onAccept } = props;
  const [isOpen, setOpen] = useState(false);
  const isChanged = tool.state === "schema-changed" || tool.state === "description-changed";
  const offered = { description: tool.description, input_schema: tool.input_schema };
  return (
    <div>
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <Checkbox
          checked={isChosen || tool.state !== null}
          disabled={onChoose === null}
          onChange={({ currentTarget }) => onChoose?.(currentTarget.checked)}
          label={tool.name}
          description={<bdi>{tool.description}</bdi>}
        />
        <Group gap="xs" wrap="nowrap">
          {tool.added_as && (
            <RouteLink to={`/tools/${encodeURIComponent(tool.added_as)}`}>{tool.added_as}</RouteLink>
          )}
          {tool.state === "schema-changed" && <Status tone="bad">Arguments changed, calls refused</Status>}
          {tool.state === "description-changed" && <Status tone="warn">Description changed</Status>}
          <Button
            size="compact-sm"
            variant="default"
            aria-label={`${isChanged ? "Changes" : "Arguments"} of ${tool.name}`}
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            {isChanged ? "Changes" : "Arguments"}
          </Button>
        </Group>
      </Group>
      {isOpen &&
        (isChanged && tool.accepted ? (
          <>
            <DifferenceList entries={differences(tool.accepted, offered)} />
            {onAccept && (
              <Button
                size="compact-sm"
                mt="xs"
                aria-label={`Accept the changes of ${tool.name}`}
                onClick={onAccept}
              >
                Accept
              </Button>
            )}
          </>
        ) : (
          <Code value={tool.input_schema} label={`Arguments of ${tool.name}`} />
        ))}
    </div>
  );
}

import { Anchor, Button, Group, Menu, Stack, Table, Text } from "@mantine/core";
import { IconChevronDown, IconMessages } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { AgentResponse, Channel, ChannelTargetResponse } from "../api-types.ts";
import { MODE_NAMES, SERVICES } from "../channels/channel-values.ts";
import { TargetWindow } from "../channels/target-window.tsx";
import { CopyButton } from "../parts/copy-button.tsx";
import { Failure, Panel } from "../parts/parts.tsx";
import { showFailure } from "../parts/show-failure.ts";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";

/** Where people reach the agent: its chat page and widget, its numbers and mailboxes. */
export function AddressSection({ agent }: { agent: AgentResponse }) {
  const may = useMay()("channels_write");
  const query = {
    search_fields: ["agent_id" as const],
    search_field_values: [String(agent.id)],
    limit: 100,
  };
  const targets = useQuery({
    queryKey: ["GET /api/v1/channels/targets", query],
    queryFn: ({ signal }) => call("GET /api/v1/channels/targets", { query, signal }),
  });
  const found = targets.data?.items ?? [];
  return (
    <Panel title="Addresses" actions={may && <Connect agent={agent} />}>
      {targets.error && <Failure error={targets.error} retry={() => void targets.refetch()} />}
      {targets.data && found.length === 0 && (
        <Text size="sm" c="dimmed">
          Nobody can reach this agent yet. Give it a chat page, or connect a number or a mailbox.
        </Text>
      )}
      {found.length > 0 && (
        <Table aria-label="Addresses of the agent">
          <Table.Tbody>
            {found.map((target) => (
              <Address key={target.id} target={target} />
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Panel>
  );
}

function Address({ target: { target, target_mode, channel_name } }: { target: ChannelTargetResponse }) {
  const path = `/chat/${encodeURIComponent(target)}`;
  const snippet = `<script src="${location.origin}/chat/widget.js" data-target="${target}" async></script>`;
  return (
    <Table.Tr>
      <Table.Td>
        {target_mode === "chat" ? (
          <Anchor inherit href={path} target="_blank" rel="noreferrer">
            {target}
          </Anchor>
        ) : (
          <bdi>{target}</bdi>
        )}
        <Text size="xs" c="dimmed">
          {MODE_NAMES[target_mode]}, {channel_name}
        </Text>
      </Table.Td>
      <Table.Td ta="right">
        {target_mode === "chat" && (
          <Group gap="xs" justify="flex-end">
            <Text size="xs" c="dimmed">
              Widget
            </Text>
            <CopyButton
              text={snippet}
              name={`Copy the widget of ${target}`}
              size="compact-sm"
              variant="default"
            />
          </Group>
        )}
      </Table.Td>
    </Table.Tr>
  );
}

function Connect({ agent }: { agent: AgentResponse }) {
  const client = useQueryClient();
  const [channel, setChannel] = useState<Channel | null>(null);
  const channels = useQuery({
    queryKey: ["GET /api/v1/channels/", "to connect"],
    queryFn: ({ signal }) => call("GET /api/v1/channels/", { query: { limit: 100 }, signal }),
  });
  const all = channels.data?.items ?? [];
  const webChat = all.find(({ channel_service }) => channel_service === "webchat") ?? null;
  const others = all.filter(({ channel_service }) => channel_service !== "webchat");
  const chatPage = useMutation({
    mutationFn: async () =>
      webChat ??
      call("POST /api/v1/channels/", {
        body: { name: "Web chat", channel_service: "webchat", config: {} },
      }),
    async onSuccess(chosen) {
      setChannel(chosen);
      if (webChat === null) await client.invalidateQueries({ queryKey: ["GET /api/v1/channels/"] });
    },
    onError: showFailure,
  });
  return (
    <>
      <Button
        size="compact-sm"
        variant="default"
        leftSection={<IconMessages size={14} />}
        disabled={channels.data === undefined}
        loading={chatPage.isPending}
        onClick={() => chatPage.mutate()}
      >
        Add a chat page
      </Button>
      {others.length > 0 && (
        <Menu>
          <Menu.Target>
            <Button size="compact-sm" variant="default" rightSection={<IconChevronDown size={14} />}>
              Connect
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {others.map((other) => (
              <Menu.Item key={other.id} onClick={() => setChannel(other)}>
                <Stack gap={0}>
                  <bdi>{other.name}</bdi>
                  <Text size="xs" c="dimmed">
                    {SERVICES[other.channel_service].name}
                  </Text>
                </Stack>
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
      {channel && (
        <TargetWindow
          channel={channel}
          target={null}
          offered={{
            agent,
            target: channel.channel_service === "webchat" ? addressLike(agent.name) : "",
          }}
          onClose={() => setChannel(null)}
        />
      )}
    </>
  );
}

/** "Dr. Müller’s desk" → "dr-mullers-desk" */
const addressLike = (name: string): string =>
  name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/['’]/g, "")
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");

import { Anchor, Button, Group, Menu, Stack, Table, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconChevronDown, IconMessages } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { AgentResponse, Channel, ChannelTargetResponse } from "../../api-types.ts";
import { MODE_NAMES, SERVICES } from "../../channels/channel-values.ts";
import { TargetWindow } from "../../channels/target-window.tsx";
import { useAction } from "../../parts/action.ts";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Failure, Panel, RouteLink } from "../../parts/parts.tsx";
import { showFailure } from "../../parts/show-failure.ts";
import { call } from "../../server/api.ts";
import { useMay } from "../../server/me.tsx";
import { versioningQuery } from "../versioning.ts";

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
      {targets.error && <Failure error={targets.error} retry={() => targets.refetch()} />}
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
      {(targets.data?.total_count ?? 0) > found.length && (
        <Text size="sm" c="dimmed">
          The first {found.length} of {targets.data?.total_count?.toLocaleString("en")}.{" "}
          <RouteLink to="/channels?view=addresses">All addresses</RouteLink>
        </Text>
      )}
    </Panel>
  );
}

function Address({
  target: { target, target_mode, channel_id, channel_name },
}: {
  target: ChannelTargetResponse;
}) {
  const path = `/chat/${encodeURIComponent(target)}`;
  const snippet = `<script src="${location.origin}/chat/widget.js" data-target="${target}" async></script>`;
  const [isShown, { toggle }] = useDisclosure(false);
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
          {channel_name !== MODE_NAMES[target_mode] && `${MODE_NAMES[target_mode]}, `}
          <bdi>{channel_name}</bdi>
        </Text>
        {isShown && (
          <Stack gap="xs" mt="xs">
            <Copied label="Link" text={`${location.origin}${path}`} name={`Copy the link of ${target}`} />
            <Copied label="Widget" text={snippet} name={`Copy the widget of ${target}`} />
            <Text size="xs" c="dimmed">
              The widget is shown on the channel's{" "}
              <RouteLink to={`/channels/${channel_id}?view=settings`}>allowed sites</RouteLink>.
            </Text>
          </Stack>
        )}
      </Table.Td>
      <Table.Td ta="right" style={{ verticalAlign: "top" }} w={1}>
        {target_mode === "chat" && (
          <Button
            size="compact-sm"
            variant="default"
            aria-expanded={isShown}
            aria-label={`Share the link and widget of ${target}`}
            onClick={toggle}
          >
            Share
          </Button>
        )}
      </Table.Td>
    </Table.Tr>
  );
}

/** A line that belongs somewhere else, with a button that copies it. */
function Copied({ label, text, name }: { label: string; text: string; name: string }) {
  return (
    <Group gap="xs" wrap="nowrap">
      <Text size="xs" c="dimmed" w="3.2rem" style={{ flexShrink: 0 }}>
        {label}
      </Text>
      <Text size="xs" ff="monospace" style={{ flex: 1, overflowWrap: "anywhere" }} dir="ltr">
        {text}
      </Text>
      <CopyButton text={text} name={name} size="compact-sm" variant="default" />
    </Group>
  );
}

function Connect({ agent }: { agent: AgentResponse }) {
  const client = useQueryClient();
  const [channel, setChannel] = useState<Channel | null>(null);
  const channels = useQuery({
    queryKey: ["GET /api/v1/channels/", "to connect"],
    queryFn: ({ signal }) => call("GET /api/v1/channels/", { query: { limit: 1000 }, signal }),
  });
  const versioning = useQuery(versioningQuery(agent.id));
  const mayPublish = useMay()("agents_publish");
  // From the first address on people are reached, so what is saved later begins as a draft.
  const beginsVersions = mayPublish && versioning.data?.published_version === null;
  const all = channels.data?.items ?? [];
  const webChat = all.find(({ channel_service }) => channel_service === "webchat") ?? null;
  const others = all.filter(({ channel_service }) => channel_service !== "webchat");
  const chatPage = useAction({
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
        Add chat page
      </Button>
      {channels.data && (
        <Menu>
          <Menu.Target>
            <Button size="compact-sm" variant="default" rightSection={<IconChevronDown size={14} />}>
              Add number or mailbox
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
            <Menu.Item component={Link} to="/channels/new">
              New channel…
            </Menu.Item>
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
            beginsVersions,
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

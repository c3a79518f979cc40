import { Anchor, Button, Group } from "@mantine/core";
import { IconPlus, IconRoute } from "@tabler/icons-react";
import { useState } from "react";
import type { Channel, ChannelTargetResponse } from "../api-types.ts";
import type { Column } from "../lists/columns.tsx";
import { DataTable } from "../lists/data-table.tsx";
import { ConfirmButton } from "../parts/confirm-button.tsx";
import { RouteLink, Status } from "../parts/parts.tsx";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import { Time } from "../time/time.tsx";
import { MODE_NAMES } from "./channel-values.ts";
import { TargetWindow } from "./target-window.tsx";

const TARGETS = ["GET /api/v1/channels/targets"];

/** The addresses that agents have claimed: of one channel, or of all. */
export function TargetList({ channel }: { channel: Channel | null }) {
  const may = useMay();
  const [edited, setEdited] = useState<ChannelTargetResponse | "new" | null>(null);
  const claim = channel && may("channels_write") && (
    <Button leftSection={<IconPlus size={15} />} onClick={() => setEdited("new")}>
      Connect agent
    </Button>
  );
  const columns: Column<ChannelTargetResponse>[] = [
    {
      field: "target",
      title: "Address",
      orderable: true,
      render: ({ target, target_mode }) =>
        target_mode === "chat" ? (
          <Anchor inherit href={`/chat/${encodeURIComponent(target)}`} target="_blank" rel="noreferrer">
            {target}
          </Anchor>
        ) : (
          <bdi>{target}</bdi>
        ),
    },
    {
      field: "target_mode",
      title: "Used for",
      orderable: true,
      render: ({ target_mode }) => MODE_NAMES[target_mode],
    },
    {
      field: "agent_id",
      title: "Agent",
      orderable: true,
      render: ({ agent_id, agent }) => (
        <RouteLink to={`/agents/${agent_id}`}>{agent?.name ?? `Agent ${agent_id}`}</RouteLink>
      ),
    },
    {
      field: "channel_name",
      title: "Channel",
      orderable: true,
      hidden: channel !== null,
      render: ({ channel_id, channel_name }) => (
        <RouteLink to={`/channels/${channel_id}`}>{channel_name}</RouteLink>
      ),
    },
    {
      field: "fallback_target",
      title: "Fallback",
      orderable: true,
      render: ({ fallback_target }) => <bdi>{fallback_target ?? "–"}</bdi>,
    },
    {
      field: "is_test",
      title: "Traffic",
      orderable: true,
      render: ({ is_test }) => (is_test ? <Status tone="quiet">test</Status> : "live"),
    },
    {
      field: "a2p_verified",
      title: "Texts to the US",
      orderable: true,
      hidden: true,
      render: ({ a2p_verified }) =>
        a2p_verified === true ? (
          <Status tone="good">registered</Status>
        ) : a2p_verified === false ? (
          <Status tone="bad">not registered</Status>
        ) : (
          "not checked"
        ),
    },
    {
      field: "updated_at",
      title: "Updated",
      orderable: true,
      hidden: true,
      render: ({ updated_at, last_updated_by }) => (
        <>
          <Time at={updated_at} kind="minute" /> by {last_updated_by}
        </>
      ),
    },
    ...(channel && (may("channels_write") || may("channels_delete"))
      ? [
          {
            field: "actions",
            title: "Actions",
            render: (target: ChannelTargetResponse) => (
              <Group gap={6} wrap="nowrap">
                {may("channels_write") && (
                  <Button
                    variant="default"
                    size="compact-sm"
                    aria-label={`Change ${target.target}`}
                    onClick={() => setEdited(target)}
                  >
                    Change
                  </Button>
                )}
                {may("channels_delete") && <Release target={target} />}
              </Group>
            ),
          },
        ]
      : []),
  ];
  return (
    <>
      {claim && (
        <Group justify="flex-end" mb="sm">
          {claim}
        </Group>
      )}
      <DataTable
        label="Addresses"
        operation="GET /api/v1/channels/targets"
        prefix={channel ? "" : "a_"}
        columns={columns}
        {...(channel && { fixed: { channel_id: String(channel.id) } })}
        search={{ field: "target", label: "Search by address" }}
        filters={[
          { field: "target_mode", label: "Used for", kind: "choice", choices: MODE_NAMES },
          { field: "is_test", label: "Traffic", kind: "choice", choices: { true: "Test", false: "Live" } },
        ]}
        empty={{
          title: "No addresses yet",
          icon: IconRoute,
          action: claim,
          about: channel
            ? "Connect an agent to an address of this channel. The agent answers there, and campaigns can send from it."
            : "An address is a number, a mailbox or a chat page with the agent that answers there. Connect one on the page of its channel.",
        }}
      />
      {channel && edited && (
        <TargetWindow
          channel={channel}
          target={edited === "new" ? null : edited}
          onClose={() => setEdited(null)}
        />
      )}
    </>
  );
}

const Release = ({ target }: { target: ChannelTargetResponse }) => (
  <ConfirmButton
    size="compact-sm"
    c="var(--mantine-color-error)"
    verb="Disconnect"
    aria-label={`Disconnect ${target.target}`}
    question="Disconnect this address?"
    act={() =>
      call("DELETE /api/v1/channels/{channel_id}", {
        path: { channel_id: target.channel_id },
        query: { target_id: target.id },
      })
    }
    invalidates={[TARGETS]}
    done={`${target.target} is free`}
  >
    Nobody answers at <b dir="auto">{target.target}</b> any more, and no campaign can send from it. The
    address stays yours and can be connected again.
  </ConfirmButton>
);

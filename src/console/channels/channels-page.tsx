import { Tabs } from "@mantine/core";
import { IconAddressBook } from "@tabler/icons-react";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { Channel } from "../api-types.ts";
import { type Column, nameColumn } from "../lists/columns.tsx";
import { DataTable } from "../lists/data-table.tsx";
import { useNewRecord } from "../lists/new-record.tsx";
import { PageHead } from "../parts/parts.tsx";
import { CarrierStatus } from "./carrier-note.tsx";
import { MODE_NAMES, modesOf, SERVICES } from "./channel-values.ts";
import { NumberOwners } from "./number-owners.tsx";
import { TargetList } from "./target-list.tsx";

const COLUMNS: Column<Channel>[] = [
  nameColumn("/channels"),
  {
    field: "channel_service",
    title: "Service",
    orderable: true,
    render: ({ channel_service }) => SERVICES[channel_service].name,
  },
  { field: "supported_modes", title: "For", orderable: true, render: (channel) => modeWords(channel) },
  { field: "carrier", title: "Carrier", render: (channel) => <CarrierStatus channel={channel} /> },
  { field: "id", title: "Number", orderable: true, hidden: true },
];

const modeWords = (channel: Channel): string =>
  modesOf(channel)
    .map((mode) => MODE_NAMES[mode as keyof typeof MODE_NAMES] ?? mode)
    .join(", ");

export default function ChannelsPage() {
  const navigate = useNavigate();
  const { view } = useSearch({ strict: false }) as { view?: string };
  const { button } = useNewRecord({
    permission: "channels_write",
    to: "/channels/new",
    label: "New channel",
  });
  return (
    <>
      <PageHead
        title="Channels"
        about="Carrier accounts and their addresses: phone numbers, WhatsApp senders, e-mail domains, chat pages."
        actions={button}
      />
      <Tabs
        value={view === "addresses" || view === "numbers" ? view : "channels"}
        onChange={(chosen) =>
          void navigate({ to: ".", search: chosen === "channels" ? {} : { view: chosen } })
        }
        keepMounted={false}
      >
        <Tabs.List mb="md" aria-label="Channels and their addresses">
          <Tabs.Tab value="channels">Channels</Tabs.Tab>
          <Tabs.Tab value="addresses">All addresses</Tabs.Tab>
          <Tabs.Tab value="numbers">Assigned numbers</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="channels">
          <DataTable
            label="Channels"
            operation="GET /api/v1/channels/"
            columns={COLUMNS}
            search={{ field: "name", label: "Search by name" }}
            filters={[
              {
                field: "channel_service",
                label: "Service",
                kind: "choice",
                choices: Object.fromEntries(
                  Object.entries(SERVICES).map(([service, { name }]) => [service, name]),
                ),
              },
            ]}
            empty={{
              title: "No channel yet",
              icon: IconAddressBook,
              action: button,
              about:
                "Begin with a channel of Twilio and no account: a simulator plays the carrier and the people, so calls and texts can be tried before anything is paid for.",
            }}
          />
        </Tabs.Panel>
        <Tabs.Panel value="addresses">
          <TargetList channel={null} />
        </Tabs.Panel>
        <Tabs.Panel value="numbers">
          <NumberOwners />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}

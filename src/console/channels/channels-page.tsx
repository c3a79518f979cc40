import { Tabs } from "@mantine/core";
import { IconAddressBook, IconPlus } from "@tabler/icons-react";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { Channel } from "../api-types.ts";
import { type Column, DataTable } from "../lists/data-table.tsx";
import { Empty, LinkButton, PageHead, RouteLink } from "../parts/parts.tsx";
import { useMay } from "../server/me.tsx";
import { CarrierStatus } from "./carrier-note.tsx";
import { MODE_NAMES, modesOf, SERVICES } from "./channel-values.ts";
import { NumberOwners } from "./number-owners.tsx";
import { TargetList } from "./target-list.tsx";

const COLUMNS: Column<Channel>[] = [
  {
    field: "name",
    title: "Name",
    orderable: true,
    render: ({ id, name }) => <RouteLink to={`/channels/${id}`}>{name}</RouteLink>,
  },
  {
    field: "channel_service",
    title: "Service",
    orderable: true,
    render: ({ channel_service }) => SERVICES[channel_service].name,
  },
  { field: "supported_modes", title: "For", orderable: true, render: (channel) => modeWords(channel) },
  { field: "carrier", title: "Carrier", render: (channel) => <CarrierStatus channel={channel} /> },
  { field: "id", title: "Number", orderable: true, hidden: true, render: ({ id }) => id },
];

const modeWords = (channel: Channel): string =>
  modesOf(channel)
    .map((mode) => MODE_NAMES[mode as keyof typeof MODE_NAMES] ?? mode)
    .join(", ");

export default function ChannelsPage() {
  const may = useMay();
  const navigate = useNavigate();
  const { view } = useSearch({ strict: false }) as { view?: string };
  const create = may("channels_write") && (
    <LinkButton to="/channels/new" leftSection={<IconPlus size={15} />}>
      New channel
    </LinkButton>
  );
  return (
    <>
      <PageHead
        title="Channels"
        about="Carrier accounts and their addresses: phone numbers, WhatsApp senders, e-mail domains, chat pages."
        actions={create}
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
            rowKey={({ id }) => id}
            search={{ field: "name", label: "Search by name" }}
            filters={[
              {
                field: "channel_service",
                label: "Service",
                kind: "choice",
                choices: Object.entries(SERVICES).map(([value, { name }]) => ({ value, label: name })),
              },
            ]}
            empty={
              <Empty title="No channel yet" icon={<IconAddressBook size={28} />} action={create}>
                Begin with a channel of Twilio and no account: a simulator plays the carrier and the people,
                so calls and texts can be tried before anything is paid for.
              </Empty>
            }
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

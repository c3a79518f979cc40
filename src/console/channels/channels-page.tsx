import { IconAddressBook } from "@tabler/icons-react";
import type { Channel } from "../api-types.ts";
import { type Column, nameColumn } from "../lists/columns.tsx";
import { DataTable } from "../lists/data-table.tsx";
import { useNewRecord } from "../lists/new-record.tsx";
import { PageHead } from "../parts/parts.tsx";
import { ViewTabs } from "../parts/view-tabs.tsx";
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
  { field: "supported_modes", title: "Used for", orderable: true, render: (channel) => modeWords(channel) },
  { field: "carrier", title: "Carrier", render: (channel) => <CarrierStatus channel={channel} /> },
  { field: "id", title: "Number", orderable: true, hidden: true },
];

const modeWords = (channel: Channel): string =>
  modesOf(channel)
    .map((mode) => MODE_NAMES[mode as keyof typeof MODE_NAMES] ?? mode)
    .join(", ");

const VIEWS = { channels: "Channels", addresses: "All addresses", numbers: "Assigned numbers" };

/** By hand: channels stand beside two lists of what belongs to them. */
export default function ChannelsPage() {
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
      <ViewTabs label="Channels and their addresses" views={VIEWS}>
        {(view) =>
          view === "addresses" ? (
            <TargetList channel={null} />
          ) : view === "numbers" ? (
            <NumberOwners />
          ) : (
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
                title: "No channels yet",
                icon: IconAddressBook,
                action: button,
                about:
                  "Begin with a channel of Twilio and no account: a simulator plays the carrier and the people, so calls and texts can be tried before anything is paid for.",
              }}
            />
          )
        }
      </ViewTabs>
    </>
  );
}

import { IconAddressBook } from "@tabler/icons-react";
import type { ContactRecord } from "../api-types.ts";
import { type Column, changedColumn } from "../lists/columns.tsx";
import { listPage } from "../lists/list-page.tsx";
import { Names } from "../parts/names.tsx";
import { RouteLink } from "../parts/parts.tsx";
import { addressIn, personPath } from "../parts/person-path.ts";

const COLUMNS: Column<ContactRecord>[] = [
  {
    field: "name",
    title: "Name",
    orderable: true,
    render: ({ name, addresses }) => (
      <RouteLink to={personPath(addresses[0]?.address ?? "")}>
        {name ?? addresses[0]?.address ?? "–"}
      </RouteLink>
    ),
  },
  {
    field: "addresses",
    title: "Addresses",
    render: ({ addresses }) => <Names of={addresses.map(({ address }) => address)} />,
  },
  { field: "key", title: "Key", orderable: true },
  { field: "timezone", title: "Time zone", orderable: true },
  changedColumn("updated_at"),
];

export default listPage({
  title: "Contacts",
  about: "People with several addresses, of whom something is noted, or who called or wrote.",
  operation: "GET /api/v1/contacts/",
  columns: COLUMNS,
  search: { field: "address", label: "Search by number or address" },
  empty: {
    title: "No contacts yet",
    icon: IconAddressBook,
    about:
      "Open a person from a session and save their name or link another address, or turn on Contacts from conversations under Organization.",
    // Whoever was only contacted has a history and is not listed.
    searched(text) {
      const address = addressIn(text);
      return address && <RouteLink to={personPath(address)}>Open the history of {address}</RouteLink>;
    },
  },
});

import { Button, Modal, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconList } from "@tabler/icons-react";
import type { AuditEntryResponse } from "../api-types.ts";
import { DifferenceList } from "../changes/difference-list.tsx";
import { differences } from "../changes/differences.ts";
import type { Column } from "../lists/columns.tsx";
import { listPage } from "../lists/list-page.tsx";
import { Facts, Status } from "../parts/parts.tsx";
import { Time } from "../time/time.tsx";
import {
  ACTION_CHOICES,
  actionTone,
  actionWords,
  nameOf,
  RESOURCE_CHOICES,
  resourceWords,
  timesWords,
} from "./audit-words.ts";
import { VerifyTrail } from "./verify-trail.tsx";

const COLUMNS: Column<AuditEntryResponse>[] = [
  { field: "at", title: "Time", orderable: true, render: ({ at }) => <Time at={at} /> },
  { field: "actor", title: "Who", orderable: true },
  {
    field: "action",
    title: "Action",
    orderable: true,
    render: (entry) => (
      <>
        <Status tone={actionTone(entry.action)}>{actionWords(entry.action)}</Status>
        {timesWords(entry) && (
          <Text size="xs" c="dimmed">
            {timesWords(entry)} within the hour
          </Text>
        )}
      </>
    ),
  },
  { field: "resource", title: "Record", orderable: true, render: ({ resource }) => resourceWords(resource) },
  { field: "resource_id", title: "Record ID", orderable: true, hidden: "narrow" },
  {
    field: "name",
    title: "Name",
    // The other columns don't wrap, and would leave it a letter's width.
    render: (entry) => (
      <div style={{ minWidth: "6rem" }}>
        <bdi>{nameOf(entry)}</bdi>
      </div>
    ),
  },
  { field: "address", title: "From", orderable: true, hidden: "narrow" },
  { field: "api_token_id", title: "Token", orderable: true, hidden: true },
  {
    field: "request_id",
    title: "Request",
    orderable: true,
    hidden: true,
    render: ({ request_id }) => <code>{request_id}</code>,
  },
  { field: "change", title: "Change", render: (entry) => <Change entry={entry} /> },
];

/** Opens the record before and after. */
function Change({ entry }: { entry: AuditEntryResponse }) {
  const [opened, { open, close }] = useDisclosure(false);
  const what = `${resourceWords(entry.resource)} ${entry.resource_id ?? ""}`;
  return (
    <>
      <Button size="compact-xs" variant="subtle" onClick={open} aria-label={`View the change of ${what}`}>
        View
      </Button>
      <Modal opened={opened} onClose={close} title="What changed" size="xl">
        <Stack gap="md">
          <Facts
            items={[
              ["Who", entry.actor],
              ["When", <Time key="at" at={entry.at} />],
              ["What", what],
              ["From", entry.address],
              ["Count", timesWords(entry)],
              ["By token", entry.api_token_id],
            ]}
          />
          <DifferenceList entries={differences(entry.before ?? {}, entry.after ?? {})} />
        </Stack>
      </Modal>
    </>
  );
}

export default listPage({
  title: "Audit log",
  about: "Changes, sign-ins and tests, with the record before and after.",
  operation: "GET /api/v1/audit_entries/",
  Actions: VerifyTrail,
  columns: COLUMNS,
  search: { field: "actor", label: "Who" },
  filters: [
    { field: "resource", label: "Record", kind: "choice", choices: RESOURCE_CHOICES },
    { field: "resource_id", label: "Record ID", kind: "text" },
    { field: "address", label: "From", kind: "text" },
    { field: "action", label: "Action", kind: "choice", choices: ACTION_CHOICES },
  ],
  days: true,
  empty: { title: "No entries yet", icon: IconList },
});

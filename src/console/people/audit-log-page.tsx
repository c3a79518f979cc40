import { Button, Modal, Stack, Text } from "@mantine/core";
import { IconList } from "@tabler/icons-react";
import { useState } from "react";
import type { AuditEntryResponse } from "../api-types.ts";
import { DifferenceList } from "../changes/difference-list.tsx";
import { differences } from "../changes/differences.ts";
import { type Column, DataTable } from "../lists/data-table.tsx";
import { Empty, Facts, PageHead, Status } from "../parts/parts.tsx";
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

export default function AuditLogPage() {
  const [shown, setShown] = useState<AuditEntryResponse | null>(null);
  const columns: Column<AuditEntryResponse>[] = [
    { field: "at", title: "Time", orderable: true, render: ({ at }) => <Time at={at} /> },
    { field: "actor", title: "Who", orderable: true, render: ({ actor }) => <bdi>{actor}</bdi> },
    {
      field: "action",
      title: "Did",
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
    { field: "resource", title: "What", orderable: true, render: ({ resource }) => resourceWords(resource) },
    { field: "resource_id", title: "Number", orderable: true, render: ({ resource_id }) => resource_id },
    { field: "name", title: "Name", render: (entry) => <bdi>{nameOf(entry)}</bdi> },
    { field: "address", title: "From", orderable: true, render: ({ address }) => address },
    {
      field: "api_token_id",
      title: "Token",
      orderable: true,
      hidden: true,
      render: ({ api_token_id }) => api_token_id,
    },
    {
      field: "request_id",
      title: "Call",
      orderable: true,
      hidden: true,
      render: ({ request_id }) => <code>{request_id}</code>,
    },
    {
      field: "change",
      title: "Change",
      render: (entry) => (
        <Button
          size="compact-xs"
          variant="subtle"
          onClick={() => setShown(entry)}
          aria-label={`Before and after of ${resourceWords(entry.resource)} ${entry.resource_id ?? ""}`}
        >
          Before and after
        </Button>
      ),
    },
  ];
  return (
    <>
      <PageHead title="Audit log" about="Changes, sign-ins and tests, with the record before and after." />
      <DataTable
        label="Audit log"
        operation="GET /api/v1/audit_entries/"
        columns={columns}
        rowKey={({ id }) => id}
        search={{ field: "actor", label: "Who" }}
        filters={[
          { field: "resource", label: "What", kind: "choice", choices: RESOURCE_CHOICES },
          { field: "resource_id", label: "Number", kind: "text" },
          { field: "address", label: "From", kind: "text" },
          {
            field: "action",
            label: "Did",
            kind: "choice",
            choices: ACTION_CHOICES,
          },
        ]}
        days
        empty={<Empty title="No entries yet" icon={<IconList size={28} />} />}
      />
      <Modal opened={shown !== null} onClose={() => setShown(null)} title="What changed" size="xl">
        {shown && (
          <Stack gap="md">
            <Facts
              items={[
                ["Who", shown.actor],
                ["When", <Time key="at" at={shown.at} />],
                ["What", `${resourceWords(shown.resource)} ${shown.resource_id ?? ""}`],
                ["From", shown.address],
                ["Count", timesWords(shown)],
                ["By token", shown.api_token_id],
              ]}
            />
            <DifferenceList entries={differences(shown.before ?? {}, shown.after ?? {})} />
          </Stack>
        )}
      </Modal>
    </>
  );
}

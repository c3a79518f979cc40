import { Button, Modal, Stack } from "@mantine/core";
import { IconList } from "@tabler/icons-react";
import { useState } from "react";
import type { AuditEntryResponse } from "../api-types.ts";
import { type Column, DataTable } from "../ground/data-table.tsx";
import { DifferenceList } from "../ground/difference-list.tsx";
import { differences } from "../ground/differences.ts";
import { Empty, Facts, PageHead, Status, type Tone } from "../ground/parts.tsx";
import { Time } from "../ground/time.tsx";

const TONES: Record<string, Tone> = { create: "good", update: "info", delete: "bad" };

export default function AuditLogPage() {
  const [shown, setShown] = useState<AuditEntryResponse | null>(null);
  const columns: Column<AuditEntryResponse>[] = [
    { field: "at", title: "Time", orderable: true, render: ({ at }) => <Time at={at} /> },
    { field: "actor", title: "Who", orderable: true, render: ({ actor }) => <bdi>{actor}</bdi> },
    {
      field: "action",
      title: "Did",
      orderable: true,
      render: ({ action }) => <Status tone={TONES[action] ?? "quiet"}>{action}</Status>,
    },
    { field: "resource", title: "What", orderable: true, render: ({ resource }) => resource },
    { field: "resource_id", title: "Number", orderable: true, render: ({ resource_id }) => resource_id },
    { field: "name", title: "Name", render: (entry) => <bdi>{nameOf(entry)}</bdi> },
    { field: "address", title: "From", orderable: true, hidden: true, render: ({ address }) => address },
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
          aria-label={`Before and after of ${entry.resource} ${entry.resource_id ?? ""}`}
        >
          Before and after
        </Button>
      ),
    },
  ];
  return (
    <>
      <PageHead title="Audit log" about="Every change, by whom, and how the record was before and after." />
      <DataTable
        label="Audit log"
        operation="GET /api/v1/audit_entries/"
        columns={columns}
        rowKey={({ id }) => id}
        search={{ field: "actor", label: "Who" }}
        filters={[
          { field: "resource", label: "What", kind: "text" },
          { field: "resource_id", label: "Number", kind: "text" },
          {
            field: "action",
            label: "Did",
            kind: "choice",
            choices: ["create", "update", "delete"].map((value) => ({ value, label: value })),
          },
        ]}
        days
        empty={<Empty title="Nothing was changed yet" icon={<IconList size={28} />} />}
      />
      <Modal opened={shown !== null} onClose={() => setShown(null)} title="What changed" size="xl">
        {shown && (
          <Stack gap="md">
            <Facts
              items={[
                ["Who", shown.actor],
                ["When", <Time key="at" at={shown.at} />],
                ["What", `${shown.resource} ${shown.resource_id ?? ""}`],
                ["From", shown.address],
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

/** What the record was called, where it has a name. */
function nameOf({ before, after }: AuditEntryResponse): string {
  const record = (after ?? before ?? {}) as Record<string, unknown>;
  const name = record.name ?? record.display_name ?? record.campaign_name ?? record.email;
  return typeof name === "string" ? name : "";
}

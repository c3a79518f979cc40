import { Group, Text } from "@mantine/core";
import { IconBan } from "@tabler/icons-react";
import type { Suppression } from "../api-types.ts";
import { type Column, timeColumn } from "../lists/columns.tsx";
import { DataTable } from "../lists/data-table.tsx";
import { RouteLink, Status } from "../parts/parts.tsx";
import { Time } from "../time/time.tsx";
import { AddSuppression } from "./add-suppression.tsx";
import { ImportSuppressions } from "./import-suppressions.tsx";
import { BY_ADDRESS, LedgerPage } from "./ledger-page.tsx";
import { LiftSuppression } from "./lift-suppression.tsx";
import { REASONS, SCOPES, SUPPRESSIONS, THROUGH } from "./suppression-words.ts";

/** The suppression list. */
export default function SuppressionsPage() {
  return (
    <LedgerPage
      title="Suppressions"
      about="Addresses that are never contacted. Checked before every attempt."
      csv="/api/v1/suppressions/csv"
      add="New suppression"
      addWindow={(close) => <AddSuppression onClose={close} />}
      importWindow={(close) => <ImportSuppressions onClose={close} />}
    >
      {(button) => (
        <DataTable
          label="Suppressions"
          operation={SUPPRESSIONS}
          columns={COLUMNS}
          search={BY_ADDRESS}
          filters={[
            { field: "scope", label: "From", kind: "choice", choices: SCOPES },
            { field: "reason", label: "Reason", kind: "choice", choices: REASONS },
            { field: "through", label: "Origin", kind: "choice", choices: THROUGH },
            { field: "lifted", label: "Lifted", kind: "choice", choices: { true: "Lifted" } },
          ]}
          days
          empty={{
            title: "No suppressions yet",
            icon: IconBan,
            action: button,
            about:
              "People who reply STOP, press the unsubscribe link or tell an agent are added automatically. You can import your own list as CSV.",
          }}
        />
      )}
    </LedgerPage>
  );
}

const COLUMNS: Column<Suppression>[] = [
  { field: "address", title: "Address", orderable: true },
  { field: "scope", title: "Blocked for", orderable: true, render: ({ scope }) => SCOPES[scope] },
  {
    field: "reason",
    title: "Reason",
    orderable: true,
    render: ({ reason, lifted_at }) => (
      <Group gap={6}>
        {REASONS[reason]}
        {lifted_at && <Status tone="quiet">lifted</Status>}
      </Group>
    ),
  },
  {
    field: "through",
    title: "Origin",
    orderable: true,
    render: ({ through, said, session_id }) => (
      <>
        {THROUGH[through]}
        {said && (
          <Text size="xs" c="dimmed">
            “<bdi>{said}</bdi>”
          </Text>
        )}
        {session_id && <RouteLink to={`/sessions/${session_id}`}>Session {session_id}</RouteLink>}
      </>
    ),
  },
  { field: "comment", title: "Comment", hidden: true },
  timeColumn("occurred_at", "Since"),
  { field: "created_by", title: "Added by", orderable: true, hidden: true },
  {
    field: "lifted_at",
    title: "Lifted",
    orderable: true,
    hidden: true,
    render: ({ lifted_at, lifted_by, lifted_said }) =>
      lifted_at ? (
        <>
          <Time at={lifted_at} kind="minute" /> by {lifted_by}: <bdi>{lifted_said}</bdi>
        </>
      ) : (
        "–"
      ),
  },
  {
    field: "lift",
    title: "Action",
    permissions: ["outbound_delete"],
    render: (suppression) => !suppression.lifted_at && <LiftSuppression suppression={suppression} />,
  },
];

import { Button, Group, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconBan, IconDownload, IconPlus, IconUpload } from "@tabler/icons-react";
import type { Suppression } from "../api-types.ts";
import { type Column, DataTable } from "../lists/data-table.tsx";
import { Empty, PageHead, RouteLink, Status } from "../parts/parts.tsx";
import { useMay } from "../server/me.tsx";
import { Time } from "../time/time.tsx";
import { AddSuppression } from "./add-suppression.tsx";
import { ImportSuppressions } from "./import-suppressions.tsx";
import { LiftSuppression } from "./lift-suppression.tsx";
import { choices, REASONS, SCOPES, SUPPRESSIONS, THROUGH } from "./suppression-words.ts";

const EXPORT = "/api/v1/suppressions/csv";

/** The suppression list: people who are not contacted any more, with the source of each entry. */
export default function SuppressionsPage() {
  const may = useMay();
  const [adding, add] = useDisclosure(false);
  const [importing, list] = useDisclosure(false);
  const create = may("outbound_write") && (
    <Button leftSection={<IconPlus size={15} />} onClick={add.open}>
      New suppression
    </Button>
  );
  return (
    <>
      <PageHead
        title="Suppressions"
        about="Addresses that are never contacted. Checked before every attempt."
        actions={
          <>
            <Button
              component="a"
              href={EXPORT}
              download
              variant="default"
              leftSection={<IconDownload size={15} />}
            >
              Export CSV
            </Button>
            {may("outbound_write") && (
              <Button variant="default" leftSection={<IconUpload size={15} />} onClick={list.open}>
                Import CSV
              </Button>
            )}
            {create}
          </>
        }
      />
      <DataTable
        label="Suppressions"
        operation={SUPPRESSIONS}
        columns={may("outbound_delete") ? [...COLUMNS, LIFT] : COLUMNS}
        rowKey={({ id }) => id}
        search={{ field: "address", label: "Number or address" }}
        filters={[
          { field: "scope", label: "From", kind: "choice", choices: choices(SCOPES) },
          { field: "reason", label: "Why", kind: "choice", choices: choices(REASONS) },
          { field: "through", label: "How", kind: "choice", choices: choices(THROUGH) },
          {
            field: "lifted",
            label: "Lifted",
            kind: "choice",
            choices: [{ value: "true", label: "Lifted" }],
          },
        ]}
        days
        empty={
          <Empty title="No suppressions yet" icon={<IconBan size={28} />} action={create}>
            People who reply STOP, press the unsubscribe link or tell an agent are added automatically. You
            can import your own list as CSV.
          </Empty>
        }
      />
      {adding && <AddSuppression onClose={add.close} />}
      {importing && <ImportSuppressions onClose={list.close} />}
    </>
  );
}

const COLUMNS: Column<Suppression>[] = [
  { field: "address", title: "Address", orderable: true, render: ({ address }) => <bdi>{address}</bdi> },
  { field: "scope", title: "Blocked for", orderable: true, render: ({ scope }) => SCOPES[scope] },
  {
    field: "reason",
    title: "Why",
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
    title: "How",
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
  {
    field: "comment",
    title: "Comment",
    hidden: true,
    render: ({ comment }) => <bdi>{comment}</bdi>,
  },
  {
    field: "occurred_at",
    title: "Since",
    orderable: true,
    render: ({ occurred_at }) => <Time at={occurred_at} kind="minute" />,
  },
  {
    field: "created_by",
    title: "By",
    orderable: true,
    hidden: true,
    render: ({ created_by }) => created_by,
  },
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
];

const LIFT: Column<Suppression> = {
  field: "lift",
  title: "Action",
  render: (suppression) => (suppression.lifted_at ? null : <LiftSuppression suppression={suppression} />),
};

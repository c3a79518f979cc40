import { Button, Group, Select, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconPhone } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { NumberOwner } from "../api-types.ts";
import type { Column } from "../lists/columns.tsx";
import { DataTable } from "../lists/data-table.tsx";
import { useNewRecord } from "../lists/new-record.tsx";
import { ConfirmButton } from "../parts/confirm-button.tsx";
import { useWindowForm, WindowForm } from "../records/window-form.tsx";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import { Time } from "../time/time.tsx";

const OWNERS = ["GET /api/v1/number_owners/"];

const COLUMNS: Column<NumberOwner>[] = [
  { field: "number", title: "Number", orderable: true },
  {
    field: "organization",
    title: "Organization",
    orderable: true,
    render: ({ organization, organization_id }) => (
      <>
        <bdi>{organization}</bdi> ({organization_id})
      </>
    ),
  },
  {
    field: "assigned_at",
    title: "Assigned",
    orderable: true,
    render: ({ assigned_at, assigned_by }) => (
      <>
        <Time at={assigned_at} kind="minute" /> by {assigned_by}
      </>
    ),
  },
  {
    field: "actions",
    title: "Actions",
    permissions: ["platform_admin", "channels_delete"],
    render: (owner) => <Actions owner={owner} />,
  },
];

/** Owners of the numbers in the operator's carrier account. An operator sees all, everybody else their own. */
export function NumberOwners() {
  const isOperator = useMay()("platform_admin");
  const { button, window } = useNewRecord({
    permission: "platform_admin",
    label: "Assign a number",
    window: (close) => <AssignWindow owner={null} onClose={close} />,
  });
  return (
    <>
      {button && (
        <Group justify="flex-end" mb="sm">
          {button}
        </Group>
      )}
      <DataTable
        label="Assigned numbers"
        operation="GET /api/v1/number_owners/"
        prefix="n_"
        columns={COLUMNS}
        rowKey={({ number }) => number}
        search={{ field: "number", label: "Search by number" }}
        filters={isOperator ? [{ field: "organization", label: "Organization", kind: "text" }] : []}
        empty={{
          title: "No numbers assigned",
          icon: IconPhone,
          action: button,
          about: isOperator
            ? "A number of the installation's carrier account belongs to one organization: the one you assign it to, or the one that attaches it first."
            : "Ask the operator of this installation for a number, or give a channel a carrier account of your own.",
        }}
      />
      {window}
    </>
  );
}

function Actions({ owner }: { owner: NumberOwner }) {
  const may = useMay();
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <Group gap={6} wrap="nowrap">
      {may("platform_admin") && (
        <Button variant="default" size="compact-sm" aria-label={`Reassign ${owner.number}`} onClick={open}>
          Reassign
        </Button>
      )}
      {may("channels_delete") && <Release owner={owner} />}
      {opened && <AssignWindow owner={owner} onClose={close} />}
    </Group>
  );
}

const Release = ({ owner: { number, organization } }: { owner: NumberOwner }) => (
  <ConfirmButton
    size="compact-sm"
    aria-label={`Release ${number}`}
    verb="Release"
    question={`Release ${number}?`}
    act={() => call("DELETE /api/v1/number_owners/{number}", { path: { number } })}
    invalidates={[OWNERS]}
    done={`${number} released`}
  >
    <bdi>{organization}</bdi> can no longer call or text from it, and is not reached by it. The operator can
    assign it again, or another organization attaches it.
  </ConfirmButton>
);

function AssignWindow({ owner, onClose }: { owner: NumberOwner | null; onClose(): void }) {
  const may = useMay();
  const client = useQueryClient();
  const organizations = useQuery({
    queryKey: ["GET /api/v1/incidents/organizations"],
    enabled: may("sa_incidents_read"),
    queryFn: ({ signal }) => call("GET /api/v1/incidents/organizations", { signal }),
  });
  const { form, sending } = useWindowForm({
    initial: {
      number: owner?.number ?? "",
      organization_id: owner ? String(owner.organization_id) : (null as string | null),
    },
    send: ({ number, organization_id }) =>
      call("PUT /api/v1/number_owners/{number}", {
        path: { number: number.replaceAll(/[\s()-]/g, "") },
        body: { organization_id: Number(organization_id) },
      }),
    async onSent() {
      await client.invalidateQueries({ queryKey: OWNERS });
      onClose();
    },
  });
  return (
    <WindowForm
      title={owner ? `Reassign ${owner.number}` : "Assign a number"}
      verb="Assign"
      sending={sending}
      onClose={onClose}
    >
      <TextInput
        label="Number"
        description="With its country code."
        placeholder="+15125551234"
        required
        readOnly={owner !== null}
        {...form.getInputProps("number")}
      />
      <Select
        label="Organization"
        description={
          owner && (
            <>
              <bdi>{owner.organization}</bdi> can no longer use it, and is not reached by it.
            </>
          )
        }
        required
        searchable
        allowDeselect={false}
        limit={100}
        data={(organizations.data ?? []).map(({ id, display_name }) => ({
          value: String(id),
          label: `${display_name} (${id})`,
        }))}
        {...form.getInputProps("organization_id")}
        error={organizations.error?.message ?? form.errors.organization_id}
      />
    </WindowForm>
  );
}

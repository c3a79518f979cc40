import { IconPlugConnected, IconPlus } from "@tabler/icons-react";
import type { ServiceResponse } from "../api-types.ts";
import { type Column, DataTable } from "../lists/data-table.tsx";
import { Empty, LinkButton, PageHead, RouteLink } from "../parts/parts.tsx";
import { useMay } from "../server/me.tsx";
import { Time } from "../time/time.tsx";
import { AUTH_NAMES } from "./auth-fields.tsx";

const COLUMNS: Column<ServiceResponse>[] = [
  {
    field: "name",
    title: "Name",
    orderable: true,
    render: ({ id, name }) => <RouteLink to={`/services/${id}`}>{name}</RouteLink>,
  },
  {
    field: "description",
    title: "Description",
    orderable: true,
    render: ({ description }) => <bdi>{description}</bdi>,
  },
  {
    field: "auth_type",
    title: "Authentication",
    render: ({ auth_type }) => (auth_type ? AUTH_NAMES[auth_type] : "nothing"),
  },
  { field: "tools", title: "Tools", render: ({ tools }) => tools.join(", ") || "none" },
  {
    field: "last_updated",
    title: "Changed",
    orderable: true,
    render: ({ last_updated }) => <Time at={last_updated} kind="minute" />,
  },
];

export default function ServicesPage() {
  const may = useMay();
  const create = may("services_write") && (
    <LinkButton to="/services/new" leftSection={<IconPlus size={15} />}>
      New service
    </LinkButton>
  );
  return (
    <>
      <PageHead
        title="Services"
        about="APIs that tools call, and their credentials. Secrets are encrypted: you can replace them, not read them."
        actions={create}
      />
      <DataTable
        label="Services"
        operation="GET /api/v1/services/"
        columns={COLUMNS}
        rowKey={({ id }) => id}
        search={{ field: "name", label: "Search by name" }}
        empty={
          <Empty title="No services yet" icon={<IconPlugConnected size={28} />} action={create}>
            A service is a system of yours that tools call, with the credentials for it in one place.
          </Empty>
        }
      />
    </>
  );
}

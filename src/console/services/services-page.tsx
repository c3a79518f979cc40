import { IconPlugConnected } from "@tabler/icons-react";
import type { ServiceResponse } from "../api-types.ts";
import { type Column, changedColumn, nameColumn } from "../lists/columns.tsx";
import { listPage } from "../lists/list-page.tsx";
import { AUTH_NAMES } from "./auth-fields.tsx";

const COLUMNS: Column<ServiceResponse>[] = [
  nameColumn("/services"),
  { field: "description", title: "Description", orderable: true },
  {
    field: "auth_type",
    title: "Authentication",
    render: ({ auth_type }) => (auth_type ? AUTH_NAMES[auth_type] : "None"),
  },
  { field: "tools", title: "Tools", render: ({ tools }) => tools.join(", ") || "none" },
  changedColumn("last_updated"),
];

export default listPage({
  title: "Services",
  about:
    "APIs that tools call, and their credentials. Secrets are encrypted: you can replace them, not read them.",
  create: { permission: "services_write", to: "/services/new", label: "New service" },
  operation: "GET /api/v1/services/",
  columns: COLUMNS,
  search: { field: "name", label: "Search by name" },
  empty: {
    title: "No services yet",
    icon: IconPlugConnected,
    about: "A service is a system of yours that tools call, with the credentials for it in one place.",
  },
});

import { IconUsers } from "@tabler/icons-react";
import type { UserResponse } from "../api-types.ts";
import { type Column, changedColumn } from "../lists/columns.tsx";
import { listPage } from "../lists/list-page.tsx";
import { RouteLink, Status, type Tone } from "../parts/parts.tsx";
import { Time } from "../time/time.tsx";

const STATES: Record<UserResponse["activity_status"], { tone: Tone; word: string }> = {
  active: { tone: "good", word: "active" },
  invited: { tone: "busy", word: "invited" },
  not_invited: { tone: "quiet", word: "not invited" },
};

const COLUMNS: Column<UserResponse>[] = [
  {
    field: "email",
    title: "E-mail address",
    orderable: true,
    render: ({ email }) => <RouteLink to={`/people/${encodeURIComponent(email)}`}>{email}</RouteLink>,
  },
  { field: "first_name", title: "First name", orderable: true },
  { field: "last_name", title: "Last name", orderable: true },
  {
    field: "role_name",
    title: "Role",
    orderable: true,
    render: ({ role_id, role_name }) => <RouteLink to={`/roles/${role_id}`}>{role_name}</RouteLink>,
  },
  {
    field: "activity_status",
    title: "Status",
    orderable: true,
    render: ({ activity_status }) => (
      <Status tone={STATES[activity_status].tone}>{STATES[activity_status].word}</Status>
    ),
  },
  {
    field: "last_session_at",
    title: "Last signed in",
    render: ({ last_session_at }) => <Time at={last_session_at} kind="minute" />,
  },
  { ...changedColumn("last_updated"), hidden: true },
];

export default listPage({
  title: "People",
  about: "People who can sign in, and their roles.",
  create: { permission: "users_write", to: "/people/new", label: "Invite somebody" },
  operation: "GET /api/v1/users/",
  columns: COLUMNS,
  search: { field: "email_first_name_last_name", label: "Name or address" },
  filters: [
    { field: "role_name", label: "Role", kind: "text" },
    { field: "activity_status", label: "Status", kind: "choice", choices: STATES },
  ],
  empty: { title: "No people", icon: IconUsers },
});

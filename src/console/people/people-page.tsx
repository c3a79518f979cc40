import { IconUserPlus, IconUsers } from "@tabler/icons-react";
import type { UserResponse } from "../api-types.ts";
import { type Column, DataTable } from "../lists/data-table.tsx";
import { Empty, LinkButton, PageHead, RouteLink, Status, type Tone } from "../parts/parts.tsx";
import { useMay } from "../server/me.tsx";
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
  {
    field: "first_name",
    title: "First name",
    orderable: true,
    render: ({ first_name }) => <bdi>{first_name}</bdi>,
  },
  {
    field: "last_name",
    title: "Last name",
    orderable: true,
    render: ({ last_name }) => <bdi>{last_name}</bdi>,
  },
  {
    field: "role_name",
    title: "Role",
    orderable: true,
    render: ({ role_id, role_name }) => <RouteLink to={`/roles/${role_id}`}>{role_name}</RouteLink>,
  },
  {
    field: "activity_status",
    title: "State",
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
  {
    field: "last_updated",
    title: "Updated",
    orderable: true,
    hidden: true,
    render: ({ last_updated }) => <Time at={last_updated} kind="minute" />,
  },
];

export default function PeoplePage() {
  const may = useMay();
  const invite = may("users_write") && (
    <LinkButton to="/people/new" leftSection={<IconUserPlus size={15} />}>
      Invite somebody
    </LinkButton>
  );
  return (
    <>
      <PageHead title="People" about="People who can sign in, and their roles." actions={invite} />
      <DataTable
        label="People"
        operation="GET /api/v1/users/"
        columns={COLUMNS}
        rowKey={({ id }) => id}
        search={{ field: "email_first_name_last_name", label: "Name or address" }}
        filters={[
          { field: "role_name", label: "Role", kind: "text" },
          {
            field: "activity_status",
            label: "State",
            kind: "choice",
            choices: Object.entries(STATES).map(([value, { word }]) => ({ value, label: word })),
          },
        ]}
        empty={<Empty title="No people" icon={<IconUsers size={28} />} action={invite} />}
      />
    </>
  );
}

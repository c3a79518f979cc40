import { Button, Switch } from "@mantine/core";
import { IconUsersGroup } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Fragment } from "react";
import type { DirectoryMember } from "../api-types.ts";
import { type Column, changedColumn } from "../lists/columns.tsx";
import { DataTable } from "../lists/data-table.tsx";
import { useNewRecord } from "../lists/new-record.tsx";
import { useAction } from "../parts/action.ts";
import { DownloadButton } from "../parts/download-button.tsx";
import { FileUpload } from "../parts/file-upload.tsx";
import { Name, Names } from "../parts/names.tsx";
import { Failure, PageHead, RouteLink, Status } from "../parts/parts.tsx";
import { call, callForBytes } from "../server/api.ts";
import { useMay } from "../server/me.tsx";

const LIST = ["GET /api/v1/directory_members/"];

/** By hand: files are exchanged here, and deleted members come back. */
export default function DirectoryPage() {
  const may = useMay();
  const navigate = useNavigate();
  const { deleted, ...search } = useSearch({ strict: false }) as { deleted?: string };
  const withDeleted = deleted === "yes";
  const { button } = useNewRecord({
    permission: "directory_write",
    to: "/directory/new",
    label: "New member",
  });
  const columns: Column<DirectoryMember>[] = [
    {
      field: "name",
      title: "Name",
      orderable: true,
      render: ({ id, name, deleted_at }) =>
        deleted_at ? <bdi>{name}</bdi> : <RouteLink to={`/directory/${id}`}>{name}</RouteLink>,
    },
    { field: "type", title: "Kind", orderable: true },
    { field: "extensions", title: "Numbers", render: (member) => <Names of={numbersOf(member)} /> },
    { field: "contact_tags", title: "Tags", render: (member) => <Tags of={member} /> },
    changedColumn("updated_at"),
    ...(withDeleted
      ? [
          {
            field: "deleted_at",
            title: "Status",
            render: (member: DirectoryMember) =>
              member.deleted_at ? <Deleted member={member} /> : <Status tone="good">listed</Status>,
          },
        ]
      : []),
  ];
  return (
    <>
      <PageHead
        title="Directory"
        about="People and departments that calls are transferred to, with numbers by time and language."
        actions={
          <>
            <DownloadButton
              label="Download"
              name="directory.json"
              fetch={() =>
                callForBytes("GET /api/v1/directory_members/download/", { query: { response_format: "raw" } })
              }
            />
            {may("directory_write") && (
              <FileUpload
                label="Upload"
                accept=".csv,.json,text/csv,application/json"
                send={(form) => call("PUT /api/v1/directory_members/upload/", { form })}
                done={({ created, updated }) => `${created} added, ${updated} changed`}
                invalidates={[LIST]}
              >
                Members of the same name and kind are replaced, others are added; none are removed. Either a
                list as it is downloaded here, or a CSV table with a row for each number and the columns{" "}
                <code>name, type, extension, number, language, days, start_time, end_time, tags</code>.
              </FileUpload>
            )}
            {button}
          </>
        }
      />
      <Switch
        mb="sm"
        label="Show deleted"
        checked={withDeleted}
        onChange={({ currentTarget }) =>
          void navigate({
            to: ".",
            search: (currentTarget.checked ? { ...search, deleted: "yes" } : search) as never,
            replace: true,
          })
        }
      />
      <DataTable
        label="Directory"
        operation="GET /api/v1/directory_members/"
        columns={columns}
        also={{ include_deleted: withDeleted }}
        search={{ field: "name", label: "Search by name" }}
        filters={[
          { field: "type", label: "Kind", kind: "text" },
          { field: "extensions", label: "Number", kind: "text" },
          { field: "contact_tags", label: "Tag", kind: "text" },
        ]}
        empty={{
          title: "No members yet",
          icon: IconUsersGroup,
          action: button,
          about:
            "An agent that may transfer finds people by the names written here. A number can hold for some hours, days or languages only.",
        }}
      />
    </>
  );
}

const numbersOf = ({ extensions }: DirectoryMember): string[] =>
  (extensions ?? []).flatMap(({ numbers }) => (numbers ?? []).map(({ number }) => number)).slice(0, 3);

function Tags({ of: { contact_tags } }: { of: DirectoryMember }) {
  const tags = Object.entries(contact_tags ?? {});
  if (tags.length === 0) return "–";
  return tags.map(([tag, values], index) => (
    <Fragment key={tag}>
      {index > 0 && "; "}
      <Name>{tag}</Name>: <Names of={values} />
    </Fragment>
  ));
}

function Deleted({ member }: { member: DirectoryMember }) {
  const may = useMay();
  const client = useQueryClient();
  const restoring = useAction({
    mutationFn: () =>
      call("PUT /api/v1/directory_members/{member_id}/restore", {
        path: { member_id: member.id },
        body: {},
      }),
    onSuccess: () => client.invalidateQueries({ queryKey: LIST }),
  });
  return (
    <>
      <Status tone="quiet">deleted</Status>{" "}
      {may("directory_write") && (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={`Restore ${member.name}`}
          loading={restoring.isPending}
          onClick={() => restoring.mutate()}
        >
          Restore
        </Button>
      )}
      {restoring.error && <Failure error={restoring.error} />}
    </>
  );
}

import { Anchor, Modal, Stack } from "@mantine/core";
import { IconFileText } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { DataSourceDocument } from "../api-types.ts";
import { type Column, changedColumn } from "../lists/columns.tsx";
import { DataTable } from "../lists/data-table.tsx";
import { ConfirmButton } from "../parts/confirm-button.tsx";
import { Code, Fetched, Panel } from "../parts/parts.tsx";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import { sayRead } from "./read-in-words.ts";
import { UploadFiles } from "./upload-files.tsx";

const LIST = "GET /api/v1/data_sources/{data_source_id}/documents/";

const columnsOf = (data_source_id: number): Column<DataSourceDocument>[] => [
  {
    field: "name",
    title: "Name",
    orderable: true,
    render: (row) => <DocumentText data_source_id={data_source_id} document={row} />,
  },
  { field: "kind", title: "From", render: ({ kind }) => (kind === "page" ? "web site" : "upload") },
  { field: "characters", title: "Read", orderable: true, render: sayRead },
  changedColumn("updated_at"),
  {
    field: "actions",
    title: "Actions",
    permissions: ["data_sources_delete"],
    render: (row) => <DeleteDocument data_source_id={data_source_id} document={row} />,
  },
];

/** Files are dropped here; below, everything that was read, from files and from the web site. */
export function DocumentsView({ data_source_id }: { data_source_id: number }) {
  const mayUpload = useMay()("data_sources_write");
  return (
    <Stack gap="md">
      {mayUpload && (
        <Panel title="Upload files">
          <UploadFiles data_source_id={data_source_id} />
        </Panel>
      )}
      <DataTable
        label="Files and pages"
        operation={LIST}
        path={{ data_source_id }}
        columns={columnsOf(data_source_id)}
        search={{ field: "name", label: "Search by name" }}
        refresh_ms={5_000}
        empty={{
          title: "No files yet",
          icon: IconFileText,
          about:
            "Upload price lists, leaflets and manuals. The agent answers from them and names the file and page.",
        }}
      />
    </Stack>
  );
}

type OneDocument = { data_source_id: number; document: DataSourceDocument };

/** The name, which opens what was read. */
function DocumentText({ data_source_id, document }: OneDocument) {
  const [isOpen, setOpen] = useState(false);
  const path = { data_source_id, document_id: document.id };
  const read = useQuery({
    queryKey: ["document", document.id, document.updated_at],
    enabled: isOpen,
    queryFn: ({ signal }) =>
      call("GET /api/v1/data_sources/{data_source_id}/documents/{document_id}", { path, signal }),
  });
  return (
    <>
      <Anchor component="button" type="button" size="sm" onClick={() => setOpen(true)}>
        <bdi>{document.name}</bdi>
      </Anchor>
      <Modal opened={isOpen} onClose={() => setOpen(false)} title={<bdi>{document.name}</bdi>} size="xl">
        <Fetched query={read}>{({ text }) => <Code value={text} label="Extracted text" />}</Fetched>
      </Modal>
    </>
  );
}

function DeleteDocument({ data_source_id, document }: OneDocument) {
  return (
    <ConfirmButton
      size="compact-xs"
      verb="Delete"
      aria-label={`Delete ${document.name}`}
      question={`Delete ${document.name}?`}
      act={() =>
        call("DELETE /api/v1/data_sources/{data_source_id}/documents/{document_id}", {
          path: { data_source_id, document_id: document.id },
        })
      }
      invalidates={[[LIST]]}
      done="Deleted"
    >
      The agent no longer finds what was read of it.
      {document.kind === "page" && " The next crawl reads the page again."}
    </ConfirmButton>
  );
}

import { Stack, Textarea, TextInput } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import type { FolderDetails, InsightsFolder } from "../api-types.ts";
import { ConfirmButton } from "../parts/confirm-button.tsx";
import { Facts, Panel } from "../parts/parts.tsx";
import { RecordFormFrame, useRecordForm } from "../records/record-form.tsx";
import { RecordPage } from "../records/record-page.tsx";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import { FileList } from "./file-list.tsx";
import { UploadPanel } from "./upload-panel.tsx";

const LIST = ["GET /api/v1/insights/folders/"];
const read = (id: string) =>
  call("GET /api/v1/insights/folders/{folder_id}", { path: { folder_id: Number(id) } });

export default function FolderPage() {
  return (
    <RecordPage
      queryKey="insight folder"
      newTitle="New folder"
      title="Folder"
      back={{ to: "/insights?view=recordings", label: "Recordings" }}
      read={read}
    >
      {(id, found) =>
        found ? <Folder key={id} id={id} folder={found} /> : <FolderForm id={id} folder={null} />
      }
    </RecordPage>
  );
}

function Folder({ id, folder }: { id: string; folder: FolderDetails }) {
  const may = useMay();
  const { count, total_duration, total_size } = folder.folder_stats;
  return (
    <Stack gap="md">
      <Panel>
        <Facts
          items={[
            ["Recordings", count],
            ["Length", total_duration],
            ["Size", total_size],
          ]}
        />
      </Panel>
      {may("insights_write") && <UploadPanel folder_id={folder.id} />}
      <FileList folder_id={folder.id} />
      <FolderForm id={id} folder={folder} />
    </Stack>
  );
}

type Values = { name: string; label: string; description: string };

function FolderForm({ id, folder }: { id: string; folder: InsightsFolder | null }) {
  const may = useMay();
  const navigate = useNavigate();
  const record = useRecordForm<InsightsFolder, Values>({
    noun: "Folder",
    record: folder,
    values: (found) => ({
      name: found?.name ?? "",
      label: found?.label ?? "",
      description: found?.description ?? "",
    }),
    save({ name, label, description }) {
      const body = { name, label: label || null, description: description || null };
      return folder
        ? call("PUT /api/v1/insights/folders/{folder_id}", { path: { folder_id: folder.id }, body })
        : call("POST /api/v1/insights/folders/", { body });
    },
    reread: () => read(id),
    invalidates: [["insight folder"], LIST],
    onSaved: (stored) => {
      if (folder === null) void navigate({ to: `/insights/folders/${stored.id}` });
    },
  });
  const { form } = record;
  return (
    <Panel {...(folder && { title: "The folder" })}>
      <RecordFormFrame
        form={record}
        readOnly={!may("insights_write")}
        extra={
          folder &&
          may("insights_delete") && (
            <ConfirmButton
              verb="Delete"
              c="var(--mantine-color-error)"
              question="Delete this folder?"
              act={() =>
                call("DELETE /api/v1/insights/folders/{folder_id}", { path: { folder_id: folder.id } })
              }
              invalidates={[LIST]}
              done={`${folder.name} deleted`}
              onDone={() =>
                void navigate({
                  to: "/insights",
                  search: { view: "recordings" } as never,
                  ignoreBlocker: true,
                })
              }
            >
              No workflow takes anything from <b dir="auto">{folder.name}</b> any more. Its recordings stay
              stored and can't be reached here any more: delete those before that have to go.
            </ConfirmButton>
          )
        }
      >
        <TextInput label="Name" required dir="auto" {...form.getInputProps("name")} />
        <TextInput label="Label" dir="auto" {...form.getInputProps("label")} />
        <Textarea
          label="Description"
          dir="auto"
          autosize
          minRows={1}
          {...form.getInputProps("description")}
        />
      </RecordFormFrame>
    </Panel>
  );
}

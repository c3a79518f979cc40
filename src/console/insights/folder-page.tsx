import { Stack, Textarea, TextInput } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import type { FolderDetails } from "../api-types.ts";
import { ConfirmButton } from "../parts/confirm-button.tsx";
import { Facts, Panel } from "../parts/parts.tsx";
import { recordPage } from "../records/build-record-page.tsx";
import { fieldsOf, optionalText } from "../records/record-fields.ts";
import { RecordFormFrame } from "../records/record-form-frame.tsx";
import { call } from "../server/api.ts";
import { FileList } from "./file-list.tsx";
import { UploadPanel } from "./upload-panel.tsx";

const LIST = "GET /api/v1/insights/folders/";

export default recordPage({
  operations: {
    list: LIST,
    read: "GET /api/v1/insights/folders/{folder_id}",
    create: "POST /api/v1/insights/folders/",
    update: "PUT /api/v1/insights/folders/{folder_id}",
  },
  permission: "insights",
  noun: "Folder",
  queryKey: "insight folder",
  list: { to: "/insights?view=recordings", label: "Recordings" },
  address: "/insights/folders",
  newTitle: "New folder",
  title: "Folder",
  ...fieldsOf("PUT /api/v1/insights/folders/{folder_id}", {
    name: { initial: "" },
    label: optionalText(),
    description: optionalText(),
  }),
  Remove: RemoveFolder,
  Form: ({ form, record, readOnly, frame }) => (
    <Stack gap="md">
      {record && <Recordings folder={record} readOnly={readOnly} />}
      <Panel {...(record && { title: "The folder" })}>
        <RecordFormFrame {...frame}>
          <TextInput label="Name" required {...form.getInputProps("name")} />
          <TextInput label="Label" {...form.getInputProps("label")} />
          <Textarea label="Description" autosize minRows={1} {...form.getInputProps("description")} />
        </RecordFormFrame>
      </Panel>
    </Stack>
  ),
});

function Recordings({ folder, readOnly }: { folder: FolderDetails; readOnly: boolean }) {
  const { count, total_duration, total_size } = folder.folder_stats;
  return (
    <>
      <Panel>
        <Facts
          items={[
            ["Recordings", count],
            ["Length", total_duration],
            ["Size", total_size],
          ]}
        />
      </Panel>
      {!readOnly && <UploadPanel folder_id={folder.id} />}
      <FileList folder_id={folder.id} />
    </>
  );
}

function RemoveFolder({ record }: { record: FolderDetails }) {
  const navigate = useNavigate();
  return (
    <ConfirmButton
      verb="Delete"
      c="var(--mantine-color-error)"
      question="Delete this folder?"
      act={() => call("DELETE /api/v1/insights/folders/{folder_id}", { path: { folder_id: record.id } })}
      invalidates={[[LIST]]}
      done={`${record.name} deleted`}
      onDone={() =>
        void navigate({
          to: "/insights",
          search: { view: "recordings" } as never,
          ignoreBlocker: true,
          replace: true,
        })
      }
    >
      No workflow takes anything from <b dir="auto">{record.name}</b> any more. Its recordings are kept but
      can no longer be opened here: delete the ones you don't want to keep first.
    </ConfirmButton>
  );
}

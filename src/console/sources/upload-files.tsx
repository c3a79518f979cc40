import { Button, Group, Loader, Progress, Stack, Table, Text } from "@mantine/core";
import { Dropzone } from "@mantine/dropzone";
import { counted } from "../parts/counted.ts";
import "@mantine/dropzone/styles.css";
import { IconFileText } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import type { DataSourceDocument } from "../api-types.ts";
import { Status } from "../parts/parts.tsx";
import { call } from "../server/api.ts";
import { sayRead, sayRefused } from "./read-in-words.ts";

const UPLOAD = "POST /api/v1/data_sources/{data_source_id}/documents/";
const ACCEPTED = ".pdf,.docx,.html,.htm,.md,.markdown,.txt";

type Upload = {
  key: number;
  file: File;
  state: { is: "waiting" | "reading" } | { is: "read"; said: string } | { is: "refused"; said: string };
};

let uploads = 0;

/** Files dropped or chosen, sent one after the other; each row says what was read, or why nothing was. */
export function UploadFiles({ data_source_id }: { data_source_id: number }) {
  const client = useQueryClient();
  const [files, setFiles] = useState<Upload[]>([]);
  const queue = useRef(Promise.resolve());
  const set = (key: number, state: Upload["state"]) =>
    setFiles((all) => all.map((one) => (one.key === key ? { ...one, state } : one)));

  const send = async ({ key, file }: Upload) => {
    set(key, { is: "reading" });
    const form = new FormData();
    form.set("file", file, file.name);
    try {
      const read = (await call(UPLOAD, { path: { data_source_id }, form })) as DataSourceDocument;
      set(key, { is: "read", said: sayRead(read) });
    } catch (error) {
      set(key, { is: "refused", said: sayRefused(error as Error) });
    }
    await client.invalidateQueries({ queryKey: ["GET /api/v1/data_sources/{data_source_id}/documents/"] });
  };
  const add = (dropped: File[]) => {
    const added: Upload[] = dropped.map((file) => ({ key: ++uploads, file, state: { is: "waiting" } }));
    setFiles((all) => [...added, ...all]);
    for (const upload of added) queue.current = queue.current.then(() => send(upload));
  };

  const ended = files.filter(({ state }) => state.is === "read" || state.is === "refused").length;
  return (
    <Stack gap="sm">
      <Dropzone
        onDrop={add}
        inputProps={{ "aria-label": "Files", accept: ACCEPTED }}
        aria-label="Drop files here, or choose them"
      >
        <Group justify="center" gap="sm" mih={64} style={{ pointerEvents: "none" }}>
          <IconFileText size={28} aria-hidden />
          <div>
            <Text size="sm" fw={600}>
              Drop files here, or choose them
            </Text>
            <Text size="xs" c="dimmed">
              PDF, DOCX, HTML, Markdown and text, up to 25 MB each. A file of the same name is replaced.
            </Text>
          </div>
        </Group>
      </Dropzone>
      {files.length > 0 && (
        <>
          <Progress
            value={(ended / files.length) * 100}
            animated={ended < files.length}
            aria-label="Files read"
          />
          <Group justify="space-between">
            <Text size="sm" role="status">
              {ended} of {counted(files.length, "file")} done
            </Text>
            {ended === files.length && (
              <Button variant="subtle" size="xs" onClick={() => setFiles([])}>
                Clear
              </Button>
            )}
          </Group>
          <Table aria-label="Uploaded files">
            <Table.Tbody>
              {files.map(({ key, file, state }) => (
                <Table.Tr key={key}>
                  <Table.Td>
                    <bdi>{file.name}</bdi>
                  </Table.Td>
                  <Table.Td>
                    <UploadState state={state} />
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </>
      )}
    </Stack>
  );
}

function UploadState({ state }: { state: Upload["state"] }) {
  switch (state.is) {
    case "waiting":
      return <Status tone="quiet">Waiting</Status>;
    case "reading":
      return (
        <Group gap={6}>
          <Loader size={14} />
          <Text size="sm">Reading…</Text>
        </Group>
      );
    default:
      return (
        <Group gap={6} wrap="nowrap" align="flex-start">
          <Status tone={state.is === "read" ? "good" : "bad"}>
            {state.is === "read" ? "Read" : "Rejected"}
          </Status>
          <Text size="sm">{state.said}</Text>
        </Group>
      );
  }
}

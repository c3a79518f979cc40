import { Alert, Autocomplete, Button, Group, Progress, Stack, Table, Text } from "@mantine/core";
import { Dropzone } from "@mantine/dropzone";
import { useAction } from "../parts/action.ts";
import { counted } from "../parts/counted.ts";
import "@mantine/dropzone/styles.css";
import { IconFileTypeCsv, IconUpload } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { RequestsAdded } from "../api-types.ts";
import classes from "../outbound/outbound.module.css";
import { Panel, Scroller } from "../parts/parts.tsx";
import { call } from "../server/api.ts";
import {
  type CsvPreview,
  columnProblems,
  guessColumns,
  missingColumns,
  PREVIEW_bytes,
  previewCsv,
  REQUIRED_COLUMNS,
  renamedCsv,
  UNREADABLE,
} from "./csv-preview.ts";
import { FileFaults } from "./file-faults.tsx";

const ROWS_SHOWN = 6;

type Chosen = { file: File; preview: CsvPreview; names: string[] };

/** Previews a CSV file and assigns its columns before it is uploaded. */
export function UploadPanel(props: {
  batch_id: string;
  /** Rows processed so far, during the upload. */
  rows_read: number;
  /** The errors of the last file. */
  last_error: string | null;
  onBusy(busy: boolean): void;
}) {
  const { batch_id, rows_read, last_error, onBusy } = props;
  const client = useQueryClient();
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const upload = useAction({
    mutationFn: ({ file, preview, names }: Chosen) => {
      const form = new FormData();
      form.set("file", renamedCsv(file, preview, names));
      return call("POST /api/v1/outbound/batches/{batch_id}/upload_batch", { path: { batch_id }, form });
    },
    onMutate: () => onBusy(true),
    async onSettled() {
      onBusy(false);
      await Promise.all(
        [["batch"], ["campaign"], ["GET /api/v1/outbound/batches"]].map((queryKey) =>
          client.invalidateQueries({ queryKey }),
        ),
      );
    },
  });
  const look = async (file: File) => {
    upload.reset();
    const preview = await file
      .slice(0, PREVIEW_bytes)
      .arrayBuffer()
      .then(
        (head) => previewCsv(new Uint8Array(head), file.size),
        () => UNREADABLE,
      );
    // Whoever mends a file names its columns once.
    const isSame = chosen !== null && chosen.preview.columns.join() === preview.columns.join();
    setChosen({ file, preview, names: isSame ? chosen.names : guessColumns(preview.columns) });
  };
  if (upload.data) return <Uploaded added={upload.data} />;
  return (
    <Panel title="Upload people">
      <Stack gap="md">
        {upload.error && <FileFaults error={upload.error} />}
        {last_error && upload.isIdle && (
          <Alert color="red" title="The last file was rejected">
            <bdi>{last_error}</bdi>
          </Alert>
        )}
        {upload.isPending && chosen ? (
          <Reading expected={chosen.preview.estimated_rows} rows_read={rows_read} />
        ) : (
          <>
            <Dropzone
              onDrop={([file]) => file && void look(file)}
              multiple={false}
              inputProps={{ "aria-label": "CSV file" }}
              aria-label="Drop a CSV file here, or choose one"
            >
              <Group justify="center" gap="sm" mih={64} style={{ pointerEvents: "none" }}>
                <IconFileTypeCsv size={28} aria-hidden />
                <div>
                  <Text size="sm" fw={600}>
                    {chosen ? chosen.file.name : "Drop a CSV file here, or choose one"}
                  </Text>
                  <Text size="xs" c="dimmed">
                    {chosen
                      ? `${size(chosen.file.size)}, ${rowsText(chosen.preview)}. Choose another to replace it.`
                      : "One row per person, up to a million. Every column except reference_id and target becomes a variable."}
                  </Text>
                </div>
              </Group>
            </Dropzone>
            {chosen && (
              <Mapping
                chosen={chosen}
                onNames={(names) => setChosen({ ...chosen, names })}
                onUpload={() => upload.mutate(chosen)}
              />
            )}
          </>
        )}
      </Stack>
    </Panel>
  );
}

function Mapping(props: { chosen: Chosen; onNames(names: string[]): void; onUpload(): void }) {
  const { chosen, onNames, onUpload } = props;
  const { preview, names } = chosen;
  if (preview.problem !== null) {
    return (
      <Alert color="red" role="alert" title="This file can't be read">
        {preview.problem}
      </Alert>
    );
  }
  const missing = missingColumns(names);
  const problems = columnProblems(names);
  const isReady = missing.length === 0 && problems.every((problem) => problem === "");
  return (
    <>
      <Scroller className={classes.scroll} label="First rows of the file">
        <Table>
          <Table.Thead>
            <Table.Tr>
              {names.map((name, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a column is its place
                <Table.Th key={index} miw={150}>
                  <Autocomplete
                    size="xs"
                    label={preview.columns[index] || `Column ${index + 1}`}
                    aria-label={`Column ${preview.columns[index] || index + 1} is`}
                    data={[...REQUIRED_COLUMNS]}
                    value={name}
                    onChange={(next) => onNames(names.with(index, next))}
                    error={problems[index] || null}
                  />
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {preview.rows.slice(0, ROWS_SHOWN).map((row, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows stand as in the file
              <Table.Tr key={at}>
                {names.map((_, index) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: a column is its place
                  <Table.Td key={index}>
                    <bdi>{row[index] ?? ""}</bdi>
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Scroller>
      {missing.length > 0 && (
        <Alert color="yellow" role="status" title={`Which column is ${missing.join(", and which ")}?`}>
          reference_id is what you call the person, target the number or address to reach them at. Name the
          column above.
        </Alert>
      )}
      <Group>
        <Button leftSection={<IconUpload size={15} />} disabled={!isReady} onClick={onUpload}>
          Upload {rowsText(preview)}
        </Button>
        <Text size="xs" c="dimmed">
          A file with errors adds no one. Invalid numbers and addresses are stored as invalid and not
          contacted.
        </Text>
      </Group>
    </>
  );
}

function Reading({ expected, rows_read }: { expected: number; rows_read: number }) {
  const share = expected === 0 ? 0 : Math.min(100, (rows_read / expected) * 100);
  return (
    <Stack gap={6}>
      <Text size="sm" role="status">
        {rows_read === 0 ? "Sending the file…" : `${counted(rows_read, "row")} read…`}
      </Text>
      <Progress value={rows_read === 0 ? 100 : share} animated={rows_read === 0} aria-label="Rows read" />
    </Stack>
  );
}

function Uploaded({ added }: { added: RequestsAdded }) {
  const { accepted, duplicates, invalid } = added;
  const left = [
    duplicates > 0 && `${counted(duplicates, "duplicate")} skipped`,
    invalid > 0 && `${invalid.toLocaleString("en")} skipped: no valid number or address`,
  ].filter((text) => text !== false);
  return (
    <Alert
      color={invalid > 0 ? "yellow" : "green"}
      role="status"
      title={`${counted(accepted, "person was", "people were")} added`}
    >
      {left.length > 0 ? `${left.join("; ")}.` : "Every row has a valid number or address."}
    </Alert>
  );
}

function rowsText({ estimated_rows, rows }: CsvPreview): string {
  const exact = estimated_rows === rows.length;
  return `${exact ? "" : "about "}${counted(estimated_rows, "row")}`;
}

const size = (bytes: number): string =>
  bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;

import { Alert, Button, FileButton, Group, Stack, Table, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconAlertTriangle, IconUpload } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { ApiError, type Issue } from "../server/api.ts";
import { useAction } from "./action.ts";
import { ActionWindow } from "./action-window.tsx";
import classes from "./file-upload.module.css";
import { Failure, Scroller } from "./parts.tsx";

type Props<T> = {
  label: string;
  accept: string;
  /** What will happen, said before anything is sent. */
  children: ReactNode;
  send(form: FormData): Promise<T>;
  /** What the notice says afterwards. */
  done(answer: T): string;
  invalidates: readonly (readonly unknown[])[];
};

/** Uploads a file as a whole or not at all; its errors are listed in a table, row by row. */
export function FileUpload<T>({ label, accept, children, send, done, invalidates }: Props<T>) {
  const client = useQueryClient();
  const [file, setFile] = useState<File | null>(null);
  const uploading = useAction({
    mutationFn: (chosen: File) => {
      const form = new FormData();
      form.set("file", chosen, chosen.name);
      return send(form);
    },
    async onSuccess(answer) {
      setFile(null);
      notifications.show({ message: done(answer), color: "green" });
      await Promise.all(invalidates.map((queryKey) => client.invalidateQueries({ queryKey })));
    },
  });
  const issues = uploading.error instanceof ApiError ? uploading.error.issues : [];
  const choose = (chosen: File | null) => {
    uploading.reset();
    setFile(chosen);
  };
  return (
    <>
      <FileButton accept={accept} onChange={choose}>
        {(props) => (
          <Button {...props} variant="default" leftSection={<IconUpload size={15} />}>
            {label}
          </Button>
        )}
      </FileButton>
      <ActionWindow
        opened={file !== null}
        isPending={uploading.isPending}
        onClose={() => setFile(null)}
        title={`Upload ${file?.name}?`}
        size="lg"
      >
        <Stack gap="md">
          <Text size="sm" component="div">
            {children}
          </Text>
          {issues.length > 0 && <RowErrors issues={issues} />}
          {uploading.error && issues.length === 0 && <Refusal error={uploading.error} />}
          <Group justify="flex-end" gap="xs">
            <Button
              variant="default"
              onClick={() => setFile(null)}
              disabled={uploading.isPending}
              data-autofocus
            >
              Cancel
            </Button>
            <FileButton accept={accept} onChange={choose}>
              {(props) => (
                <Button {...props} variant="default" disabled={uploading.isPending}>
                  Another file
                </Button>
              )}
            </FileButton>
            <Button
              loading={uploading.isPending}
              disabled={issues.length > 0}
              onClick={() => file && uploading.mutate(file)}
            >
              Upload
            </Button>
          </Group>
        </Stack>
      </ActionWindow>
    </>
  );
}

/** Some operations report all errors in one sentence, separated by semicolons. */
function Refusal({ error }: { error: Error }) {
  const faults = error.message.split("; ");
  if (faults.length === 1) return <Failure error={error} />;
  return (
    <Alert color="red" icon={<IconAlertTriangle />} role="alert" title="The file was rejected">
      {faults.map((fault, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: faults have no name of their own
        <div key={index} dir="auto">
          {fault}
        </div>
      ))}
    </Alert>
  );
}

function RowErrors({ issues }: { issues: Issue[] }) {
  return (
    <Alert color="red" icon={<IconAlertTriangle />} role="alert" title="The file was rejected">
      <Scroller label="Errors in the file" className={classes.scroll}>
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Row</Table.Th>
              <Table.Th>Column</Table.Th>
              <Table.Th>What is wrong</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {issues.map(({ loc, msg }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: issues have no name of their own
              <Table.Tr key={index}>
                <Table.Td>{loc.find((part) => typeof part === "number") ?? "–"}</Table.Td>
                <Table.Td>
                  <bdi>{columnOf(loc) || "–"}</bdi>
                </Table.Td>
                <Table.Td>
                  <span dir="auto">{msg}</span>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Scroller>
    </Alert>
  );
}

/** The path after the row's number: `["file", 3, "languages"]`. */
const columnOf = (loc: (string | number)[]): string =>
  loc.slice(loc.findIndex((part) => typeof part === "number") + 1).join(".");

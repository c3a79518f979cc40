import { Alert, Button, FileInput, Group, Stack, TextInput } from "@mantine/core";
import { IconUpload } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { FileFaults } from "../batches/file-faults.tsx";
import { useAction } from "../parts/action.ts";
import { ActionWindow } from "../parts/action-window.tsx";

type Props<Imported> = {
  title: string;
  /** The columns of the file. */
  about: string;
  send(form: FormData, calling_code: string | null): Promise<Imported>;
  /** What came of it: a heading, and what else is to be told. */
  told(imported: Imported): { title: string; more: ReactNode };
  /** The list that it adds to. */
  list: string;
  onClose(): void;
};

/** Imports a list of people kept elsewhere, as a whole or not at all. */
export function ImportList<Imported>({ title, about, send, told, list, onClose }: Props<Imported>) {
  const client = useQueryClient();
  const [file, setFile] = useState<File | null>(null);
  const [calling_code, setCode] = useState("");
  const load = useAction({
    mutationFn: (chosen: File) => {
      const form = new FormData();
      form.set("file", chosen);
      return send(form, calling_code.replace(/^\+/, "").trim() || null);
    },
    onSuccess: () => client.invalidateQueries({ queryKey: [list] }),
  });
  return (
    <ActionWindow opened isPending={load.isPending} onClose={onClose} title={title} size="lg">
      {load.data ? (
        <Stack gap="md">
          <Alert color="green" role="status" title={told(load.data).title}>
            {told(load.data).more}
          </Alert>
          <Group justify="flex-end">
            <Button onClick={onClose}>Done</Button>
          </Group>
        </Stack>
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (file) load.mutate(file);
          }}
        >
          <Stack gap="md">
            {load.error && <FileFaults error={load.error} />}
            <FileInput
              label="CSV file"
              description={about}
              placeholder="Choose a file"
              accept=".csv,text/csv"
              required
              data-autofocus
              value={file}
              onChange={setFile}
              leftSection={<IconUpload size={15} />}
            />
            <TextInput
              label="Default country code"
              description="1 for North America, 49 for Germany."
              inputMode="numeric"
              maxLength={4}
              w={220}
              value={calling_code}
              onChange={({ currentTarget }) => setCode(currentTarget.value)}
            />
            <Group justify="flex-end" gap="xs">
              <Button variant="default" onClick={onClose} disabled={load.isPending}>
                Cancel
              </Button>
              <Button type="submit" loading={load.isPending} disabled={!file}>
                Import
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </ActionWindow>
  );
}

import { Alert, Button, FileInput, Group, Modal, Stack, TextInput } from "@mantine/core";
import { IconUpload } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { FileFaults } from "../batches/file-faults.tsx";
import { call } from "../server/api.ts";
import { SUPPRESSIONS } from "./suppression-words.ts";

/** Imports a list kept elsewhere, as a whole or not at all. */
export function ImportSuppressions({ onClose }: { onClose(): void }) {
  const client = useQueryClient();
  const [file, setFile] = useState<File | null>(null);
  const [calling_code, setCode] = useState("");
  const load = useMutation({
    mutationFn: (chosen: File) => {
      const form = new FormData();
      form.set("file", chosen);
      return call("POST /api/v1/suppressions/csv", {
        form,
        query: { calling_code: calling_code.replace(/^\+/, "").trim() || null },
      });
    },
    onSuccess: () => client.invalidateQueries({ queryKey: [SUPPRESSIONS] }),
  });
  return (
    // The window can't be closed during the import, so that its result is seen.
    <Modal
      opened
      onClose={() => !load.isPending && onClose()}
      withCloseButton={!load.isPending}
      title="Import a do-not-call list"
      size="lg"
    >
      {load.data ? (
        <Stack gap="md">
          <Alert
            color="green"
            role="status"
            title={`${load.data.added.toLocaleString("en")} addresses were added`}
          >
            {load.data.known > 0 && `${load.data.known.toLocaleString("en")} were on the list already.`}
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
              description="Column address; optional: scope, reason, occurred_at, comment."
              placeholder="Choose a file"
              accept=".csv,text/csv"
              required
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
    </Modal>
  );
}

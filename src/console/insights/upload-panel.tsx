import { Button, FileButton, Group, Progress, Text, TextInput } from "@mantine/core";
import { IconUpload } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { Panel, Status, type Tone } from "../parts/parts.tsx";
import { call } from "../server/api.ts";
import classes from "./insights.module.css";

type Sent = { name: string; state: "waits" | "under way" | "uploaded" | "refused"; problem: string | null };
const TONES: Record<Sent["state"], Tone> = {
  waits: "quiet",
  "under way": "busy",
  uploaded: "good",
  refused: "bad",
};

/** Files that are not uploaded yet are lost with the page. */
const askToStay = (event: BeforeUnloadEvent) => event.preventDefault();

/** Uploads recordings and transcripts one after the other, with a status for each. */
export function UploadPanel({ folder_id }: { folder_id: number }) {
  const client = useQueryClient();
  const [agent, setAgent] = useState("");
  const [files, setFiles] = useState<Sent[]>([]);
  const forget = useRef<() => void>(null);
  const isBusy = files.some(({ state }) => state === "waits" || state === "under way");
  const done = files.filter(({ state }) => state === "uploaded" || state === "refused").length;

  async function upload(chosen: File[]) {
    const wanted = chosen.map(({ name }): Sent => ({ name, state: "waits", problem: null }));
    setFiles(wanted);
    // Cleared, so that the same file can be chosen again.
    forget.current?.();
    window.addEventListener("beforeunload", askToStay);
    const tell = (index: number, part: Partial<Sent>) =>
      setFiles((all) => all.map((each, at) => (at === index ? { ...each, ...part } : each)));
    for (const [index, file] of chosen.entries()) {
      tell(index, { state: "under way" });
      const form = new FormData();
      form.set("file", file, file.name);
      try {
        await call("POST /api/v1/insights/folders/{folder_id}/upload-file", {
          path: { folder_id },
          query: { call_id: file.name, ...(agent.trim() && { agent_number: agent.trim() }) },
          form,
        });
        tell(index, { state: "uploaded" });
      } catch (error) {
        tell(index, { state: "refused", problem: (error as Error).message });
      }
    }
    window.removeEventListener("beforeunload", askToStay);
    await Promise.all(
      [["insight folder"], ["GET /api/v1/insights/folders/{folder_id}/files"], ["folder executions"]].map(
        (queryKey) => client.invalidateQueries({ queryKey }),
      ),
    );
  }

  return (
    <Panel title="Upload">
      <Group gap="xs" align="flex-end">
        <TextInput
          label="Agent number"
          description="Applies to all files; workflows can use it."
          value={agent}
          onChange={({ currentTarget }) => setAgent(currentTarget.value)}
        />
        <FileButton multiple resetRef={forget} onChange={(chosen) => void upload(chosen)} disabled={isBusy}>
          {(props) => (
            <Button {...props} leftSection={<IconUpload size={15} />} loading={isBusy}>
              Choose recordings
            </Button>
          )}
        </FileButton>
      </Group>
      <Text size="xs" c="dimmed" mt="xs">
        Audio of up to 200 MB, or transcripts as .txt, .json, .vtt or .srt. Each file needs a name that no
        other recording has.
      </Text>
      {files.length > 0 && (
        <>
          <Progress.Root mt="sm">
            <Progress.Section value={(done / files.length) * 100} aria-label="Files uploaded" />
          </Progress.Root>
          <ul className={classes.ordered} aria-label="Files of this upload">
            {files.map(({ name, state, problem }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two may have one name; a file is its place in the upload
              <li key={index}>
                <Status tone={TONES[state]}>{state}</Status>
                <span>
                  <bdi>{name}</bdi>
                  {problem && (
                    <Text size="sm" c="var(--mantine-color-error)" role="alert">
                      {problem}
                    </Text>
                  )}
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </Panel>
  );
}

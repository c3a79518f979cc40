import { Button, Select, Text, TextInput } from "@mantine/core";
import { IconDownload, IconSearch, IconVolume } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { PronunciationOverride, PronunciationOverridesDictionary } from "../api-types.ts";
import type { Column } from "../lists/columns.tsx";
import { RowsTable } from "../lists/rows-table.tsx";
import { ConfirmButton } from "../parts/confirm-button.tsx";
import { counted } from "../parts/counted.ts";
import { DownloadButton } from "../parts/download-button.tsx";
import { FileUpload } from "../parts/file-upload.tsx";
import { Names } from "../parts/names.tsx";
import { Empty, Fetched, PageHead, Panel, Scroller, Status } from "../parts/parts.tsx";
import { saveFile } from "../parts/save-file.ts";
import { call, callForBytes } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import classes from "./pronunciations.module.css";

const KEY = ["pronunciations"];
/** The most entries shown, because a dictionary may have thousands. */
const SHOWN = 200;

/** By hand: the whole dictionary comes at once, and goes as a file. */
export default function PronunciationsPage() {
  const may = useMay();
  const dictionary = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => call("GET /api/v1/pronunciations", { signal }),
  });
  const entries = dictionary.data?.metadata.entries ?? 0;
  return (
    <>
      <PageHead
        title="Pronunciations"
        about="How names and words are spoken. Upload one CSV file; it applies from the agent's next turn."
        actions={
          <>
            {entries > 0 && (
              <DownloadButton
                label="Download CSV"
                name="pronunciations.csv"
                fetch={() => callForBytes("GET /api/v1/pronunciations/csv", {})}
              />
            )}
            {may("pronunciations_write") && (
              <FileUpload
                label="Upload CSV"
                accept=".csv,text/csv"
                send={(form) => call("POST /api/v1/pronunciations/csv", { form })}
                done={(stored) => `${counted(stored.entries, "pronunciation")}, revision ${stored.revision}`}
                invalidates={[KEY]}
              >
                The file replaces the whole dictionary
                {entries > 0 && `, ${counted(entries, "entry", "entries")} of now included`}. Its first row
                names the columns; <code>text</code> and <code>replacement</code> are needed.
              </FileUpload>
            )}
            {may("pronunciations_delete") && entries > 0 && (
              <ConfirmButton
                verb="Delete all"
                c="var(--mantine-color-error)"
                question="Delete the whole dictionary?"
                act={() => call("DELETE /api/v1/pronunciations/csv", {})}
                invalidates={[KEY]}
                done="The dictionary is empty"
              >
                {counted(entries, "entry is", "entries are")} removed. Download the dictionary first if you
                may need it again.
              </ConfirmButton>
            )}
          </>
        }
      />
      <Fetched query={dictionary} lines={10}>
        {(found) => <Dictionary dictionary={found} />}
      </Fetched>
    </>
  );
}

const EXAMPLE =
  "\uFEFFtext,replacement,languages,match_type\nNguyen,win,en-US|es-US,exact\nDr.,doctor,en,substring\n";

function Dictionary({ dictionary }: { dictionary: PronunciationOverridesDictionary }) {
  const [text, setText] = useState("");
  const [language, setLanguage] = useState<string | null>(null);
  const { pronunciations, voices } = dictionary;
  if (pronunciations.length === 0) {
    return (
      <Panel>
        <Empty
          title="No pronunciations yet"
          icon={<IconVolume size={28} />}
          action={
            <Button
              variant="default"
              leftSection={<IconDownload size={15} />}
              onClick={() =>
                saveFile("pronunciations example.csv", new Blob([EXAMPLE], { type: "text/csv" }))
              }
            >
              Download an example
            </Button>
          }
        >
          Each row has a written word and its spoken form: “Nguyen” as “win”, “Dr.” as “doctor”. A row can be
          limited to languages or one voice.
        </Empty>
      </Panel>
    );
  }
  const wanted = text.trim().toLowerCase();
  const found = pronunciations.filter(
    (entry) =>
      (wanted === "" || `${entry.text} ${entry.replacement}`.toLowerCase().includes(wanted)) &&
      (language === null || entry.languages.includes(language)),
  );
  return (
    <Panel
      title={counted(pronunciations.length, "entry", "entries")}
      actions={
        <>
          <TextInput
            size="xs"
            aria-label="Search by text or replacement"
            placeholder="Search by text or replacement"
            leftSection={<IconSearch size={14} />}
            value={text}
            onChange={({ currentTarget }) => setText(currentTarget.value)}
          />
          <Select
            size="xs"
            aria-label="Language"
            placeholder="Language"
            clearable
            clearButtonProps={{ "aria-label": "Clear the language" }}
            data={[...new Set(pronunciations.flatMap(({ languages }) => languages))].toSorted()}
            value={language}
            onChange={setLanguage}
          />
        </>
      }
      flush
    >
      <Scroller label="Pronunciations" className={classes.scroll}>
        <RowsTable columns={columnsOf(voices)} rows={found.slice(0, SHOWN)} />
      </Scroller>
      {(found.length === 0 || found.length > SHOWN) && (
        <Text size="sm" c="dimmed" p="md">
          {found.length === 0
            ? "No results."
            : `The first ${SHOWN} of ${found.length.toLocaleString("en")}. Search to see the others.`}
        </Text>
      )}
    </Panel>
  );
}

const columnsOf = (voices: PronunciationOverridesDictionary["voices"]): Column<PronunciationOverride>[] => [
  { field: "text", title: "Written" },
  { field: "replacement", title: "Spoken" },
  { field: "languages", title: "Languages", render: ({ languages }) => languages.join(", ") || "all" },
  {
    field: "voice",
    title: "Voice",
    render: ({ provider, voice }) => (
      <Names of={[provider, voices[voice]?.display_name ?? voice].filter((part) => part !== "")} none="all" />
    ),
  },
  {
    field: "match_type",
    title: "Where",
    render: ({ match_type, match_options }) =>
      [match_type === "exact" ? "whole words" : "anywhere", ...match_options].join(", ").replaceAll("_", " "),
  },
  {
    field: "enabled",
    title: "Status",
    render: ({ enabled }) => (enabled ? <Status tone="good">on</Status> : <Status tone="quiet">off</Status>),
  },
  { field: "notes", title: "Notes" },
];

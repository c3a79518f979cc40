import { MultiSelect, Select, Text, Textarea } from "@mantine/core";
import type { AnnouncementRow, AnnouncementRowInput, StoredAnnouncements } from "../api-types.ts";
import type { FieldsForm } from "../records/record-form.tsx";
import { SettingsPanel } from "../records/settings-panel.tsx";
import { call } from "../server/api.ts";
import { worded } from "../server/field-labels.ts";
import { linesOf, textsOf, twiceWritten } from "./announcement-lines.ts";
import classes from "./outreach-rules.module.css";
import { JurisdictionField, ReadOnField, RemoveRow, type RowProps, Rows, SourceField } from "./rule-rows.tsx";

/** A row as it is written. */
type Written = Pick<
  AnnouncementRow,
  "kind" | "jurisdiction" | "channels" | "source" | "checked_on" | "note"
> & {
  lines: string;
};
type Values = { rows: Written[] };

const KINDS = [
  { value: "ai", label: "Speaks or writes as AI" },
  { value: "recording", label: "Call is recorded" },
];
const CHANNELS = [
  { value: "call", label: "Calls" },
  { value: "text", label: "Texts" },
  { value: "chat", label: "Chats" },
  { value: "email", label: "E-mails" },
];

const LABELS = {
  rows: "Announcements",
  "rows.*.kind": worded("Kind", KINDS),
  "rows.*.channels": worded("Channels", CHANNELS),
  "rows.*.jurisdiction": "Jurisdiction",
  "rows.*.lines": "Texts",
  "rows.*.source": "Source",
  "rows.*.checked_on": "Source read on",
};

/** What agents say at the start of a conversation, by where the person is. */
export const AnnouncementsPanel = () => (
  <SettingsPanel<StoredAnnouncements, Values>
    title="Announcements"
    noun="Announcements"
    queryKey={["announcements"]}
    read={() => call("GET /api/v1/organizations/announcements", {})}
    save={({ rows }) => call("PUT /api/v1/organizations/announcements", { body: { rows: rows.map(rowOf) } })}
    values={({ rows }) => ({ rows: rows.map(written) })}
    labels={LABELS}
    permission="organizations_write"
  >
    {(form, { offered }) => <AnnouncementFields form={form} offered={offered} />}
  </SettingsPanel>
);

function AnnouncementFields({ form, offered }: { form: FieldsForm<Values>; offered: AnnouncementRow[] }) {
  const { rows } = form.getValues();
  const setRows = (next: Written[]) => form.setFieldValue("rows", next);
  const isThere = ({ kind, jurisdiction }: Pick<Written, "kind" | "jurisdiction">) =>
    rows.some((row) => row.kind === kind && row.jurisdiction === jurisdiction);
  const prepared = offered.filter((row) => !isThere(row));
  return (
    <>
      <Text size="sm">
        The agent's first words to people of a place. Which laws hold for you is for you to find out: this is
        no legal advice.
      </Text>
      <Select
        label="Add prepared row"
        placeholder="Choose one, then read its source"
        searchable
        value={null}
        data={prepared.map((row, at) => ({
          value: String(at),
          label: `${row.jurisdiction}: ${row.kind === "ai" ? "AI" : "recording"}, ${row.source ?? ""}`,
        }))}
        onChange={(at) => {
          const row = prepared[Number(at)];
          // The day on which somebody here read the source is theirs to enter.
          if (at !== null && row) setRows([...rows, { ...written(row), checked_on: null }]);
        }}
      />
      <Rows
        title="What is said"
        about="* is everybody, US a country, US-CA a state. A line for each language, as in: en: This call is recorded. The first is said in every other language. A line that goes on with the text above is indented."
        error={form.errors.rows}
        add="Add announcement"
        onAdd={() =>
          setRows([
            ...rows,
            {
              kind: "ai",
              jurisdiction: "*",
              channels: ["call"],
              lines: "en: ",
              source: null,
              checked_on: null,
              note: null,
            },
          ])
        }
      >
        {rows.map((row, index) => (
          <AnnouncementFieldset
            // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place
            key={index}
            number={index + 1}
            row={row}
            onChange={(next) => setRows(rows.with(index, next))}
            onRemove={() => setRows(rows.toSpliced(index, 1))}
            errorOf={(field) => errorAt(form.errors, `rows.${index}.${field}`)}
          />
        ))}
      </Rows>
    </>
  );
}

function AnnouncementFieldset({ number, row, onChange, onRemove, errorOf }: RowProps<Written>) {
  const name = `announcement ${number}`;
  const twice = twiceWritten(row.lines);
  return (
    <fieldset className={classes.announcement} aria-label={name}>
      <JurisdictionField
        name={name}
        value={row.jurisdiction}
        onChange={(jurisdiction) => onChange({ ...row, jurisdiction })}
        error={errorOf("jurisdiction")}
      />
      <Select
        aria-label={`Kind of ${name}`}
        data={KINDS}
        allowDeselect={false}
        value={row.kind}
        onChange={(kind) => onChange({ ...row, kind: kind as Written["kind"] })}
        error={errorOf("kind")}
      />
      <MultiSelect
        aria-label={`Channels of ${name}`}
        data={CHANNELS}
        value={row.channels}
        onChange={(channels) => onChange({ ...row, channels: channels as Written["channels"] })}
        error={errorOf("channels")}
      />
      <Textarea
        className={classes.wide}
        aria-label={`Texts of ${name}`}
        autosize
        value={row.lines}
        data-incomplete={
          twice && `Write one text for ${twice}. Indent a line that goes on with the text above.`
        }
        onChange={({ currentTarget }) => onChange({ ...row, lines: currentTarget.value })}
        error={errorOf("texts") ?? errorOf("default_language")}
      />
      <SourceField
        className={classes.wide}
        name={name}
        value={row.source}
        onChange={(source) => onChange({ ...row, source })}
        error={errorOf("source")}
      />
      <ReadOnField
        name={name}
        value={row.checked_on}
        onChange={(checked_on) => onChange({ ...row, checked_on })}
        error={errorOf("checked_on")}
      />
      <RemoveRow name={name} onRemove={onRemove} />
      {row.note && (
        <Text className={classes.note} size="xs" c="dimmed" dir="auto">
          {row.note}
        </Text>
      )}
    </fieldset>
  );
}

/** Of a field, or of what stands in it: a text is refused by its language. */
const errorAt = (errors: FieldsForm<Values>["errors"], path: string) =>
  errors[path] ?? Object.entries(errors).find(([key]) => key.startsWith(`${path}.`))?.[1];

const written = ({ texts, default_language, ...row }: AnnouncementRow): Written => ({
  ...row,
  lines: linesOf({ texts, default_language }),
});

const rowOf = ({ lines, ...row }: Written): AnnouncementRowInput => ({ ...row, ...textsOf(lines) });

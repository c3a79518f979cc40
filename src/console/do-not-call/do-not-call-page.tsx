import { Button, Checkbox, Group, MultiSelect, Select, Text, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconList, IconUpload } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { DoNotCallList, DoNotCallListSettings } from "../api-types.ts";
import { type Column, timeColumn } from "../lists/columns.tsx";
import { DataTable } from "../lists/data-table.tsx";
import { useNewRecord } from "../lists/new-record.tsx";
import { counted } from "../parts/counted.ts";
import { PageHead, Status } from "../parts/parts.tsx";
import { useWindowForm, WindowForm } from "../records/window-form.tsx";
import { call } from "../server/api.ts";
import { worded } from "../server/field-labels.ts";
import { EndButton } from "../suppressions/end-button.tsx";
import { ImportList } from "../suppressions/import-list.tsx";

const LISTS = "GET /api/v1/do-not-call-lists/";
const KINDS: Record<DoNotCallList["kind"], string> = {
  internal: "Own",
  national: "National registry",
  litigators: "Litigators",
  other: "Other",
};
const PURPOSES = [
  { value: "marketing", label: "Marketing" },
  { value: "informational", label: "Information" },
];
const CHANNELS = [
  { value: "call", label: "Calls" },
  { value: "text", label: "Texts" },
];
const words = (values: string[], choices: { value: string; label: string }[]) =>
  choices.flatMap(({ value, label }) => (values.includes(value) ? [label] : [])).join(", ");

/** Named lists of numbers that campaigns skip. By hand, because files are imported into them. */
export default function DoNotCallPage() {
  const { button, window } = useNewRecord({
    permission: "outbound_write",
    label: "New do-not-call list",
    window: (close) => <ListForm onClose={close} />,
  });
  return (
    <>
      <PageHead
        title="Do-not-call lists"
        about="Numbers that campaigns skip by purpose. Checked before every attempt."
        actions={button}
      />
      <DataTable
        label="Do-not-call lists"
        operation={LISTS}
        columns={COLUMNS}
        search={{ field: "name", label: "Search by name" }}
        filters={[
          { field: "kind", label: "Kind", kind: "choice", choices: KINDS },
          { field: "is_outdated", label: "Outdated", kind: "choice", choices: { true: "Outdated" } },
        ]}
        empty={{
          title: "No do-not-call lists yet",
          icon: IconList,
          action: button,
          about: "Create a list and import a registry's file, or your own, as CSV.",
        }}
      />
      {window}
    </>
  );
}

const NEW: Required<DoNotCallListSettings> = {
  name: "",
  kind: "internal",
  purposes: ["marketing"],
  channels: ["call", "text"],
  consent_overrides: false,
};

const LABELS = {
  kind: worded("Kind", KINDS),
  purposes: worded("Blocks campaigns for", PURPOSES),
  channels: worded("Channels", CHANNELS),
  consent_overrides: "Contact people with a consent on record",
};

/** There is no operation for one of them. */
async function listAgain(list: DoNotCallList): Promise<DoNotCallList> {
  const { items } = await call(LISTS, {
    query: { search_fields: ["id"], search_field_values: [String(list.id)] },
  });
  // One that was deleted meanwhile is refused when it is saved.
  return items[0] ?? list;
}

function ListForm({ onClose, list }: { onClose(): void; list?: DoNotCallList }) {
  const client = useQueryClient();
  const { form, sending } = useWindowForm({
    initial: list === undefined ? NEW : settingsOf(list),
    changed: list && {
      reread: () => listAgain(list),
      values: settingsOf,
      labels: LABELS,
    },
    send: (body) =>
      list === undefined
        ? call("POST /api/v1/do-not-call-lists/", { body })
        : call("PUT /api/v1/do-not-call-lists/{id}", { path: { id: list.id }, body }),
    async onSent({ name }) {
      onClose();
      notifications.show({ message: `${name} saved`, color: "green" });
      await client.invalidateQueries({ queryKey: [LISTS] });
    },
  });
  return (
    <WindowForm
      title={list === undefined ? "New do-not-call list" : "Edit do-not-call list"}
      verb="Save list"
      sending={sending}
      onClose={onClose}
    >
      <TextInput label="Name" required data-autofocus {...form.getInputProps("name")} />
      <Select
        label="Kind"
        data={Object.entries(KINDS).map(([value, label]) => ({ value, label }))}
        allowDeselect={false}
        {...form.getInputProps("kind")}
      />
      <MultiSelect
        label="Blocks campaigns for"
        data={PURPOSES}
        required
        {...form.getInputProps("purposes")}
      />
      <MultiSelect label="Channels" data={CHANNELS} required {...form.getInputProps("channels")} />
      <Checkbox
        label="Contact people with a consent on record"
        {...form.getInputProps("consent_overrides", { type: "checkbox" })}
      />
    </WindowForm>
  );
}

const settingsOf = ({ name, kind, purposes, channels, consent_overrides }: DoNotCallList) =>
  ({ name, kind, purposes, channels, consent_overrides }) as Required<DoNotCallListSettings>;

function Actions({ list }: { list: DoNotCallList }) {
  const [shown, show] = useState<"edit" | "import" | null>(null);
  const close = () => show(null);
  return (
    <Group gap={6} wrap="nowrap">
      <Button
        size="compact-xs"
        variant="default"
        leftSection={<IconUpload size={13} />}
        aria-label={`Import numbers into ${list.name}`}
        onClick={() => show("import")}
      >
        Import
      </Button>
      <Button
        size="compact-xs"
        variant="default"
        aria-label={`Edit ${list.name}`}
        onClick={() => show("edit")}
      >
        Edit
      </Button>
      {shown === "edit" && <ListForm onClose={close} list={list} />}
      {shown === "import" && <ImportNumbers onClose={close} list={list} />}
    </Group>
  );
}

function ImportNumbers({ onClose, list }: { onClose(): void; list: DoNotCallList }) {
  return (
    <ImportList
      title={`Import numbers into ${list.name}`}
      about="Replaces the list. Column address, or area_code and number; a registry's file without header works too."
      send={(form, calling_code) =>
        call("POST /api/v1/do-not-call-lists/{id}/csv", {
          path: { id: list.id },
          form,
          query: { calling_code },
        })
      }
      told={({ numbers }) => ({
        title: `The list has ${counted(numbers, "number")}`,
        more: "Campaigns skip them from the next attempt on.",
      })}
      list={LISTS}
      onClose={onClose}
    />
  );
}

const COLUMNS: Column<DoNotCallList>[] = [
  { field: "name", title: "Name", orderable: true },
  { field: "kind", title: "Kind", orderable: true, render: ({ kind }) => KINDS[kind] },
  { field: "purposes", title: "Blocks", render: ({ purposes }) => words(purposes, PURPOSES) },
  { field: "channels", title: "Channels", hidden: true, render: ({ channels }) => words(channels, CHANNELS) },
  {
    field: "numbers",
    title: "Numbers",
    orderable: true,
    align: "right",
    render: ({ numbers }) => numbers.toLocaleString("en"),
  },
  {
    field: "as_of",
    title: "File of",
    orderable: true,
    render: ({ as_of, age_days, is_outdated }) => (
      <>
        <Text size="sm">{as_of ?? "no file"}</Text>
        {is_outdated && (
          <Status tone="warn">
            {age_days === null ? "Import a file" : `${counted(age_days, "day")} old, import a new file`}
          </Status>
        )}
      </>
    ),
  },
  timeColumn("last_updated", "Updated"),
  {
    field: "change",
    title: "Change",
    permissions: ["outbound_write"],
    render: (list) => <Actions list={list} />,
  },
  {
    field: "delete",
    title: "Delete",
    permissions: ["outbound_delete"],
    render: ({ id, name }) => (
      <EndButton
        verb="Delete"
        label={`Delete ${name}`}
        question="Delete this do-not-call list?"
        example="For example, the subscription ended."
        act={(reason) => call("DELETE /api/v1/do-not-call-lists/{id}", { path: { id }, query: { reason } })}
        done={`${name} deleted`}
        list={LISTS}
      >
        Its numbers may be contacted from the next attempt on.
      </EndButton>
    ),
  },
];

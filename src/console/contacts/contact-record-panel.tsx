import { Select, Textarea, TextInput } from "@mantine/core";
import type { ContactRecord, ContactUpdateRequest } from "../api-types.ts";
import { ConfirmButton } from "../parts/confirm-button.tsx";
import { SettingsPanel } from "../records/settings-panel.tsx";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import { zones } from "../time/zone.ts";

const LABELS = {
  name: "Name",
  timezone: "Time zone",
  language: "Language",
  key: "Key",
  notes: "Notes",
};
type Values = Record<keyof typeof LABELS, string>;

const valuesOf = (record: ContactRecord | null): Values => ({
  name: record?.name ?? "",
  timezone: record?.timezone ?? "",
  language: record?.language ?? "",
  key: record?.key ?? "",
  notes: record?.notes ?? "",
});

/** Empty fields are none. */
const bodyOf = (values: Values): ContactUpdateRequest =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, value.trim() === "" ? null : value]),
  );

type Read = { record: ContactRecord | null };

/** What is noted of the person. */
export function ContactRecordPanel({ address, record }: { address: string; record: ContactRecord | null }) {
  const may = useMay();
  const path = { address };
  const read = async (): Promise<Read> => {
    const { record } = await call("GET /api/v1/contacts/{address}", { path, query: { limit: 1 } });
    return { record };
  };
  return (
    <SettingsPanel<Read, Values>
      title="About this person"
      noun="Contact"
      queryKey={["contact", address, "record"]}
      read={read}
      save={async (values) => ({
        record: await call("PUT /api/v1/contacts/{address}", { path, body: bodyOf(values) }),
      })}
      values={({ record }) => valuesOf(record)}
      labels={LABELS}
      permission="outbound_write"
      verb="Review the contact"
      invalidates={[["contact"]]}
      actions={
        record !== null &&
        may("outbound_delete") && (
          <ConfirmButton
            verb="Delete contact"
            size="compact-sm"
            question="Delete this contact?"
            done="Contact deleted"
            invalidates={[["contact"]]}
            act={() => call("DELETE /api/v1/contacts/{address}", { path })}
          >
            Its fields and the links between its addresses go. What was said stays, by address.
          </ConfirmButton>
        )
      }
    >
      {(form) => (
        <>
          <TextInput label={LABELS.name} {...form.getInputProps("name")} />
          <Select
            label={LABELS.timezone}
            description="Empty: by the postal code of a request, else the number's area."
            data={zones()}
            searchable
            clearable
            limit={50}
            value={form.getValues().timezone || null}
            onChange={(zone) => form.setFieldValue("timezone", zone ?? "")}
            error={form.errors.timezone}
          />
          <TextInput
            label={LABELS.language}
            description="Such as en or es-MX. Conversations do not use it."
            {...form.getInputProps("language")}
          />
          <TextInput
            label={LABELS.key}
            description="What your own systems call the person, such as a patient's number."
            {...form.getInputProps("key")}
          />
          <Textarea label={LABELS.notes} autosize minRows={2} maxRows={12} {...form.getInputProps("notes")} />
        </>
      )}
    </SettingsPanel>
  );
}

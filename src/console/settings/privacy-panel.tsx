import { Group, NumberInput, Switch, Text } from "@mantine/core";
import type { PrivacySettings } from "../api-types.ts";
import type { FieldsForm } from "../records/record-form.tsx";
import { numberOrNull, SettingsPanel } from "../records/settings-panel.tsx";
import { call } from "../server/api.ts";
import { worded } from "../server/field-labels.ts";

const KEY = ["privacy-settings"];
const KINDS = {
  recording: "Recordings",
  session: "Sessions and transcripts",
  trace: "Traces",
  request: "Model and tool requests",
  insight: "Insight results",
  event: "Events",
  audit: "Audit log",
} as const;
type Kind = keyof typeof KINDS;
const KIND_NAMES = Object.keys(KINDS) as Kind[];
type Values = Pick<PrivacySettings, "audit_reads" | "store_requests" | "seal_texts"> & {
  retention: Record<Kind, number | null>;
};

const read = () => call("GET /api/v1/organizations/privacy", {});

/** How long what people said is kept, and whether reads of it are audited. */
export function PrivacyPanel() {
  return (
    <SettingsPanel<PrivacySettings, Values>
      title="Privacy"
      noun="Privacy settings"
      queryKey={KEY}
      read={read}
      permission="organizations_write"
      labels={{
        ...Object.fromEntries(
          KIND_NAMES.map((kind) => [
            `retention.${kind}`,
            worded(`${KINDS[kind]} (days)`, { null: "kept forever" }),
          ]),
        ),
        store_requests: "Store model and tool requests",
        seal_texts: "Seal conversations",
        audit_reads: "Audit reads",
      }}
      values={(found) => ({
        store_requests: found.store_requests ?? true,
        seal_texts: found.seal_texts ?? false,
        audit_reads: found.audit_reads ?? false,
        retention: Object.fromEntries(
          KIND_NAMES.map((kind) => [kind, found.retention[kind] ?? null]),
        ) as Values["retention"],
      })}
      save={(body) => call("PUT /api/v1/organizations/privacy", { body })}
    >
      {(form) => <PrivacyFields form={form} />}
    </SettingsPanel>
  );
}

function PrivacyFields({ form }: { form: FieldsForm<Values> }) {
  const { retention, audit_reads, store_requests, seal_texts } = form.getValues();
  return (
    <>
      <Text size="sm">
        Days that each kind is kept. What is older is deleted for good once a day. Empty: kept forever.
      </Text>
      <Group gap="md">
        {KIND_NAMES.map((kind) => (
          <NumberInput
            key={kind}
            w={200}
            label={KINDS[kind]}
            placeholder="Forever"
            suffix=" days"
            min={1}
            max={36_500}
            allowDecimal={false}
            allowNegative={false}
            value={retention[kind] ?? ""}
            onChange={(value) =>
              form.setFieldValue("retention", {
                ...retention,
                [kind]: numberOrNull(value),
              })
            }
            error={form.errors[`retention.${kind}`]}
          />
        ))}
      </Group>
      <Switch
        label="Store model and tool requests"
        description="Needed to see what the model was sent, and to open conversations in the debugger."
        checked={store_requests}
        onChange={({ currentTarget }) => form.setFieldValue("store_requests", currentTarget.checked)}
      />
      <Switch
        label="Seal conversations"
        description="New conversations, campaign variables and tests are stored encrypted. Sealed sessions are not found by their words."
        checked={seal_texts}
        onChange={({ currentTarget }) => form.setFieldValue("seal_texts", currentTarget.checked)}
      />
      <Switch
        label="Audit reads"
        description="Each read of a session, transcript, recording or export is an entry of the audit log."
        checked={audit_reads}
        onChange={({ currentTarget }) => form.setFieldValue("audit_reads", currentTarget.checked)}
      />
    </>
  );
}

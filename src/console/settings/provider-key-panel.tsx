import { Group, Stack, Text, TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import { ConfirmButton } from "../parts/confirm-button.tsx";
import { Panel, Status, type Tone } from "../parts/parts.tsx";
import { PasswordField } from "../parts/password-field.tsx";
import { useRecordForm } from "../records/record-form.tsx";
import { RecordFormFrame } from "../records/record-form-frame.tsx";
import { useMay } from "../server/me.tsx";
import { Time } from "../time/time.tsx";

/** Whose key a provider uses, as the API lists it. */
type KeyedProvider = {
  source: "organization" | "environment" | "none";
  base_url?: string | null | undefined;
  updated_at?: string | null | undefined;
  last_updated_by?: string | null | undefined;
};

const SOURCES: Record<KeyedProvider["source"], { tone: Tone; word: string }> = {
  organization: { tone: "good", word: "key of this organization" },
  environment: { tone: "info", word: "key of the installation" },
  none: { tone: "quiet", word: "no key" },
};

/** A key is never shown; its time reveals that somebody else replaced it meanwhile. */
type Values = { api_key: string; base_url: string; set_at: string | null };

export type SentKey = { api_key: string | null; base_url: string | null };

/** A provider's key: set, replaced, tested and removed, and never read back. */
export function ProviderKeyPanel<Provider extends KeyedProvider>(props: {
  name: string;
  about?: string;
  provider: Provider;
  addressAbout: string;
  /** Asks whether the key in use is good. */
  test: ReactNode;
  save(key: SentKey): Promise<Provider>;
  reread(): Promise<Provider>;
  remove(): Promise<unknown>;
  invalidates: string[][];
}) {
  const { name, about, provider, addressAbout, test, save, reread, remove, invalidates } = props;
  const may = useMay();
  const source = SOURCES[provider.source];
  const form = useRecordForm<Provider, Values>({
    noun: "Key",
    labels: { api_key: "API key", base_url: "Address", set_at: "Last set" },
    record: provider,
    values: (found) => ({
      api_key: "",
      base_url: (found?.source === "organization" && found.base_url) || "",
      set_at: found?.updated_at ?? null,
    }),
    save: ({ api_key, base_url }) => save({ api_key: api_key || null, base_url: base_url || null }),
    reread,
    invalidates,
    onSaved: () => {},
    hides: ["api_key"],
  });
  return (
    <Panel title={name} actions={<Status tone={source.tone}>{source.word}</Status>}>
      <Stack gap="md">
        {about && <Text size="sm">{about}</Text>}
        {provider.source !== "none" && test}
        <RecordFormFrame
          form={form}
          readOnly={!may("integrations_write")}
          extra={
            provider.source === "organization" &&
            may("integrations_delete") && (
              <ConfirmButton
                c="var(--mantine-color-error)"
                verb="Remove key"
                question={`Remove the key for ${name}?`}
                act={remove}
                invalidates={invalidates}
                done={`The key for ${name} is removed`}
              >
                The installation's key is used instead. If there is none, agents can't use this provider.
              </ConfirmButton>
            )
          }
        >
          <PasswordField
            label="API key"
            of={name}
            placeholder={provider.source === "organization" ? "A key is stored; a new one replaces it" : ""}
            autoComplete="off"
            {...form.form.getInputProps("api_key")}
          />
          <TextInput
            label="Address"
            description={addressAbout}
            placeholder="https://"
            {...form.form.getInputProps("base_url")}
          />
        </RecordFormFrame>
        {provider.updated_at && (
          <Group gap={4}>
            <Text size="xs" c="dimmed">
              Set <Time at={provider.updated_at} kind="minute" /> by {provider.last_updated_by}
            </Text>
          </Group>
        )}
      </Stack>
    </Panel>
  );
}

import { Alert, Group, PasswordInput, SimpleGrid, Stack, Text, TextInput } from "@mantine/core";
import { IconInfoCircle } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { LlmProviderResponse } from "../api-types.ts";
import { Fetched, PageHead, Panel, Status } from "../parts/parts.tsx";
import { RecordFormFrame, useRecordForm } from "../records/record-form.tsx";
import { RemoveRecord } from "../records/remove-record.tsx";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import { Time } from "../time/time.tsx";
import { PROVIDER_NAMES, TestKey } from "./test-key.tsx";

const LIST = ["GET /api/v1/llm_providers/"];
const SOURCES = {
  organization: { tone: "good", word: "key of this organization" },
  environment: { tone: "info", word: "key of the installation" },
  none: { tone: "quiet", word: "no key" },
} as const;

/** A key is never shown; its time reveals that somebody else replaced it meanwhile. */
type Values = { api_key: string; base_url: string; set_at: string | null };

const read = () => call("GET /api/v1/llm_providers/", {});

/** By hand: a form for each provider, all on one page and read together. */
export default function ModelsPage() {
  const providers = useQuery({ queryKey: LIST, queryFn: read });
  return (
    <>
      <PageHead
        title="Model providers"
        about="API keys by provider. Keys are encrypted and never shown again."
      />
      <Fetched query={providers} lines={12}>
        {(found) => (
          <Stack gap="md">
            {found.every(({ source }) => source === "none") && (
              <Alert color="ink" icon={<IconInfoCircle />}>
                No key is set, so the scripted offline model answers in place of every provider. It is good
                for trying things out, not for talking with people.
              </Alert>
            )}
            <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md">
              {found.map((provider) => (
                <Provider key={provider.provider} provider={provider} />
              ))}
            </SimpleGrid>
          </Stack>
        )}
      </Fetched>
    </>
  );
}

function Provider({ provider }: { provider: LlmProviderResponse }) {
  const may = useMay();
  const path = { provider: provider.provider };
  const name = PROVIDER_NAMES[provider.provider];
  const source = SOURCES[provider.source];
  const form = useRecordForm<LlmProviderResponse, Values>({
    noun: "Key",
    labels: { api_key: "API key", base_url: "Address", set_at: "Last set" },
    record: provider,
    values: (found) => ({
      api_key: "",
      base_url: (found?.source === "organization" && found.base_url) || "",
      set_at: found?.updated_at ?? null,
    }),
    save: ({ api_key, base_url }) =>
      call("PUT /api/v1/llm_providers/{provider}", {
        path,
        body: { api_key: api_key || null, base_url: base_url || null },
      }),
    reread: async () => (await read()).find((each) => each.provider === provider.provider) ?? provider,
    invalidates: [LIST, ["setup"]],
    onSaved: () => {},
    hides: ["api_key"],
  });
  return (
    <Panel title={name} actions={<Status tone={source.tone}>{source.word}</Status>}>
      <Stack gap="md">
        {provider.source !== "none" && (
          // The result of testing another key says nothing about this one.
          <TestKey key={provider.updated_at ?? ""} provider={provider.provider} />
        )}
        <RecordFormFrame
          form={form}
          readOnly={!may("integrations_write")}
          extra={
            provider.source === "organization" &&
            may("integrations_delete") && (
              <RemoveRecord
                noun="key"
                name={`The key for ${name}`}
                label="Remove key"
                withoutReason
                remove={() => call("DELETE /api/v1/llm_providers/{provider}", { path })}
                invalidates={[LIST, ["setup"]]}
              />
            )
          }
        >
          <PasswordInput
            label="API key"
            placeholder={provider.source === "organization" ? "A key is stored; a new one replaces it" : ""}
            autoComplete="off"
            {...form.form.getInputProps("api_key")}
          />
          <TextInput
            label="Address"
            description={
              provider.provider === "azure_openai"
                ? "Of your resource: https://RESOURCE.openai.azure.com/openai"
                : "Only for another server that speaks the same API."
            }
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

import { Alert, SimpleGrid, Stack } from "@mantine/core";
import { IconInfoCircle } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { LlmProviderResponse } from "../api-types.ts";
import { Fetched, PageHead } from "../parts/parts.tsx";
import { call } from "../server/api.ts";
import { ProviderKeyPanel } from "./provider-key-panel.tsx";
import { PROVIDER_NAMES, TestKey } from "./test-key.tsx";

const LIST = ["GET /api/v1/llm_providers/"];
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
  const path = { provider: provider.provider };
  return (
    <ProviderKeyPanel
      name={PROVIDER_NAMES[provider.provider]}
      provider={provider}
      addressAbout={
        provider.provider === "azure_openai"
          ? "Of your resource: https://RESOURCE.openai.azure.com/openai"
          : "Only for another server with the same API."
      }
      // The result of testing another key says nothing about this one.
      test={<TestKey key={provider.updated_at ?? ""} provider={provider.provider} />}
      save={(body) => call("PUT /api/v1/llm_providers/{provider}", { path, body })}
      reread={async () => (await read()).find((each) => each.provider === provider.provider) ?? provider}
      remove={() => call("DELETE /api/v1/llm_providers/{provider}", { path })}
      invalidates={[LIST, ["setup"]]}
    />
  );
}

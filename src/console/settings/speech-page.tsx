import { Alert, SimpleGrid, Stack } from "@mantine/core";
import { IconInfoCircle } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { SpeechProviderResponse } from "../api-types.ts";
import { useAction } from "../parts/action.ts";
import { Fetched, PageHead } from "../parts/parts.tsx";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import { ProviderKeyPanel } from "./provider-key-panel.tsx";
import { KEY_VERDICTS } from "./test-key.tsx";
import { TestLine } from "./test-line.tsx";

const LIST = ["GET /api/v1/speech_providers/"];

const SERVICES: Record<SpeechProviderResponse["provider"], { name: string; about: string }> = {
  deepgram: { name: "Deepgram", about: "Listens (Flux) and speaks (Aura)." },
  assemblyai: { name: "AssemblyAI", about: "Listens (Universal-Streaming)." },
  elevenlabs: { name: "ElevenLabs", about: "Speaks." },
  cartesia: { name: "Cartesia", about: "Speaks." },
};

const read = () => call("GET /api/v1/speech_providers/", {});

/** By hand: a form for each service, as for model providers. */
export default function SpeechPage() {
  const providers = useQuery({ queryKey: LIST, queryFn: read });
  return (
    <>
      <PageHead
        title="Speech services"
        about="API keys of the services that listen and speak on calls. Keys are encrypted and never shown again."
      />
      <Fetched query={providers} lines={12}>
        {(found) => (
          <Stack gap="md">
            {found.every(({ source }) => source === "none") && (
              <Alert color="ink" icon={<IconInfoCircle />}>
                No key is set. Calls from a page are heard and spoken on this machine: English only, by a
                plain voice. OpenAI and Google use the keys of the model providers.
              </Alert>
            )}
            <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md">
              {found.map((provider) => (
                <Service key={provider.provider} provider={provider} />
              ))}
            </SimpleGrid>
          </Stack>
        )}
      </Fetched>
    </>
  );
}

function Service({ provider }: { provider: SpeechProviderResponse }) {
  const path = { provider: provider.provider };
  const { name, about } = SERVICES[provider.provider];
  return (
    <ProviderKeyPanel
      name={name}
      about={about}
      provider={provider}
      addressAbout="Only for another region or server with the same API."
      test={<TestSpeechKey key={provider.updated_at ?? ""} provider={provider.provider} />}
      save={(body) => call("PUT /api/v1/speech_providers/{provider}", { path, body })}
      reread={async () => (await read()).find((each) => each.provider === provider.provider) ?? provider}
      remove={() => call("DELETE /api/v1/speech_providers/{provider}", { path })}
      invalidates={[LIST]}
    />
  );
}

function TestSpeechKey({ provider }: { provider: SpeechProviderResponse["provider"] }) {
  const may = useMay();
  const test = useAction({
    mutationFn: () => call("POST /api/v1/speech_providers/{provider}/test", { path: { provider } }),
  });
  return (
    <TestLine
      name={SERVICES[provider].name}
      action="Test the key"
      mayTest={may("integrations_write")}
      test={test}
      verdictOf={({ verdict }) => KEY_VERDICTS[verdict]}
    />
  );
}

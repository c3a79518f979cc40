import { ActionIcon, Group, NumberInput, Paper, Select, Stack, Text } from "@mantine/core";
import { IconTrash } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { AgentVoice, LanguageCode, LanguageConfig, TtsProvider } from "../api-types.ts";
import { call } from "../server/api.ts";
import { VoiceSample } from "./voice-sample.tsx";

type Props = {
  number: number;
  config: LanguageConfig;
  readOnly: boolean;
  errorOf(field: keyof LanguageConfig): ReactNode;
  onChange(config: LanguageConfig): void;
  onRemove(): void;
};

/** A language, the voice that speaks it, and the key that chooses it. */
export function LanguageFields({ number, config, readOnly, errorOf, onChange, onRemove }: Props) {
  const voices = useQuery({
    queryKey: ["voices"],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => call("GET /api/v1/agents/voices/available", { signal }),
  });
  const all = voices.data ?? [];
  return (
    <Paper p="sm">
      <Stack gap="sm">
        <Group justify="space-between" wrap="nowrap">
          <Text fw={550} size="sm">
            {number === 1 ? "Language 1, spoken first" : `Language ${number}`}
          </Text>
          {!readOnly && (
            <ActionIcon aria-label={`Remove language ${number}`} onClick={onRemove}>
              <IconTrash size={15} />
            </ActionIcon>
          )}
        </Group>
        <Group gap="md" align="flex-start">
          <Select
            label="Language"
            searchable
            allowDeselect={false}
            data={languagesOf(all, config)}
            value={config.language_code}
            onChange={(code) => onChange({ ...config, language_code: code as LanguageCode })}
            error={errorOf("language_code")}
          />
          <Select
            label="Provider"
            allowDeselect={false}
            data={["OpenAI", "ElevenLabs", "Google", "Cartesia"]}
            value={config.voice_provider}
            onChange={(provider) => {
              const voice_provider = provider as TtsProvider;
              const first = voicesFor(all, { ...config, voice_provider })[0];
              onChange({
                ...config,
                voice_provider,
                voice_pitch: null,
                voice_display_name: first ?? config.voice_display_name,
              });
            }}
            error={errorOf("voice_provider")}
          />
          <Select
            label="Voice"
            searchable
            allowDeselect={false}
            data={[...new Set([config.voice_display_name, ...voicesFor(all, config)])]}
            value={config.voice_display_name}
            onChange={(name) => onChange({ ...config, voice_display_name: name ?? "" })}
            error={errorOf("voice_display_name")}
          />
          <NumberInput
            label="Speed"
            w={90}
            placeholder="1"
            step={0.05}
            decimalScale={2}
            value={config.voice_speed ?? ""}
            onChange={(speed) => onChange({ ...config, voice_speed: speed === "" ? null : Number(speed) })}
            error={errorOf("voice_speed")}
          />
          {config.voice_provider === "Google" && (
            <NumberInput
              label="Pitch"
              w={90}
              placeholder="0"
              value={config.voice_pitch ?? ""}
              onChange={(pitch) => onChange({ ...config, voice_pitch: pitch === "" ? null : Number(pitch) })}
              error={errorOf("voice_pitch")}
            />
          )}
          <NumberInput
            label="Key"
            w={70}
            min={0}
            max={9}
            allowDecimal={false}
            required
            value={Number.isNaN(config.dtmf_code) ? "" : config.dtmf_code}
            // A cleared field is no key, and the API says so at it; 0 would be a key.
            onChange={(key) => onChange({ ...config, dtmf_code: key === "" ? Number.NaN : Number(key) })}
            error={errorOf("dtmf_code")}
          />
        </Group>
        <VoiceSample config={config} />
      </Stack>
    </Paper>
  );
}

function languagesOf(voices: AgentVoice[], { language_code }: LanguageConfig) {
  const names = new Map<string, string>([[language_code, language_code]]);
  for (const { supported_languages } of voices) {
    for (const { code, name } of supported_languages) names.set(code, `${name} (${code})`);
  }
  return [...names]
    .map(([value, label]) => ({ value, label }))
    .sort((one, other) => one.label.localeCompare(other.label));
}

const voicesFor = (voices: AgentVoice[], { voice_provider, language_code }: LanguageConfig): string[] =>
  voices
    .filter(
      ({ provider, deprecated, supported_languages }) =>
        provider === voice_provider &&
        !deprecated &&
        supported_languages.some(({ code }) => code === language_code),
    )
    .map(({ display_name }) => display_name);

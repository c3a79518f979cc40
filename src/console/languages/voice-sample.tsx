import { Button, Group, Text, TextInput } from "@mantine/core";
import { IconVolume } from "@tabler/icons-react";
import { useEffect, useState } from "react";
import type { LanguageConfig } from "../api-types.ts";
import { useAction } from "../parts/action.ts";
import { Status } from "../parts/parts.tsx";
import { callForBytes } from "../server/api.ts";

/** A sentence in the voice as the form has it, saved or not. */
export function VoiceSample({ config }: { config: LanguageConfig }) {
  const [text, setText] = useState("");
  const [url, setUrl] = useState<string | null>(null);
  const [isOffline, setOffline] = useState(false);
  const sample = useAction({
    mutationFn: () => {
      const { dtmf_code: _key, skip_current_language_in_message: _skip, ...voice } = config;
      return callForBytes("POST /api/v1/voice_groups/voices/sample", {
        body: { ...voice, text, apply_pronunciation_overrides: true },
      });
    },
    onSuccess: (bytes) => {
      // Providers return MP3; only the offline voice, which replaces them all, returns WAV.
      setOffline(bytes.type.startsWith("audio/wav"));
      setUrl(URL.createObjectURL(bytes));
    },
  });
  useEffect(() => () => (url === null ? undefined : URL.revokeObjectURL(url)), [url]);
  return (
    <div>
      <Group gap="xs" align="flex-end">
        <TextInput
          size="xs"
          label="Sample"
          placeholder="Built-in sentence"
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
        <Button
          size="xs"
          variant="default"
          leftSection={<IconVolume size={14} />}
          loading={sample.isPending}
          onClick={() => sample.mutate()}
        >
          Listen
        </Button>
        {url !== null && (
          // biome-ignore lint/a11y/useMediaCaption: it speaks the words beside it
          <audio controls autoPlay src={url} aria-label="Voice sample" />
        )}
        {url !== null && isOffline && <Status tone="warn">offline voice</Status>}
      </Group>
      {url !== null && isOffline && (
        <Text size="sm" mt={4}>
          This is the offline voice, not {config.voice_display_name}. Add a key of {config.voice_provider} to
          hear that.
        </Text>
      )}
      {sample.error && (
        <Text size="sm" role="alert" mt={4}>
          {sample.error.message}
        </Text>
      )}
    </div>
  );
}

import { Button, Stack } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import type { ReactNode } from "react";
import type { LanguageConfig } from "../api-types.ts";
import { LanguageFields } from "./language-fields.tsx";

/** The languages of a group in their order, and a button that adds one. */
export function LanguageList(props: {
  configs: readonly LanguageConfig[];
  readOnly: boolean;
  /** Of a path such as `language_configs.0.voice_display_name`. */
  errorOf(path: string): ReactNode;
  onChange(configs: LanguageConfig[]): void;
}) {
  const { configs, readOnly, errorOf, onChange } = props;
  return (
    <Stack gap="sm">
      {configs.map((config, index) => (
        <LanguageFields
          // biome-ignore lint/suspicious/noArrayIndexKey: a language is its place in the list
          key={index}
          number={index + 1}
          config={config}
          readOnly={readOnly}
          errorOf={(field) => errorOf(`language_configs.${index}.${field}`)}
          onChange={(next) => onChange(configs.with(index, next))}
          onRemove={() => onChange(configs.toSpliced(index, 1))}
        />
      ))}
      {!readOnly && (
        <div>
          <Button
            variant="default"
            size="xs"
            leftSection={<IconPlus size={14} />}
            onClick={() => onChange([...configs, nextConfig(configs)])}
          >
            Add language
          </Button>
        </div>
      )}
    </Stack>
  );
}

/** With the first key that is free. */
export function nextConfig(configs: readonly LanguageConfig[]): LanguageConfig {
  const taken = new Set(configs.map(({ dtmf_code }) => dtmf_code));
  const free = [1, 2, 3, 4, 5, 6, 7, 8, 9, 0].find((key) => !taken.has(key));
  return {
    language_code: "en-US",
    voice_provider: "OpenAI",
    voice_display_name: "Nova",
    voice_speed: null,
    voice_pitch: null,
    dtmf_code: free ?? 1,
  };
}

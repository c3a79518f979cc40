import { Button, Stack, Switch } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import type { LanguageConfig } from "../api-types.ts";
import { Findings } from "../parts/findings.tsx";
import { Panel } from "../parts/parts.tsx";
import { recordPage } from "../records/build-record-page.tsx";
import { NameFields, VersionNote } from "../records/common-fields.tsx";
import { fieldsOf, optionalText, VERSION_NOTE } from "../records/record-fields.ts";
import { RecordFormFrame } from "../records/record-form.tsx";
import { LanguageFields } from "./language-fields.tsx";

export default recordPage({
  operations: {
    list: "GET /api/v1/voice_groups/",
    read: "GET /api/v1/voice_groups/{voice_group_id}",
    create: "POST /api/v1/voice_groups/",
    update: "PUT /api/v1/voice_groups/",
    remove: "DELETE /api/v1/voice_groups/{voice_group_id}",
  },
  permission: "language_groups",
  noun: "Group",
  queryKey: "language group",
  list: { to: "/languages", label: "Languages and voices" },
  newTitle: "New group",
  title: "Languages",
  ...fieldsOf("PUT /api/v1/voice_groups/", {
    name: { initial: "" },
    description: optionalText(),
    language_configs: { initial: [], label: "Languages" },
    skip_current_language_in_message: { initial: true, label: "Hide the current language in the menu" },
    edit_comments: VERSION_NOTE,
  }),
  Form({ form, record, frame, readOnly }) {
    const { language_configs: configs } = form.getValues();
    const setConfigs = (next: LanguageConfig[]) => form.setFieldValue("language_configs", next);
    return (
      <>
        <Findings issues={record?.validation_issues} />
        <Panel>
          <RecordFormFrame {...frame}>
            <NameFields form={form} />
            <Stack gap="sm">
              {configs.map((config, index) => (
                <LanguageFields
                  // biome-ignore lint/suspicious/noArrayIndexKey: a language is its place in the list
                  key={index}
                  number={index + 1}
                  config={config}
                  readOnly={readOnly}
                  errorOf={(field) => form.errors[`language_configs.${index}.${field}`]}
                  onChange={(next) => setConfigs(configs.with(index, next))}
                  onRemove={() => setConfigs(configs.toSpliced(index, 1))}
                />
              ))}
              {!readOnly && (
                <div>
                  <Button
                    variant="default"
                    size="xs"
                    leftSection={<IconPlus size={14} />}
                    onClick={() => setConfigs([...configs, nextConfig(configs)])}
                  >
                    Add a language
                  </Button>
                </div>
              )}
            </Stack>
            <Switch
              label="Hide the current language in the menu"
              {...form.getInputProps("skip_current_language_in_message", { type: "checkbox" })}
            />
            <VersionNote form={form} record={record} />
          </RecordFormFrame>
        </Panel>
      </>
    );
  },
});

/** With the first key that is free. */
function nextConfig(configs: LanguageConfig[]): LanguageConfig {
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

import { Button, Stack, Switch, Textarea, TextInput } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import type { LanguageConfig, LanguageGroupResponse } from "../api-types.ts";
import { Findings } from "../parts/findings.tsx";
import { Panel } from "../parts/parts.tsx";
import { RecordFormFrame, useRecordForm } from "../records/record-form.tsx";
import { RecordPage } from "../records/record-page.tsx";
import { RemoveRecord } from "../records/remove-record.tsx";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import { LanguageFields } from "./language-fields.tsx";

type Values = {
  name: string;
  description: string;
  language_configs: LanguageConfig[];
  skip_current_language_in_message: boolean;
  edit_comments: string;
};

const NEW: Values = {
  name: "",
  description: "",
  language_configs: [],
  skip_current_language_in_message: true,
  edit_comments: "",
};

const read = (id: string) =>
  call("GET /api/v1/voice_groups/{voice_group_id}", { path: { voice_group_id: Number(id) } });

export default function LanguagePage() {
  return (
    <RecordPage
      queryKey="language group"
      newTitle="New group"
      title="Languages"
      back={{ to: "/languages", label: "Languages and voices" }}
      read={read}
    >
      {(id, found) => <LanguageForm key={id} id={id} group={found} />}
    </RecordPage>
  );
}

function LanguageForm({ id, group }: { id: string; group: LanguageGroupResponse | null }) {
  const may = useMay();
  const navigate = useNavigate();
  const record = useRecordForm<LanguageGroupResponse, Values>({
    noun: "Group",
    labels: {
      language_configs: "Languages",
      skip_current_language_in_message: "Hide the current language in the menu",
      edit_comments: "Version note",
    },
    record: group,
    values: (found) => (found ? valuesOf(found) : NEW),
    save({ edit_comments, ...values }) {
      const body = { ...values, description: values.description || null };
      return group
        ? call("PUT /api/v1/voice_groups/", {
            body: { ...body, id: group.id, edit_comments: edit_comments || null },
          })
        : call("POST /api/v1/voice_groups/", { body });
    },
    reread: () => read(id),
    invalidates: [["language group"], ["GET /api/v1/voice_groups/"]],
    onSaved: (stored) => {
      if (group === null) void navigate({ to: `/languages/${stored.id}` });
    },
  });
  const { form } = record;
  const { language_configs: configs } = form.getValues();
  const setConfigs = (next: LanguageConfig[]) => form.setFieldValue("language_configs", next);
  const readOnly = !may("language_groups_write");
  return (
    <>
      <Findings issues={group?.validation_issues} />
      <Panel>
        <RecordFormFrame
          form={record}
          readOnly={readOnly}
          extra={
            group &&
            may("language_groups_delete") && (
              <RemoveRecord
                noun="group"
                name={group.name}
                remove={(reason) =>
                  call("DELETE /api/v1/voice_groups/{voice_group_id}", {
                    path: { voice_group_id: group.id },
                    query: { reason },
                  })
                }
                invalidates={[["GET /api/v1/voice_groups/"]]}
                onRemoved={() => void navigate({ to: "/languages", ignoreBlocker: true })}
              />
            )
          }
        >
          <TextInput label="Name" required dir="auto" {...form.getInputProps("name")} />
          <Textarea
            label="Description"
            dir="auto"
            autosize
            minRows={1}
            {...form.getInputProps("description")}
          />
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
          {group && <TextInput label="Version note" dir="auto" {...form.getInputProps("edit_comments")} />}
        </RecordFormFrame>
      </Panel>
    </>
  );
}

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

const valuesOf = (group: LanguageGroupResponse): Values => ({
  name: group.name,
  description: group.description ?? "",
  language_configs: group.language_configs,
  skip_current_language_in_message: group.skip_current_language_in_message,
  edit_comments: "",
});

import { Switch } from "@mantine/core";
import { Findings } from "../parts/findings.tsx";
import { Panel } from "../parts/parts.tsx";
import { recordPage } from "../records/build-record-page.tsx";
import { NameFields, VersionNote } from "../records/common-fields.tsx";
import { RecordFormFrame } from "../records/record-form-frame.tsx";
import { groupFields } from "./group-fields.ts";
import { LanguageList } from "./language-list.tsx";

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
  ...groupFields,
  Form({ form, record, frame, readOnly }) {
    return (
      <>
        <Findings issues={record?.validation_issues} />
        <Panel>
          <RecordFormFrame {...frame}>
            <NameFields form={form} />
            <LanguageList
              configs={form.getValues().language_configs}
              readOnly={readOnly}
              errorOf={(path) => form.errors[path]}
              onChange={(configs) => form.setFieldValue("language_configs", configs)}
            />
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

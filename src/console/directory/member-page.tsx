import { Stack, TextInput } from "@mantine/core";
import type { DirectoryMemberHistoryResponse } from "../api-types.ts";
import { KeyValues } from "../editors/key-values.tsx";
import { Panel } from "../parts/parts.tsx";
import { recordPage } from "../records/build-record-page.tsx";
import { RecordFormFrame } from "../records/record-form-frame.tsx";
import { call } from "../server/api.ts";
import { ExtensionFields } from "./extension-fields.tsx";
import { MemberHistory } from "./member-history.tsx";
import { MEMBER_LABELS, type MemberValues, sentMember, valuesOf } from "./member-values.ts";
import { TestPanel } from "./test-panel.tsx";

export default recordPage({
  operations: {
    list: "GET /api/v1/directory_members/",
    read: "GET /api/v1/directory_members/{member_id}",
    create: "POST /api/v1/directory_members/",
    update: "PUT /api/v1/directory_members/{member_id}",
    remove: "DELETE /api/v1/directory_members/{member_id}",
  },
  permission: "directory",
  noun: "Member",
  queryKey: "directory member",
  list: { to: "/directory", label: "Directory" },
  newTitle: "New member",
  title: "Member",
  alsoInvalidates: [["directory history"]],
  labels: MEMBER_LABELS,
  values: valuesOf,
  body: (values: MemberValues, stored) => ({ ...sentMember(values), ...(stored && { id: stored.id }) }),
  reasonAs: "comment",
  restore: ({ id: member_id }) =>
    call("PUT /api/v1/directory_members/{member_id}/restore", { path: { member_id }, body: {} }),
  Form({ form, record, readOnly, frame }) {
    const values = form.getValues();
    const take = (version: DirectoryMemberHistoryResponse) =>
      form.setValues({ ...valuesOf(version), comments: `as in version ${version.version}` });
    return (
      <Stack gap="md">
        {record && <TestPanel member={record} />}
        <Panel>
          <RecordFormFrame {...frame}>
            <TextInput
              label="Name"
              description="The name callers use and agents search."
              required
              {...form.getInputProps("name")}
            />
            <TextInput
              label="Kind"
              placeholder="Department, Operator, contact"
              required
              {...form.getInputProps("type")}
            />
            <ExtensionFields
              value={values.extensions}
              onChange={(extensions) => form.setFieldValue("extensions", extensions)}
              errorOf={(path) => form.errors[`extensions.${path}`]}
              readOnly={readOnly}
            />
            <KeyValues
              label="Tags"
              description="Separate several values with commas."
              keyLabel="Tag"
              value={values.contact_tags}
              onChange={(tags) => form.setFieldValue("contact_tags", tags)}
              error={form.errors.contact_tags}
            />
            <TextInput label="Version note" {...form.getInputProps("comments")} />
          </RecordFormFrame>
        </Panel>
        {record && <MemberHistory member={record} onTake={readOnly ? null : take} />}
      </Stack>
    );
  },
});

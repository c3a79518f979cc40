import { Stack, TextInput } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import type { DirectoryMember, DirectoryMemberHistoryResponse } from "../api-types.ts";
import { KeyValues } from "../editors/key-values.tsx";
import { Panel } from "../parts/parts.tsx";
import { RecordFormFrame, useRecordForm } from "../records/record-form.tsx";
import { RecordPage } from "../records/record-page.tsx";
import { RemoveRecord } from "../records/remove-record.tsx";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import { ExtensionFields } from "./extension-fields.tsx";
import { MemberHistory } from "./member-history.tsx";
import { type MemberValues, sentMember, valuesOf } from "./member-values.ts";
import { TestPanel } from "./test-panel.tsx";

const LIST = ["GET /api/v1/directory_members/"];
const read = (id: string) =>
  call("GET /api/v1/directory_members/{member_id}", { path: { member_id: Number(id) } });

export default function MemberPage() {
  return (
    <RecordPage
      queryKey="directory member"
      newTitle="New member"
      title="Member"
      back={{ to: "/directory", label: "Directory" }}
      read={read}
    >
      {(id, found) => <MemberForm key={id} id={id} member={found} />}
    </RecordPage>
  );
}

function MemberForm({ id, member }: { id: string; member: DirectoryMember | null }) {
  const may = useMay();
  const navigate = useNavigate();
  const record = useRecordForm<DirectoryMember, MemberValues>({
    noun: "Member",
    labels: { type: "Kind", contact_tags: "Tags", comments: "Version note" },
    record: member,
    values: valuesOf,
    save(values) {
      const body = sentMember(values);
      return member
        ? call("PUT /api/v1/directory_members/{member_id}", {
            path: { member_id: member.id },
            body: { ...body, id: member.id },
          })
        : call("POST /api/v1/directory_members/", { body });
    },
    reread: () => read(id),
    invalidates: [["directory member"], ["directory history"], LIST],
    onSaved: (stored) => {
      if (member === null) void navigate({ to: `/directory/${stored.id}` });
    },
  });
  const { form } = record;
  const values = form.getValues();
  const readOnly = !may("directory_write");
  const take = (version: DirectoryMemberHistoryResponse) =>
    form.setValues({ ...valuesOf(version), comments: `as in version ${version.version}` });
  return (
    <Stack gap="md">
      {member && <TestPanel member={member} />}
      <Panel>
        <RecordFormFrame
          form={record}
          readOnly={readOnly}
          extra={
            member &&
            may("directory_delete") && (
              <RemoveRecord
                noun="member"
                name={member.name}
                remove={(comment) =>
                  call("DELETE /api/v1/directory_members/{member_id}", {
                    path: { member_id: member.id },
                    query: { comment },
                  })
                }
                restore={() =>
                  call("PUT /api/v1/directory_members/{member_id}/restore", {
                    path: { member_id: member.id },
                    body: {},
                  })
                }
                invalidates={[LIST]}
                onRemoved={() => void navigate({ to: "/directory", ignoreBlocker: true })}
              />
            )
          }
        >
          <TextInput
            label="Name"
            description="The name callers use and agents search."
            required
            dir="auto"
            {...form.getInputProps("name")}
          />
          <TextInput
            label="Kind"
            placeholder="Department, Operator, contact"
            required
            dir="auto"
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
          <TextInput label="Version note" dir="auto" {...form.getInputProps("comments")} />
        </RecordFormFrame>
      </Panel>
      {member && <MemberHistory member={member} onTake={readOnly ? null : take} />}
    </Stack>
  );
}

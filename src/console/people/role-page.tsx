import { Alert, Checkbox, Input, Textarea, TextInput } from "@mantine/core";
import { IconLock } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import type { PermissionGroupResponse, RoleResponse } from "../api-types.ts";
import { Fetched, PageHead, Panel } from "../parts/parts.tsx";
import { RecordFormFrame, useRecordForm } from "../records/record-form.tsx";
import { RemoveRecord } from "../records/remove-record.tsx";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import classes from "./roles-page.module.css";

const LIST = ["GET /api/v1/roles/"];
type Values = { name: string; description: string; permissions: string[] };

const read = (id: string) => call("GET /api/v1/roles/{role_id}", { path: { role_id: Number(id) } });

export default function RolePage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const role = useQuery({
    queryKey: ["role", id],
    async queryFn() {
      const [found, groups] = await Promise.all([
        id === "new" ? null : read(id),
        call("GET /api/v1/permissions/", {}),
      ]);
      return { role: found, groups };
    },
  });
  return (
    <>
      <PageHead
        title={id === "new" ? "New role" : (role.data?.role?.name ?? "Role")}
        back={{ to: "/roles", label: "Roles" }}
      />
      <Fetched query={role} lines={14}>
        {(found) => <RoleForm key={id} id={id} role={found.role} groups={found.groups} />}
      </Fetched>
    </>
  );
}

function RoleForm(props: { id: string; role: RoleResponse | null; groups: PermissionGroupResponse[] }) {
  const { id, role, groups } = props;
  const may = useMay();
  const navigate = useNavigate();
  const record = useRecordForm<RoleResponse, Values>({
    noun: "Role",
    record: role,
    values: (found) => ({
      name: found?.name ?? "",
      description: found?.description ?? "",
      permissions: (found?.permissions ?? []).toSorted(),
    }),
    save(values) {
      const body = { ...values, description: values.description || null };
      return role
        ? call("PUT /api/v1/roles/", { body: { ...body, id: role.id } })
        : call("POST /api/v1/roles/", { body });
    },
    reread: () => read(id),
    invalidates: [LIST, ["role"]],
    onSaved: (stored) => {
      if (!role) void navigate({ to: `/roles/${stored.id}` });
    },
  });
  const { form } = record;
  const isFixed = role?.is_system_role ?? false;
  const chosen = form.getValues().permissions;
  const toggle = (name: string) =>
    form.setFieldValue(
      "permissions",
      (chosen.includes(name) ? chosen.filter((other) => other !== name) : [...chosen, name]).toSorted(),
    );
  return (
    <Panel>
      {isFixed && (
        <Alert color="gray" icon={<IconLock />} mb="md">
          This role is built in and can't be changed.
        </Alert>
      )}
      <RecordFormFrame
        form={record}
        readOnly={isFixed || !may("roles_write")}
        extra={
          role &&
          !isFixed &&
          may("roles_delete") && (
            <RemoveRecord
              noun="role"
              name={role.name}
              remove={(reason) =>
                call("DELETE /api/v1/roles/{role_id}", { path: { role_id: role.id }, query: { reason } })
              }
              invalidates={[LIST]}
              onRemoved={() => void navigate({ to: "/roles", ignoreBlocker: true })}
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
        <Input.Wrapper label="Permissions" labelElement="div" error={form.errors.permissions}>
          <div className={classes.choices}>
            {groups.map((group) => (
              <fieldset key={group.name} className={classes.choice}>
                <legend>{group.name}</legend>
                {group.permissions.map(({ name, display_name }) => (
                  <Checkbox
                    key={name}
                    size="sm"
                    label={display_name}
                    title={name}
                    checked={chosen.includes(name)}
                    onChange={() => toggle(name)}
                  />
                ))}
              </fieldset>
            ))}
          </div>
        </Input.Wrapper>
      </RecordFormFrame>
    </Panel>
  );
}

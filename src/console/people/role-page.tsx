import { Alert, Checkbox, Input, Select } from "@mantine/core";
import { IconLock } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Fetched, Panel } from "../parts/parts.tsx";
import { recordPage } from "../records/build-record-page.tsx";
import { NameFields } from "../records/common-fields.tsx";
import { RecordFormFrame } from "../records/record-form-frame.tsx";
import { call } from "../server/api.ts";
import classes from "./roles-page.module.css";

/** Nobody can open the console without it. */
const CONSOLE = "permissions_read";

export default recordPage({
  operations: {
    list: "GET /api/v1/roles/",
    read: "GET /api/v1/roles/{role_id}",
    create: "POST /api/v1/roles/",
    update: "PUT /api/v1/roles/",
    remove: "DELETE /api/v1/roles/{role_id}",
  },
  permission: "roles",
  noun: "Role",
  queryKey: "role",
  list: { to: "/roles", label: "Roles" },
  newTitle: "New role",
  title: "Role",
  isFixed: ({ is_system_role }) => is_system_role,
  values: (role) => ({
    name: role?.name ?? "",
    description: role?.description ?? "",
    permissions: (role?.permissions ?? [CONSOLE]).toSorted(),
  }),
  body: (values) => ({ ...values, description: values.description || null }),
  Form: ({ form, record, frame }) => (
    <Panel>
      {record?.is_system_role && (
        <Alert color="gray" icon={<IconLock />} mb="md">
          This role is built in and can't be changed.
        </Alert>
      )}
      <RecordFormFrame {...frame}>
        <NameFields form={form} />
        {record === null && (
          <StartFrom onChoose={(permissions) => form.setFieldValue("permissions", permissions)} />
        )}
        <Permissions
          chosen={form.getValues().permissions}
          onChange={(permissions) => form.setFieldValue("permissions", permissions)}
          error={form.errors.permissions}
        />
      </RecordFormFrame>
    </Panel>
  ),
});

/** Most roles are another one with a few permissions more or less, and there are more than a hundred to tick. */
function StartFrom({ onChoose }: { onChoose(permissions: string[]): void }) {
  const roles = useQuery({
    queryKey: ["GET /api/v1/roles/", "to start from"],
    queryFn: ({ signal }) => call("GET /api/v1/roles/", { query: { limit: 1000 }, signal }),
  });
  const found = roles.data?.items ?? [];
  return (
    <Select
      label="Start from"
      description="Ticks what this role may do. Change it below."
      placeholder="No role"
      allowDeselect={false}
      data={found.map(({ id, name }) => ({ value: String(id), label: name }))}
      onChange={(chosen) =>
        onChoose((found.find(({ id }) => String(id) === chosen)?.permissions ?? []).toSorted())
      }
    />
  );
}

/** All permissions there are, by their groups. */
function Permissions(props: { chosen: string[]; onChange(chosen: string[]): void; error: ReactNode }) {
  const { chosen, onChange, error } = props;
  const groups = useQuery({
    queryKey: ["permissions"],
    queryFn: ({ signal }) => call("GET /api/v1/permissions/", { signal }),
  });
  const toggle = (name: string) =>
    onChange(
      (chosen.includes(name) ? chosen.filter((other) => other !== name) : [...chosen, name]).toSorted(),
    );
  return (
    <Input.Wrapper
      label="Permissions"
      labelElement="div"
      description={
        chosen.includes(CONSOLE)
          ? null
          : "People with this role can't open the console: that needs Permissions, View."
      }
      error={error}
    >
      <Fetched query={groups} lines={10}>
        {(all) => (
          <div className={classes.choices}>
            {all.map((group) => (
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
        )}
      </Fetched>
    </Input.Wrapper>
  );
}

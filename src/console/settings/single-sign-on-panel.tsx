import { ActionIcon, Button, Group, Stack, Switch, TagsInput, Text, TextInput } from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { SingleSignOnResponse } from "../api-types.ts";
import { RecordSelect } from "../lists/record-select.tsx";
import { useAction } from "../parts/action.ts";
import { ConfirmButton } from "../parts/confirm-button.tsx";
import { CopyButton } from "../parts/copy-button.tsx";
import { Fetched, Panel, Status } from "../parts/parts.tsx";
import { PasswordField } from "../parts/password-field.tsx";
import { type FieldsForm, useRecordForm } from "../records/record-form.tsx";
import { RecordFormFrame } from "../records/record-form-frame.tsx";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import { Time } from "../time/time.tsx";

const KEY = ["single-sign-on"];
type GroupRow = { group: string; role_id: number | null };
type Values = {
  name: string;
  issuer: string;
  client_id: string;
  client_secret: string;
  domains: string[];
  groups_claim: string;
  roles: GroupRow[];
  default_role_id: number | null;
  is_enforced: boolean;
  break_glass: string[];
};

const read = () => call("GET /api/v1/organizations/single_sign_on", {});

/** Signing in by the organization's own identity provider. */
export function SingleSignOnPanel() {
  const found = useQuery({ queryKey: KEY, queryFn: read });
  return (
    <Panel title="Single sign-on">
      <Fetched query={found}>{(provider) => <SingleSignOnForm provider={provider} />}</Fetched>
    </Panel>
  );
}

function SingleSignOnForm({ provider }: { provider: SingleSignOnResponse }) {
  const may = useMay();
  const record = useRecordForm<SingleSignOnResponse, Values>({
    noun: "Single sign-on",
    labels: LABELS,
    record: provider,
    values: (stored) => ({
      name: stored?.name ?? "",
      issuer: stored?.issuer ?? "",
      client_id: stored?.client_id ?? "",
      client_secret: "",
      domains: stored?.domains ?? [],
      groups_claim: stored?.groups_claim ?? "groups",
      roles: stored?.roles ?? [],
      default_role_id: stored?.default_role_id ?? null,
      is_enforced: stored?.is_enforced ?? false,
      break_glass: stored?.break_glass ?? [],
    }),
    save: ({ client_secret, roles, ...values }) =>
      call("PUT /api/v1/organizations/single_sign_on", {
        body: {
          ...values,
          roles: roles.flatMap(({ group, role_id }) => (role_id === null ? [] : [{ group, role_id }])),
          ...(client_secret !== "" && { client_secret }),
        },
      }),
    reread: read,
    invalidates: [KEY],
    onSaved: () => {},
    hides: ["client_secret"],
  });
  const { form, fields } = record;
  const { domains, default_role_id, is_enforced, break_glass } = form.getValues();
  return (
    <Stack gap="md">
      <Text size="sm">
        People sign in with the organization's identity provider, by OpenID Connect. Register this address
        there as the redirect URI:
      </Text>
      <Group gap="xs">
        <Text size="sm" ff="monospace" style={{ overflowWrap: "anywhere" }}>
          {provider.redirect_uri}
        </Text>
        <CopyButton size="xs" variant="default" text={provider.redirect_uri} name="Copy the redirect URI" />
      </Group>
      {provider.is_set && <TestProvider mayTest={may("organizations_write")} />}
      <RecordFormFrame
        form={record}
        readOnly={!may("organizations_write")}
        extra={
          provider.is_set &&
          may("organizations_write") && (
            <ConfirmButton
              c="var(--mantine-color-error)"
              verb="Remove single sign-on"
              question="Remove single sign-on?"
              act={() => call("DELETE /api/v1/organizations/single_sign_on", {})}
              invalidates={[KEY]}
              done="Single sign-on removed"
            >
              People sign in with passwords and links again.
            </ConfirmButton>
          )
        }
      >
        {provider.updated_at && (
          <Text size="sm" c="dimmed">
            Updated <Time at={provider.updated_at} /> by <bdi>{provider.updated_by}</bdi>
          </Text>
        )}
        <TextInput
          label={LABELS.name}
          description="Shown to people who have to sign in with it."
          placeholder="Okta"
          {...form.getInputProps("name")}
        />
        <TextInput
          label={LABELS.issuer}
          placeholder="https://login.example.com/realms/acme"
          {...form.getInputProps("issuer")}
        />
        <TextInput label={LABELS.client_id} {...form.getInputProps("client_id")} />
        <PasswordField
          label={LABELS.client_secret}
          placeholder={provider.has_client_secret ? "A secret is stored; a new one replaces it" : ""}
          autoComplete="off"
          {...form.getInputProps("client_secret")}
        />
        <TagsInput
          label={LABELS.domains}
          description="People with an address of these domains sign in here."
          placeholder="example.com"
          value={domains}
          onChange={(value) => fields.setFieldValue("domains", value)}
          error={faultOf(form.errors, "domains")}
        />
        <TextInput
          label={LABELS.groups_claim}
          description="The claim of the ID token that lists a person's groups."
          {...form.getInputProps("groups_claim")}
        />
        <GroupRoles fields={fields} errors={form.errors} />
        <RecordSelect
          operation="GET /api/v1/roles/"
          label={LABELS.default_role_id}
          description="For people in none of these groups. Empty: they can't sign in."
          placeholder="No access"
          value={default_role_id}
          onChange={(id) => fields.setFieldValue("default_role_id", id)}
          error={form.errors.default_role_id}
        />
        <Switch
          label={LABELS.is_enforced}
          description="Passwords and sign-in links are refused. API tokens are not affected."
          checked={is_enforced}
          onChange={({ currentTarget }) => fields.setFieldValue("is_enforced", currentTarget.checked)}
        />
        <TagsInput
          label={LABELS.break_glass}
          description="E-mail addresses of people who may still use their password, for when the provider is down."
          value={break_glass}
          onChange={(value) => fields.setFieldValue("break_glass", value)}
          error={faultOf(form.errors, "break_glass")}
        />
      </RecordFormFrame>
    </Stack>
  );
}

const LABELS = {
  name: "Name of the provider",
  issuer: "Issuer",
  client_id: "Client ID",
  client_secret: "Client secret",
  domains: "E-mail domains",
  groups_claim: "Claim with the groups",
  roles: "Roles by group",
  "roles.*.group": "Group",
  "roles.*.role_id": "Role",
  default_role_id: "Role of everybody else",
  is_enforced: "Require single sign-on",
  break_glass: "Exceptions",
};

const faultOf = (errors: Record<string, unknown>, field: string) =>
  Object.entries(errors).find(([name]) => name === field || name.startsWith(`${field}.`))?.[1] as
    | string
    | undefined;

/** The first line whose group somebody has gives the role. */
function GroupRoles({ fields, errors }: { fields: FieldsForm<Values>; errors: Record<string, unknown> }) {
  const rows = fields.getValues().roles;
  const set = (next: GroupRow[]) => fields.setFieldValue("roles", next);
  const change = (n: number, more: Partial<GroupRow>) =>
    set(rows.map((row, at) => (at === n ? { ...row, ...more } : row)));
  return (
    <Stack gap="xs" role="group" aria-label={LABELS.roles}>
      <Text size="sm" fw={500}>
        {LABELS.roles}
      </Text>
      <Text size="xs" c="dimmed">
        The first line whose group a person has gives the role, at each sign-in. Without a line, roles are
        given under People.
      </Text>
      {rows.map((row, n) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line has nothing else that names it
        <Group key={n} gap="xs" align="flex-end" wrap="nowrap">
          <TextInput
            style={{ flex: 1 }}
            label={`Group ${n + 1}`}
            value={row.group}
            onChange={({ currentTarget }) => change(n, { group: currentTarget.value })}
            error={errors[`roles.${n}.group`] as string | undefined}
          />
          <div style={{ flex: 1 }}>
            <RecordSelect
              operation="GET /api/v1/roles/"
              label={`Role of group ${n + 1}`}
              data-incomplete={row.role_id === null ? "Choose a role, or remove the group." : undefined}
              value={row.role_id}
              onChange={(role_id) => change(n, { role_id })}
            />
          </div>
          <ActionIcon
            variant="subtle"
            color="gray"
            size={36}
            aria-label={`Remove group ${n + 1}`}
            onClick={() => set(rows.filter((_row, at) => at !== n))}
          >
            <IconTrash size={16} />
          </ActionIcon>
        </Group>
      ))}
      <Group>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconPlus size={14} />}
          onClick={() => set([...rows, { group: "", role_id: null }])}
        >
          Add group
        </Button>
      </Group>
    </Stack>
  );
}

function TestProvider({ mayTest }: { mayTest: boolean }) {
  const test = useAction({ mutationFn: () => call("POST /api/v1/organizations/single_sign_on/test", {}) });
  if (!mayTest) return null;
  return (
    <Group gap="xs">
      <Button size="xs" variant="default" loading={test.isPending} onClick={() => test.mutate()}>
        Test the provider
      </Button>
      <span role="status">
        {test.data && (
          <Status tone={test.data.ok ? "good" : "bad"}>{test.data.ok ? "answers" : "failed"}</Status>
        )}
        {(test.data?.problem || test.error) && (
          <Text size="xs" c="dimmed" component="span" ml={6}>
            {test.data?.problem ?? test.error?.message}
          </Text>
        )}
      </span>
    </Group>
  );
}

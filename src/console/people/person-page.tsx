import { Alert, Button, Group, Select, Stack, Switch, Text, TextInput } from "@mantine/core";
import { IconCopy, IconLink } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { UserResponse } from "../api-types.ts";
import { useAction } from "../parts/action.ts";
import { ConfirmButton } from "../parts/confirm-button.tsx";
import { CopyButton } from "../parts/copy-button.tsx";
import { Code, Facts, Failure, Panel } from "../parts/parts.tsx";
import { showFailure } from "../parts/show-failure.ts";
import { RecordFormFrame } from "../records/record-form-frame.tsx";
import { type RecordFormProps, recordPageOf } from "../records/record-page.tsx";
import { call, callConsole } from "../server/api.ts";
import { useMay, useMe } from "../server/me.tsx";
import { Time } from "../time/time.tsx";

const LIST = "GET /api/v1/users/";
type Values = {
  email: string;
  first_name: string;
  last_name: string;
  role_id: number | null;
  skip_auth: boolean;
};

export default recordPageOf<UserResponse, Values>({
  permission: "users",
  noun: "Person",
  queryKey: "person",
  list: { to: "/people", label: "People" },
  listed: LIST,
  newTitle: "Invite somebody",
  title: "Person",
  nameOf: ({ email }) => email,
  keyOf: ({ email }) => email,
  labels: { email: "E-mail address", skip_auth: "Mail without a link" },
  values: (person) => ({
    email: person?.email ?? "",
    first_name: person?.first_name ?? "",
    last_name: person?.last_name ?? "",
    role_id: person?.role_id ?? null,
    skip_auth: false,
  }),
  read: (user_email) => call("GET /api/v1/users/{user_email}", { path: { user_email } }),
  save({ email, first_name, last_name, role_id, skip_auth }, stored) {
    const body = {
      email,
      first_name: first_name || null,
      last_name: last_name || null,
      role_id: role_id as number,
    };
    return stored
      ? call("PUT /api/v1/users/", { body: { ...body, utm: stored.utm } })
      : call("POST /api/v1/users/", { body: { ...body, skip_auth } });
  },
  remove: ({ email }, reason) => call("DELETE /api/v1/users/", { body: { email, reason } }),
  Around: ({ record, children }) => (
    <Stack gap="md">
      <RoleEnd person={record} />
      {children}
      <SignIn person={record} />
    </Stack>
  ),
  Form: PersonForm,
});

function PersonForm({ form, record, frame }: RecordFormProps<UserResponse, Values>) {
  const may = useMay();
  const roles = useQuery({
    queryKey: ["GET /api/v1/roles/", "names"],
    queryFn: ({ signal }) => call("GET /api/v1/roles/", { query: { limit: 1000, order_by: "name" }, signal }),
    enabled: may("roles_read"),
  });
  const { role_id } = form.getValues();
  return (
    <Panel>
      <RecordFormFrame {...frame} {...(!record && { verb: "Invite" })}>
        <TextInput
          label="E-mail address"
          type="email"
          required
          readOnly={record !== null}
          {...form.getInputProps("email")}
        />
        <Group grow align="flex-start">
          <TextInput label="First name" {...form.getInputProps("first_name")} />
          <TextInput label="Last name" {...form.getInputProps("last_name")} />
        </Group>
        <Select
          label="Role"
          required
          description="Permissions come from the role."
          data={(roles.data?.items ?? []).map(({ id, name }) => ({ value: String(id), label: name }))}
          allowDeselect={false}
          value={role_id === null ? null : String(role_id)}
          onChange={(id) => form.setFieldValue("role_id", id === null ? null : Number(id))}
          error={form.errors.role_id}
        />
        {!record && (
          <Switch
            label="Mail without a link"
            description="For somebody who signs in another way: the welcome mail has no link to choose a password with."
            {...form.getInputProps("skip_auth", { type: "checkbox" })}
          />
        )}
      </RecordFormFrame>
    </Panel>
  );
}

/** Shown where an API token gave the role: it ends with the token. */
function RoleEnd({ person }: { person: UserResponse }) {
  const may = useMay();
  const queries = useQueryClient();
  const { email, first_name, last_name, role_id, role_name, utm, role_until, role_after } = person;
  const keep = useAction({
    mutationFn: () => call("PUT /api/v1/users/", { body: { email, first_name, last_name, role_id, utm } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["person", email] }),
    onError: showFailure,
  });
  if (!role_until) return null;
  const hasEnded = new Date(role_until) <= new Date();
  const after = role_after ? `the role ${role_after}` : "no access";
  const token = person.role_until_token ? `the API token "${person.role_until_token}"` : "an API token";
  return (
    <Alert color="yellow" title={hasEnded ? "The role has ended" : "The role ends with an API token"}>
      <Stack gap="xs" align="flex-start">
        <Text size="sm">
          {token} gave {email} the role {role_name}. It {hasEnded ? "ended" : "ends"} with the token,{" "}
          <Time at={role_until} />. {hasEnded ? "Since then" : "After that"} {email} has {after}.
        </Text>
        {may("users_write") && (
          <Button size="xs" variant="default" loading={keep.isPending} onClick={() => keep.mutate()}>
            Keep the role
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

/** Sign-in link, valid once, to hand over where no e-mail is sent. */
function SignIn({ person }: { person: UserResponse }) {
  const may = useMay();
  const link = useAction({
    mutationFn: () =>
      call("POST /api/v1/users/{user_email}/sign_in_link", { path: { user_email: person.email } }),
  });
  return (
    <Panel title="Signing in">
      <Stack gap="sm" align="flex-start">
        <Facts
          items={[
            ["Last signed in", <Time key="at" at={person.last_session_at} />],
            ["Welcome mail", person.email_sent ? "sent" : "not sent"],
          ]}
        />
        {!person.email_sent && !person.last_session_at && (
          <Text size="sm">
            No mail told this person that they can sign in. Tell them, or create a sign-in link and give it to
            them.
          </Text>
        )}
        {may("users_write") && (
          <Button
            variant="default"
            leftSection={<IconLink size={15} />}
            loading={link.isPending}
            onClick={() => link.mutate()}
          >
            Create sign-in link
          </Button>
        )}
        {may("users_write") && <RemoveFactor email={person.email} />}
        {link.error && <Failure error={link.error} />}
        {link.data && (
          <Stack gap="xs" w="100%">
            <Text size="sm">
              Works once, until <Time at={link.data.expires_at} />. Whoever has it is {person.email}: hand it
              over safely.
            </Text>
            <Code value={link.data.sign_in_link} label="Sign-in link" />
            <CopyButton
              text={link.data.sign_in_link}
              size="xs"
              variant="default"
              leftSection={<IconCopy size={14} />}
              style={{ alignSelf: "start" }}
            />
          </Stack>
        )}
      </Stack>
    </Panel>
  );
}

/** For somebody who has lost app, passkeys and recovery codes. One's own is removed on the page of the account. */
function RemoveFactor({ email }: { email: string }) {
  const me = useMe();
  const at = `/api/console/people/${encodeURIComponent(email)}/second-factor`;
  const queryKey = ["second factor", email];
  const factor = useQuery({
    queryKey,
    queryFn: () => callConsole(at) as Promise<{ has_second_factor: boolean }>,
  });
  if (!factor.data?.has_second_factor || me.email === email) return null;
  return (
    <ConfirmButton
      verb="Remove the second factor"
      question="Remove the second factor?"
      act={() => callConsole(`${at}/remove`, {})}
      invalidates={[queryKey]}
      done="Second factor removed"
    >
      {email} then signs in with the password alone; their passkeys are removed, too. Do this only for
      somebody you know who has lost the authenticator app or the passkeys.
    </ConfirmButton>
  );
}

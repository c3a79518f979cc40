import { Alert, Button, Group, MultiSelect, Stack, Text, TextInput } from "@mantine/core";
import { IconCopy, IconKey } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { ApiTokenResponse } from "../api-types.ts";
import type { Column } from "../lists/columns.tsx";
import { listPage } from "../lists/list-page.tsx";
import { useAction } from "../parts/action.ts";
import { ActionWindow } from "../parts/action-window.tsx";
import { ConfirmButton } from "../parts/confirm-button.tsx";
import { CopyButton } from "../parts/copy-button.tsx";
import { counted } from "../parts/counted.ts";
import { Names } from "../parts/names.tsx";
import { Code, Failure, Status } from "../parts/parts.tsx";
import { useAskBeforeLeaving } from "../records/ask-before-leaving.ts";
import { fieldErrors } from "../records/field-errors.ts";
import { ApiError, call } from "../server/api.ts";
import { Time } from "../time/time.tsx";

const LIST = ["GET /api/v1/api_tokens/"];

const COLUMNS: Column<ApiTokenResponse>[] = [
  { field: "name", title: "Name", orderable: true },
  { field: "last_four", title: "Ends with", render: ({ last_four }) => <code>…{last_four}</code> },
  {
    field: "permissions",
    title: "Permissions",
    render: ({ permissions }) =>
      permissions ? (
        <span title={permissions.join(", ")}>{counted(permissions.length, "permission")}</span>
      ) : (
        "all of its owner's"
      ),
  },
  { field: "created_by", title: "Owner", orderable: true },
  {
    field: "created_at",
    title: "Created",
    orderable: true,
    render: ({ created_at }) => <Time at={created_at} kind="day" />,
  },
  {
    field: "expires_at",
    title: "Expires",
    orderable: true,
    render: ({ expires_at }) => <Time at={expires_at} kind="day" />,
  },
  { field: "made_with", title: "Created with", hidden: true },
  {
    field: "allowed_networks",
    title: "Allowed networks",
    hidden: true,
    render: ({ allowed_networks }) => allowed_networks?.join(", ") ?? "all",
  },
  {
    field: "granted_users",
    title: "Access given",
    hidden: true,
    render: ({ granted_users }) => <Names of={granted_users} />,
  },
  {
    field: "last_used_at",
    title: "Last used",
    render: ({ last_used_at }) => <Time at={last_used_at} kind="minute" />,
  },
  { field: "state", title: "Status", render: (token) => <TokenState token={token} /> },
  {
    field: "revoke",
    title: "Action",
    permissions: ["api_token_delete"],
    render: (token) => !token.revoked_at && <Revoke token={token} />,
  },
];

export default listPage({
  title: "API tokens",
  about: "Credentials for programs. A token is shown once, when you create it.",
  create: {
    permission: "api_token_write",
    label: "New token",
    window: (close) => <NewToken onClose={close} />,
  },
  operation: "GET /api/v1/api_tokens/",
  columns: COLUMNS,
  search: { field: "name", label: "Search by name" },
  filters: [{ field: "created_by", label: "Owner", kind: "text" }],
  empty: {
    title: "No tokens yet",
    icon: IconKey,
    about: "A program sends its token in the header Service-API-Key. It never does more than its owner may.",
  },
});

const Revoke = ({ token: { id, name, granted_users } }: { token: ApiTokenResponse }) => (
  <ConfirmButton
    size="compact-sm"
    aria-label={`Revoke ${name}`}
    verb="Revoke"
    question={`Revoke ${name}?`}
    act={() => call("DELETE /api/v1/api_tokens/{id}", { path: { id } })}
    invalidates={[LIST]}
    done={`${name} revoked`}
  >
    Programs that use this token are refused. Tokens and sign-in links created with it end, too.
    {granted_users.length > 0 && (
      <>
        {" "}
        So does the access it gave to <Names of={granted_users} />.
      </>
    )}
  </ConfirmButton>
);

function TokenState({ token }: { token: ApiTokenResponse }) {
  if (token.revoked_at) return <Status tone="quiet">revoked</Status>;
  if (new Date(token.expires_at) < new Date()) return <Status tone="quiet">expired</Status>;
  return <Status tone="good">active</Status>;
}

const DAYS = ["30", "90", "365"];

/** By hand: the same window shows the token afterwards. */
function NewToken({ onClose }: { onClose(): void }) {
  const client = useQueryClient();
  const [name, setName] = useState("");
  const [days, setDays] = useState("90");
  const [permissions, setPermissions] = useState<string[]>([]);
  const [networks, setNetworks] = useState("");
  const groups = useQuery({
    queryKey: ["permissions"],
    queryFn: ({ signal }) => call("GET /api/v1/permissions/", { signal }),
  });
  const make = useAction({
    mutationFn: () =>
      call("POST /api/v1/api_tokens/", {
        body: {
          name: name.trim(),
          permissions: permissions.length > 0 ? permissions : null,
          allowed_networks: networks.split(/[\s,]+/).filter((one) => one !== ""),
          expires_at: new Date(Date.now() + Number(days) * 86_400_000).toISOString(),
        },
      }),
    onSuccess: () => client.invalidateQueries({ queryKey: LIST }),
  });
  const faults =
    make.error instanceof ApiError
      ? fieldErrors(
          make.error,
          (path) =>
            ["name", "permissions", "expires_at"].includes(path) || path.startsWith("allowed_networks"),
        )
      : null;
  const isTyped = !make.data && !make.isPending && (name + networks !== "" || permissions.length > 0);
  useAskBeforeLeaving(isTyped, { acrossViews: false });
  return (
    <ActionWindow
      opened
      isPending={make.isPending}
      isTyped={isTyped}
      onClose={onClose}
      title="New API token"
      size="lg"
      showsOnce={make.data !== undefined}
    >
      {make.data ? (
        <Stack gap="sm">
          <Alert color="green" title="Copy it now: it is not shown again">
            <Code value={make.data.token} label="API token" />
          </Alert>
          <Group justify="flex-end">
            <CopyButton text={make.data.token} variant="default" leftSection={<IconCopy size={15} />} />
            <Button onClick={onClose}>Done</Button>
          </Group>
        </Stack>
      ) : (
        <form
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            make.mutate();
          }}
        >
          <Stack gap="md">
            {faults?.general.map((text) => (
              <Failure key={text} error={new Error(text)} />
            ))}
            <TextInput
              label="Name"
              required
              data-autofocus
              value={name}
              onChange={({ currentTarget }) => setName(currentTarget.value)}
              error={faults?.fields.name}
            />
            <div>
              <Text size="sm" fw={500} mb={4} id="token-days">
                Expires in
              </Text>
              <Group gap={6} role="group" aria-labelledby="token-days">
                {DAYS.map((count) => (
                  <Button
                    key={count}
                    size="xs"
                    variant={days === count ? "filled" : "default"}
                    aria-pressed={days === count}
                    onClick={() => setDays(count)}
                  >
                    {count} days
                  </Button>
                ))}
              </Group>
            </div>
            <MultiSelect
              label="Permissions"
              description="Empty: all of your permissions."
              searchable
              data={(groups.data ?? []).map((group) => ({
                group: group.name,
                items: group.permissions.map(({ name: value, display_name }) => ({
                  value,
                  label: `${group.name}: ${display_name}`,
                })),
              }))}
              value={permissions}
              onChange={setPermissions}
              error={faults?.fields.permissions}
            />
            <TextInput
              label="Allowed networks"
              description="CIDR, separated by commas. Empty: every address."
              value={networks}
              onChange={({ currentTarget }) => setNetworks(currentTarget.value)}
              error={
                Object.entries(faults?.fields ?? {}).find(([path]) =>
                  path.startsWith("allowed_networks"),
                )?.[1]
              }
            />
            <Group justify="flex-end">
              <Button type="submit" loading={make.isPending}>
                Create token
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </ActionWindow>
  );
}

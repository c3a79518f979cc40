import { Alert, Button, Group, Stack, Table, Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useAction } from "../parts/action.ts";
import { Failure, Fetched, PageHead, Panel, Scroller, Status } from "../parts/parts.tsx";
import { PasswordField } from "../parts/password-field.tsx";
import { showFailure } from "../parts/show-failure.ts";
import { callConsole } from "../server/api.ts";
import { Time } from "../time/time.tsx";
import { type Account, accountQuery } from "./account.ts";
import classes from "./account-page.module.css";
import { Passkeys } from "./passkeys-panel.tsx";
import { SecondFactor } from "./second-factor-panel.tsx";

/** What everybody does with their own account: second factor, passkeys, password, sign-ins. */
export default function AccountPage() {
  const account = useQuery(accountQuery);
  return (
    <>
      <PageHead title="Your account" about={account.data?.email} />
      <Fetched query={account}>
        {(found) => (
          <Stack gap="md">
            {found.has_password ? (
              <>
                <SecondFactor account={found} />
                <Passkeys account={found} />
                <ChangePassword />
              </>
            ) : (
              <Alert color="yellow" title="You have no password">
                Get a sign-in link from an administrator, or on the server with{" "}
                <code>./parley sign-in-link</code>, and choose a password on its page. Then you can set up a
                second factor.
              </Alert>
            )}
            <SignIns signIns={found.sign_ins} />
          </Stack>
        )}
      </Fetched>
    </>
  );
}

function ChangePassword() {
  const client = useQueryClient();
  const [password, setPassword] = useState("");
  const [newPassword, setNewPassword] = useState("");
  const change = useAction({
    mutationFn: () => callConsole("/api/console/account/password", { password, new_password: newPassword }),
    onSuccess: async () => {
      setPassword("");
      setNewPassword("");
      await client.invalidateQueries({ queryKey: accountQuery.queryKey });
    },
  });
  return (
    <Panel title="Password">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          change.mutate();
        }}
      >
        <Stack gap="sm" align="flex-start">
          <PasswordField
            w={320}
            label="Current password"
            required
            autoComplete="current-password"
            value={password}
            onChange={({ currentTarget }) => setPassword(currentTarget.value)}
          />
          <PasswordField
            w={320}
            label="New password"
            description="12 characters or more. All your other sign-ins end."
            required
            minLength={12}
            autoComplete="new-password"
            value={newPassword}
            onChange={({ currentTarget }) => setNewPassword(currentTarget.value)}
          />
          {change.error && <Failure error={change.error} />}
          {change.data !== undefined && <Text role="status">The password is changed.</Text>}
          <Button type="submit" variant="default" loading={change.isPending}>
            Change password
          </Button>
        </Stack>
      </form>
    </Panel>
  );
}

function SignIns({ signIns }: { signIns: Account["sign_ins"] }) {
  const client = useQueryClient();
  const end = useAction({
    mutationFn: (id: number | null) => callConsole("/api/console/account/end-sign-ins", { id }),
    onSettled: () => client.invalidateQueries({ queryKey: accountQuery.queryKey }),
    onError: showFailure,
  });
  return (
    <Panel title="Where you are signed in">
      <Scroller label="Your sign-ins" className={classes.wide}>
        <Table>
          <Table.Thead>
            <Table.Tr>
              {["Signed in", "Last used", "Ends", "Address", "Browser", "Action"].map((title) => (
                <Table.Th key={title}>{title}</Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {signIns.map((one) => (
              <Table.Tr key={one.id}>
                <Table.Td>
                  <Time at={one.created_at} kind="minute" />
                </Table.Td>
                <Table.Td>
                  <Time at={one.last_used_at} kind="minute" />
                </Table.Td>
                <Table.Td>
                  <Time at={one.expires_at} kind="minute" />
                </Table.Td>
                <Table.Td>{one.address ?? "–"}</Table.Td>
                <Table.Td maw={320}>
                  <Text size="sm" truncate title={one.browser ?? undefined}>
                    {one.browser ?? "–"}
                  </Text>
                </Table.Td>
                <Table.Td>
                  {one.is_this ? (
                    <Status tone="good">This session</Status>
                  ) : (
                    <Button
                      size="xs"
                      variant="default"
                      aria-label={`End the sign-in ${one.id}`}
                      onClick={() => end.mutate(one.id)}
                    >
                      End
                    </Button>
                  )}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Scroller>
      {signIns.some(({ is_this }) => !is_this) && (
        <Group mt="sm">
          <Button variant="default" loading={end.isPending} onClick={() => end.mutate(null)}>
            End all others
          </Button>
        </Group>
      )}
    </Panel>
  );
}

import { Button, Group, Stack, Table, Text, TextInput } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { useAction } from "../parts/action.ts";
import { ActionWindow } from "../parts/action-window.tsx";
import { Failure, Fetched, Panel, Scroller, Status } from "../parts/parts.tsx";
import { PasswordField } from "../parts/password-field.tsx";
import { useAskBeforeLeaving } from "../records/ask-before-leaving.ts";
import { callConsole } from "../server/api.ts";
import { knowsPasskeys, makePasskey, withFactor } from "../server/passkey.ts";
import { Time } from "../time/time.tsx";
import { type Account, accountQuery, type Passkey, passkeysQuery } from "./account.ts";
import classes from "./account-page.module.css";
import { RecoveryCodes } from "./second-factor-panel.tsx";

const PASSKEYS = "/api/console/account/passkeys";
type Opened = { what: "add" } | { what: "rename" | "remove"; passkey: Passkey } | null;

/** A device of one's own that signs in by its code, finger or face, without the password. */
export function Passkeys({ account }: { account: Account }) {
  const passkeys = useQuery(passkeysQuery);
  const [opened, setOpened] = useState<Opened>(null);
  const [codes, setCodes] = useState<string[] | null>(null);
  const close = () => setOpened(null);
  return (
    <Panel title="Passkeys">
      <Stack gap="sm" align="flex-start">
        {codes && <RecoveryCodes codes={codes} />}
        <Text size="sm">
          Sign in with your device's fingerprint, face or PIN, or with a security key. With a passkey, the
          password alone signs you in no longer.
        </Text>
        <Fetched query={passkeys}>
          {({ is_possible, passkeys: found }) => (
            <>
              {found.length > 0 && <PasskeyTable passkeys={found} open={setOpened} />}
              {is_possible && knowsPasskeys() ? (
                <Button variant="default" onClick={() => setOpened({ what: "add" })}>
                  Add passkey
                </Button>
              ) : (
                <Text size="sm" c="dimmed">
                  Passkeys need https:// with a host name in PUBLIC_URL, or http://localhost:8080 on your own
                  machine, and the console opened there.
                </Text>
              )}
            </>
          )}
        </Fetched>
        {opened?.what === "add" && <AddPasskey account={account} close={close} show={setCodes} />}
        {opened?.what === "rename" && <RenamePasskey passkey={opened.passkey} close={close} />}
        {opened?.what === "remove" && (
          <RemovePasskey passkey={opened.passkey} account={account} close={close} />
        )}
      </Stack>
    </Panel>
  );
}

function PasskeyTable({ passkeys, open }: { passkeys: Passkey[]; open: (what: Opened) => void }) {
  return (
    <Scroller label="Your passkeys" className={classes.wide}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            {["Name", "Added", "Last used", "Status", "Action"].map((title) => (
              <Table.Th key={title}>{title}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {passkeys.map((passkey) => (
            <Table.Tr key={passkey.id}>
              <Table.Td>{passkey.name}</Table.Td>
              <Table.Td>
                <Time at={passkey.created_at} kind="minute" />
              </Table.Td>
              <Table.Td>
                <Time at={passkey.last_used_at} kind="minute" />
              </Table.Td>
              <Table.Td>
                {passkey.is_locked ? (
                  <Status tone="bad">Locked: may be a copy</Status>
                ) : (
                  <Status tone="good">{passkey.is_synced ? "Synced" : "On one device"}</Status>
                )}
              </Table.Td>
              <Table.Td>
                <Group gap="xs" wrap="nowrap">
                  {(["rename", "remove"] as const).map((what) => (
                    <Button
                      key={what}
                      size="xs"
                      variant="default"
                      aria-label={`${VERBS[what]} ${passkey.name}`}
                      onClick={() => open({ what, passkey })}
                    >
                      {VERBS[what]}
                    </Button>
                  ))}
                </Group>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Scroller>
  );
}
const VERBS = { rename: "Rename", remove: "Remove" };

type Window = { close(): void };

function AddPasskey({
  account,
  close,
  show,
}: Window & { account: Account; show(codes: string[] | null): void }) {
  const [name, setName] = useState("");
  const { password, code, fields } = useProof(account);
  return (
    <AskWindow
      title="Add passkey"
      verb="Add"
      isTyped={name !== ""}
      close={close}
      act={async () => {
        const { options } = await withFactor(
          (factor) =>
            callConsole(`${PASSKEYS}/begin`, { password, ...factor }) as Promise<{ options: unknown }>,
          code,
        );
        const made = await makePasskey(options);
        const added = (await callConsole(PASSKEYS, { name, made })) as { recovery_codes: string[] | null };
        show(added.recovery_codes);
      }}
    >
      <NameInput value={name} onChange={setName} />
      {fields}
    </AskWindow>
  );
}

function RenamePasskey({ passkey, close }: Window & { passkey: Passkey }) {
  const [name, setName] = useState(passkey.name);
  return (
    <AskWindow
      title={`Rename ${passkey.name}`}
      verb="Rename"
      isTyped={name !== passkey.name}
      close={close}
      act={() => callConsole(`${PASSKEYS}/${passkey.id}/rename`, { name })}
    >
      <NameInput value={name} onChange={setName} />
    </AskWindow>
  );
}

function RemovePasskey({ passkey, account, close }: Window & { passkey: Passkey; account: Account }) {
  const { password, code, fields } = useProof(account);
  return (
    <AskWindow
      title={`Remove ${passkey.name}`}
      verb="Remove"
      close={close}
      act={() =>
        withFactor(
          (factor) =>
            callConsole(`${PASSKEYS}/${passkey.id}/remove`, { password, ...factor }) as Promise<object>,
          code,
        )
      }
    >
      <Text size="sm">It signs you in no longer. Remove it from the device, too.</Text>
      {fields}
    </AskWindow>
  );
}

/** Password, and a code where there is a second factor. */
function useProof(account: Account) {
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const fields = (
    <>
      <PasswordField
        label="Your password"
        required
        autoComplete="current-password"
        value={password}
        onChange={({ currentTarget }) => setPassword(currentTarget.value)}
      />
      {account.has_second_factor && (
        <TextInput
          label="Code"
          description="Of the authenticator app, or a recovery code. Leave it empty to use a passkey."
          autoComplete="one-time-code"
          value={code}
          onChange={({ currentTarget }) => setCode(currentTarget.value)}
        />
      )}
    </>
  );
  return { password, code, fields };
}

const NameInput = ({ value, onChange }: { value: string; onChange(value: string): void }) => (
  <TextInput
    label="Name"
    placeholder="Work laptop"
    required
    maxLength={100}
    data-autofocus
    value={value}
    onChange={({ currentTarget }) => onChange(currentTarget.value)}
  />
);

/** A form in a window; afterwards the account is read again. */
function AskWindow(
  props: Window & {
    title: string;
    verb: string;
    isTyped?: boolean;
    act(): Promise<unknown>;
    children: ReactNode;
  },
) {
  const { title, verb, act, close, children } = props;
  const client = useQueryClient();
  const acting = useAction({
    mutationFn: act,
    async onSuccess() {
      await Promise.all(
        [accountQuery, passkeysQuery].map(({ queryKey }) => client.invalidateQueries({ queryKey })),
      );
      close();
    },
  });
  const isTyped = props.isTyped === true && !acting.isPending && !acting.isSuccess;
  useAskBeforeLeaving(isTyped, { acrossViews: false });
  return (
    <ActionWindow opened isPending={acting.isPending} isTyped={isTyped} onClose={close} title={title}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          acting.mutate();
        }}
      >
        <Stack gap="sm">
          {children}
          {acting.error && <Failure error={acting.error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close} disabled={acting.isPending}>
              Cancel
            </Button>
            <Button type="submit" loading={acting.isPending}>
              {verb}
            </Button>
          </Group>
        </Stack>
      </form>
    </ActionWindow>
  );
}

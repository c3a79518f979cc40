import { Alert, Anchor, Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { IconCopy } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useAction } from "../parts/action.ts";
import { CopyButton } from "../parts/copy-button.tsx";
import { counted } from "../parts/counted.ts";
import { Code, Failure, Panel } from "../parts/parts.tsx";
import { PasswordField } from "../parts/password-field.tsx";
import { callConsole } from "../server/api.ts";
import { withFactor } from "../server/passkey.ts";
import { type Account, accountQuery } from "./account.ts";

const FACTOR = "/api/console/account/second-factor";
type NewKey = { key: string; address: string };

/** Set up in three steps: password, the key into the app and a code of it back, recovery codes kept. */
export function SecondFactor({ account }: { account: Account }) {
  const client = useQueryClient();
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const reread = async () => {
    setPassword("");
    setCode("");
    await client.invalidateQueries({ queryKey: accountQuery.queryKey });
  };
  const begin = useAction({
    mutationFn: () =>
      withFactor((factor) => callConsole(FACTOR, { password, ...factor }) as Promise<NewKey>, code),
    onSuccess: () => {
      setPassword("");
      setCode("");
    },
  });
  const confirm = useAction({
    mutationFn: () => callConsole(`${FACTOR}/confirm`, { code }) as Promise<{ recovery_codes: string[] }>,
    onSuccess: () => {
      begin.reset();
      return reread();
    },
  });
  const remove = useAction({
    mutationFn: () =>
      withFactor(
        ({ second_factor, passkey }) =>
          callConsole(`${FACTOR}/remove`, { password, code: second_factor, passkey }) as Promise<object>,
        code,
      ),
    onSuccess: () => {
      confirm.reset();
      return reread();
    },
  });
  const has = account.has_app;
  // Without a code, a passkey is asked for.
  const hasPasskey = account.has_passkeys;
  const asksFactor = has || (hasPasskey && !begin.data);
  const step = has ? remove : begin.data ? confirm : begin;
  return (
    <Panel title="Authenticator app">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          step.mutate();
        }}
      >
        <Stack gap="sm" align="flex-start">
          {confirm.data && <RecoveryCodes codes={confirm.data.recovery_codes} />}
          <Text size="sm">
            {has
              ? `You are asked for a code of your authenticator app at each sign-in with your password. ${counted(account.recovery_codes_left, "recovery code is", "recovery codes are")} left.`
              : "Besides the password, a sign-in then needs a code that an authenticator app on your phone shows."}
          </Text>
          {!has && begin.data && <AppKey appKey={begin.data.key} address={begin.data.address} />}
          {(has || !begin.data) && (
            <PasswordField
              w={320}
              label="Your password"
              required
              autoComplete="current-password"
              value={password}
              onChange={({ currentTarget }) => setPassword(currentTarget.value)}
            />
          )}
          {(asksFactor || begin.data) && (
            <TextInput
              w={320}
              label={
                has
                  ? "Code of the app, or a recovery code"
                  : begin.data
                    ? "Code that the app shows"
                    : "Recovery code"
              }
              description={asksFactor && hasPasskey ? "Leave it empty to use a passkey." : undefined}
              required={!(asksFactor && hasPasskey)}
              autoComplete="one-time-code"
              value={code}
              onChange={({ currentTarget }) => setCode(currentTarget.value)}
            />
          )}
          {step.error && <Failure error={step.error} />}
          <Button type="submit" variant="default" loading={step.isPending}>
            {has ? "Remove the app" : begin.data ? "Confirm" : "Set up"}
          </Button>
        </Stack>
      </form>
    </Panel>
  );
}

function AppKey({ appKey: key, address }: { appKey: string; address: string }) {
  return (
    <Stack gap="xs" w="100%">
      <Text size="sm">
        Enter this key in your authenticator app, or{" "}
        <Anchor href={address}>open the app on this device</Anchor>.
      </Text>
      <Code value={key} label="Key for the authenticator app" />
      <Group>
        <CopyButton text={key} size="xs" variant="default" leftSection={<IconCopy size={14} />} />
      </Group>
    </Stack>
  );
}

export const RecoveryCodes = ({ codes }: { codes: string[] }) => (
  <Alert color="green" title="Keep these recovery codes: they are not shown again" w="100%">
    <Stack gap="xs" align="flex-start">
      <Text size="sm">
        Each signs you in once beside your password, in place of the app or a passkey. Without them, a lost
        device needs an administrator.
      </Text>
      <Code value={codes.join("\n")} label="Recovery codes" />
      <CopyButton text={codes.join("\n")} size="xs" variant="default" leftSection={<IconCopy size={14} />} />
    </Stack>
  </Alert>
);

import { Alert, Anchor, Button, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useAction } from "../parts/action.ts";
import { PasswordField } from "../parts/password-field.tsx";
import { callConsole } from "../server/api.ts";
import { type Me, meQuery } from "../server/me.tsx";
import { type FactorAsked, NeedsCode, withFactor } from "../server/passkey.ts";
import { openGate, signInGate } from "../server/sign-in-gate.ts";
import { useStore } from "../server/store.ts";

type SignedIn = { signed_in: true } | ({ signed_in: false } & FactorAsked);

/**
 * Asks for the password in place when a sign-in has ended, so that what stands in a form stays. Whoever was not signed in
 * before is sent to the sign-in page, and comes back to this address. Somebody else's sign-in starts the page anew.
 */
export function SignInAgain() {
  const waiting = useStore(signInGate);
  const client = useQueryClient();
  const known = client.getQueryData<Me>(meQuery.queryKey);
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const [asksCode, setAsksCode] = useState(false);
  const email = known?.email ?? "";
  const user_id = known?.user_id;

  const signIn = useAction({
    mutationFn: () =>
      withFactor(async (factor) => {
        const answer = (await callConsole("/api/console/sign-in", {
          email,
          password,
          // The same address may be a person of several.
          ...(known && { organization_id: known.organization_id }),
          ...factor,
        })) as SignedIn;
        setAsksCode(!answer.signed_in);
        return answer;
      }, code),
    onSuccess() {
      setPassword("");
      setCode("");
      openGate();
    },
  });
  const isOpen = waiting.length > 0 && known !== undefined;
  useEffect(() => {
    if (!isOpen) return;
    // Somebody who has signed in in another tab comes back here.
    const look = async () => {
      const response = await fetch("/api/console/me");
      if (response.ok && ((await response.json()) as Me).user_id === user_id) openGate();
    };
    const lookQuietly = () => void look().catch(() => {});
    addEventListener("focus", lookQuietly);
    return () => removeEventListener("focus", lookQuietly);
  }, [isOpen, user_id]);
  const isStranger = waiting.length > 0 && !known;
  useEffect(() => {
    if (isStranger) goToSignIn();
  }, [isStranger]);

  return (
    <Modal
      opened={isOpen}
      onClose={() => {}}
      withCloseButton={false}
      title="Your sign-in has ended"
      zIndex={500}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          signIn.mutate();
        }}
      >
        <Stack gap="sm">
          <Text size="sm">Sign in again to continue here. Nothing you entered is lost.</Text>
          <TextInput label="E-mail address" value={email} readOnly autoComplete="username" />
          <PasswordField
            label="Password"
            value={password}
            onChange={({ currentTarget }) => setPassword(currentTarget.value)}
            autoComplete="current-password"
            data-autofocus
          />
          {asksCode && (
            <TextInput
              label="Code"
              description="The six digits that your authenticator app shows, or a recovery code. With a passkey, leave it empty."
              value={code}
              onChange={({ currentTarget }) => setCode(currentTarget.value)}
              autoComplete="one-time-code"
              autoFocus
            />
          )}
          {signIn.error && !(signIn.error instanceof NeedsCode) && (
            <Alert color="red" role="alert">
              {signIn.error.message}
            </Alert>
          )}
          <Button type="submit" loading={signIn.isPending}>
            Sign in
          </Button>
          <Anchor size="xs" ta="center" href="/sign-in" target="_blank">
            Sign in with your organization, in another tab
          </Anchor>
          <Anchor size="xs" component="button" type="button" onClick={goToSignIn}>
            Sign in as somebody else
          </Anchor>
        </Stack>
      </form>
    </Modal>
  );
}

export function goToSignIn(): void {
  const next = location.pathname + location.search;
  location.assign(`/sign-in?next=${encodeURIComponent(next)}`);
}

import { Grid } from "@mantine/core";
import type { ReactNode } from "react";
import { NumberField } from "../parts/number-field.tsx";
import { ApiError } from "../server/api.ts";
import { SecretField } from "./secret-field.tsx";
import type { SecretChange } from "./webhook-secret.ts";

export type InboxValues = { fail_next: number; fail_status: number; secret: SecretChange };

/** An inbox's reply, and the secret with which it checks signatures. */
export function InboxFields(props: {
  values: InboxValues;
  isStored: boolean;
  set(part: Partial<InboxValues>): void;
  errorOf(name: string): ReactNode;
}) {
  const { values, isStored, set, errorOf } = props;
  return (
    <>
      <Grid gap="md">
        <Grid.Col span={6}>
          <NumberField
            label="Fail the next"
            description="Number of messages to fail, to test retries."
            min={0}
            max={1000}
            value={values.fail_next}
            onNumber={(fail_next) => set({ fail_next })}
            error={errorOf("fail_next")}
          />
        </Grid.Col>
        <Grid.Col span={6}>
          <NumberField
            label="Failure status"
            description="Returned for failed messages."
            min={300}
            max={599}
            value={values.fail_status}
            onNumber={(fail_status) => set({ fail_status })}
            error={errorOf("fail_status")}
          />
        </Grid.Col>
      </Grid>
      <SecretField
        label="Signing secret"
        change={values.secret}
        isStored={isStored}
        fresh={() => ""}
        aboutNew="The webhook's signing secret, as Base64."
        aboutNone="Needed to verify signatures."
        onChange={(secret) => set({ secret })}
        error={errorOf("secret.hmac_secret") ?? errorOf("secret")}
      />
    </>
  );
}

/** Moves the API's errors about the secret to the field that the form has for it. */
export function atSecret(error: unknown): unknown {
  if (!(error instanceof ApiError)) return error;
  const issues = error.issues.map((issue) => {
    const [body, part, ...rest] = issue.loc;
    return part === "auth_values" ? { ...issue, loc: [body as string, "secret", ...rest] } : issue;
  });
  return new ApiError(error.status, error.message, issues);
}

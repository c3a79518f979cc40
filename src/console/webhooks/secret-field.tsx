import { Group, SegmentedControl, Stack, Text, TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import { CopyButton } from "../parts/copy-button.tsx";
import type { SecretChange } from "./webhook-secret.ts";

type Props = {
  label: string;
  change: SecretChange;
  /** A secret is stored; it is never read back. */
  isStored: boolean;
  /** Generates the initial value of a new secret. */
  fresh(): string;
  aboutNew: string;
  aboutNone: string;
  onChange(change: SecretChange): void;
  error: ReactNode;
};

/** A secret that is written and never read: kept, replaced or removed. */
export function SecretField(props: Props) {
  const { label, change, isStored, fresh, aboutNew, aboutNone, onChange, error } = props;
  const kinds = [
    ...(isStored ? [{ value: "keep", label: "Keep the secret" }] : []),
    { value: "new", label: isStored ? "Replace it" : "Signed" },
    { value: "none", label: isStored ? "Remove it" : "Not signed" },
  ];
  return (
    <Stack gap={6}>
      <Group gap="xs">
        <SegmentedControl
          size="xs"
          aria-label={label}
          data={kinds}
          value={change.kind}
          onChange={(kind) =>
            onChange(kind === "new" ? { kind, hmac_secret: fresh() } : { kind: kind as "keep" | "none" })
          }
        />
        {change.kind === "keep" && (
          <Text size="xs" c="dimmed">
            Stored, and never shown again.
          </Text>
        )}
      </Group>
      {change.kind === "new" && (
        <TextInput
          label="New secret"
          description={aboutNew}
          value={change.hmac_secret}
          onChange={({ currentTarget }) => onChange({ kind: "new", hmac_secret: currentTarget.value })}
          error={error}
          rightSectionWidth={76}
          rightSection={
            change.hmac_secret && <CopyButton text={change.hmac_secret} size="compact-xs" variant="light" />
          }
        />
      )}
      {change.kind === "none" && (
        <Text size="xs" c="dimmed">
          {aboutNone}
        </Text>
      )}
    </Stack>
  );
}

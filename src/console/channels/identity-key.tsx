import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { IconCopy } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import type { ChannelTargetResponse } from "../api-types.ts";
import { useAction } from "../parts/action.ts";
import { CopyButton } from "../parts/copy-button.tsx";
import { Code, Failure } from "../parts/parts.tsx";
import { call } from "../server/api.ts";
import { Time } from "../time/time.tsx";

/** Creates the key with which a site signs its visitors' identity tokens; it is shown only once. */
export function IdentityKey({ target, onMade }: { target: ChannelTargetResponse; onMade(): void }) {
  const client = useQueryClient();
  const path = { channel_id: target.channel_id, target_id: target.id };
  const make = useAction({
    mutationFn: () => call("POST /api/v1/channels/{channel_id}/targets/{target_id}/identity_key", { path }),
    onSuccess: () => {
      onMade();
      return client.invalidateQueries({ queryKey: ["GET /api/v1/channels/targets"] });
    },
  });
  const exists = target.identity_key_set_at != null;
  if (make.data) {
    return (
      <Alert color="green" title="Copy the identity key now. It is not shown again.">
        <Stack gap="xs">
          <Code value={make.data.key} label="Identity key" />
          <Group justify="flex-end">
            <CopyButton text={make.data.key} variant="default" leftSection={<IconCopy size={15} />} />
          </Group>
        </Stack>
      </Alert>
    );
  }
  return (
    <Stack gap={6}>
      {make.error && <Failure error={make.error} />}
      <Group justify="space-between" wrap="nowrap">
        <div>
          <Text size="sm" fw={500}>
            Identity key
          </Text>
          <Text size="xs" c="dimmed">
            {exists ? (
              <>
                Set <Time at={target.identity_key_set_at as string} kind="minute" />. A new key replaces it at
                once.
              </>
            ) : (
              "Your site signs visitor identities with it. Without a key, no visitor is verified."
            )}
          </Text>
        </div>
        <Button
          variant="default"
          size="compact-sm"
          loading={make.isPending}
          onClick={() => {
            if (!exists || window.confirm("Replace the identity key? Tokens signed with it stop working."))
              make.mutate();
          }}
        >
          {exists ? "Replace key" : "Create key"}
        </Button>
      </Group>
    </Stack>
  );
}

import { Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Suppression } from "../api-types.ts";
import { Failure } from "../parts/parts.tsx";
import { call } from "../server/api.ts";
import { SUPPRESSIONS } from "./suppression-words.ts";

/** Removes an address from the suppression list; the reason stays with the entry. By hand: it asks back. */
export function LiftSuppression({ suppression }: { suppression: Suppression }) {
  const { id, address } = suppression;
  const client = useQueryClient();
  const [opened, { open, close }] = useDisclosure(false);
  const [reason, setReason] = useState("");
  const lift = useMutation({
    mutationFn: () =>
      call("DELETE /api/v1/suppressions/{id}", { path: { id }, query: { reason: reason.trim() } }),
    async onSuccess() {
      close();
      notifications.show({ message: `${address} may be reached again`, color: "green" });
      await client.invalidateQueries({ queryKey: [SUPPRESSIONS] });
    },
  });
  return (
    <>
      <Button
        size="compact-sm"
        variant="default"
        aria-label={`Lift the suppression of ${address}`}
        onClick={open}
      >
        Lift
      </Button>
      <Modal opened={opened} onClose={close} title="Lift this suppression?">
        <form
          onSubmit={(event) => {
            event.preventDefault();
            lift.mutate();
          }}
        >
          <Stack gap="md">
            <Text size="sm">
              <b>
                <bdi>{address}</bdi>
              </b>{" "}
              may be reached again. The entry stays in the exported ledger, with your name and reason.
            </Text>
            <TextInput
              label="Reason"
              description="For example, how they asked for it."
              required
              maxLength={1000}
              data-autofocus
              value={reason}
              onChange={({ currentTarget }) => setReason(currentTarget.value)}
            />
            {lift.error && <Failure error={lift.error} />}
            <Group justify="flex-end" gap="xs">
              <Button variant="default" onClick={close}>
                Keep it
              </Button>
              <Button type="submit" color="red" loading={lift.isPending} disabled={reason.trim() === ""}>
                Lift
              </Button>
            </Group>
          </Stack>
        </form>
      </Modal>
    </>
  );
}

import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { IconTrash } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { useAction } from "../parts/action.ts";
import { ActionWindow } from "../parts/action-window.tsx";
import { Failure } from "../parts/parts.tsx";
import { showFailure } from "../parts/show-failure.ts";
import { useIsUnsaved } from "./ask-before-leaving.ts";

type Props = {
  /** "agent". */
  noun: string;
  name: string;
  remove(reason: string): Promise<unknown>;
  /** Restores the record, where the API can: the notice then offers an undo for some seconds. */
  restore?(): Promise<unknown>;
  invalidates: readonly (readonly unknown[])[];
  /** Navigates away. Pass `ignoreBlocker`: what else on the page is not saved was told before the delete. */
  onRemoved?(): void;
  /** What else to say or ask. */
  children?: ReactNode;
  /** What becomes of it, behind its name, where it is more than gone from the lists. */
  effect?: string;
  /** The API takes no reason, so none is asked for. */
  withoutReason?: boolean;
};

const UNDO_MS = 10_000;

/** A delete button that asks for a reason, which the API keeps with the record where it takes one. */
export function RemoveRecord(props: Props) {
  const { noun, name, remove, restore, invalidates, onRemoved, withoutReason = false } = props;
  const client = useQueryClient();
  const [opened, { open, close }] = useDisclosure(false);
  const [reason, setReason] = useState("");
  const isUnsaved = useIsUnsaved() && onRemoved !== undefined;
  const refresh = () => Promise.all(invalidates.map((queryKey) => client.invalidateQueries({ queryKey })));

  const undo = async (id: string) => {
    notifications.hide(id);
    try {
      await restore?.();
      await refresh();
      notifications.show({ message: `${name} is back`, color: "green" });
    } catch (error) {
      showFailure(error as Error);
    }
  };
  const removing = useAction({
    mutationFn: () => remove(reason.trim() || "Deleted in the console"),
    async onSuccess() {
      close();
      const id = `removed ${noun} ${name}`;
      notifications.show({
        id,
        autoClose: restore ? UNDO_MS : 4000,
        message: (
          <Group justify="space-between" wrap="nowrap">
            <span>{name} deleted</span>
            {restore && (
              <Button size="compact-xs" variant="light" onClick={() => void undo(id)}>
                Undo
              </Button>
            )}
          </Group>
        ),
      });
      // Lists that are not on screen are dropped from the cache, or the deleted record would flash up in them.
      for (const queryKey of invalidates) client.removeQueries({ queryKey, type: "inactive" });
      onRemoved?.();
      await refresh();
    },
  });

  return (
    <>
      <Button
        variant="default"
        c="var(--mantine-color-error)"
        leftSection={<IconTrash size={15} />}
        onClick={open}
      >
        Delete
      </Button>
      <ActionWindow
        opened={opened}
        isPending={removing.isPending}
        onClose={close}
        onExitTransitionEnd={removing.reset}
        title={`Delete this ${noun}?`}
      >
        <form
          onSubmit={(event) => {
            event.preventDefault();
            // The window may be asked for from within a form, which is not what is sent here.
            event.stopPropagation();
            removing.mutate();
          }}
        >
          <Stack gap="md">
            <Text size="sm">
              <b>
                <bdi>{name}</bdi>
              </b>{" "}
              {props.effect ?? "is removed from every list. Its history stays readable."}
            </Text>
            {isUnsaved && (
              <Text size="sm" role="note">
                Unsaved changes on this page are discarded, too.
              </Text>
            )}
            {props.children}
            {!withoutReason && (
              <TextInput
                label="Reason"
                description="Kept in the audit log."
                maxLength={500}
                value={reason}
                onChange={({ currentTarget }) => setReason(currentTarget.value)}
                data-autofocus
              />
            )}
            {removing.error && <Failure error={removing.error} />}
            <Group justify="flex-end" gap="xs">
              <Button variant="default" onClick={close} disabled={removing.isPending}>
                Keep it
              </Button>
              <Button type="submit" color="red" loading={removing.isPending}>
                Delete
              </Button>
            </Group>
          </Stack>
        </form>
      </ActionWindow>
    </>
  );
}

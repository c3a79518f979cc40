import { Button, type ButtonProps, Group, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useAction } from "./action.ts";
import { ActionWindow } from "./action-window.tsx";
import { Failure } from "./parts.tsx";

type Props = ButtonProps & {
  /** What the button says, and the one in the window: "Release". */
  verb: string;
  /** The question above: "Disconnect this address?" */
  question: string;
  /** What will happen. */
  children: ReactNode;
  act(): Promise<unknown>;
  invalidates: readonly (readonly unknown[])[];
  /** What the notice says afterwards. */
  done: string;
  onDone?(): void;
};

/** A change that can't be taken back and asks for no reason: the person is asked once more. */
export function ConfirmButton(props: Props) {
  const { verb, question, children, act, invalidates, done, onDone, ...look } = props;
  const client = useQueryClient();
  const [opened, { open, close }] = useDisclosure(false);
  const acting = useAction({
    mutationFn: act,
    async onSuccess() {
      close();
      notifications.show({ message: done, color: "green", autoClose: 4000 });
      onDone?.();
      await Promise.all(invalidates.map((queryKey) => client.invalidateQueries({ queryKey })));
    },
  });
  return (
    <>
      <Button variant="default" {...look} onClick={open}>
        {verb}
      </Button>
      <ActionWindow
        opened={opened}
        isPending={acting.isPending}
        onClose={close}
        onExitTransitionEnd={acting.reset}
        title={question}
      >
        <Stack gap="md">
          <Text size="sm" component="div">
            {children}
          </Text>
          {acting.error && <Failure error={acting.error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close} disabled={acting.isPending} data-autofocus>
              Cancel
            </Button>
            <Button color="red" loading={acting.isPending} onClick={() => acting.mutate()}>
              {verb}
            </Button>
          </Group>
        </Stack>
      </ActionWindow>
    </>
  );
}

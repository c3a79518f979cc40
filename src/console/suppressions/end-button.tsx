import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { useAction } from "../parts/action.ts";
import { ActionWindow } from "../parts/action-window.tsx";
import { Failure } from "../parts/parts.tsx";

type Props = {
  /** What the button says: "Lift". */
  verb: string;
  /** For whom reads with ears: "Lift the suppression of +1…". */
  label: string;
  question: string;
  /** What will happen. */
  children: ReactNode;
  /** What makes a good reason. */
  example: string;
  act(reason: string): Promise<unknown>;
  done: string;
  /** The list that the entry stands in. */
  list: string;
};

/** Ends an entry of a ledger, which stays with the reason that is asked for. */
export function EndButton({ verb, label, question, children, example, act, done, list }: Props) {
  const client = useQueryClient();
  const [opened, { open, close }] = useDisclosure(false);
  const [reason, setReason] = useState("");
  const end = useAction({
    mutationFn: () => act(reason.trim()),
    async onSuccess() {
      close();
      notifications.show({ message: done, color: "green" });
      await client.invalidateQueries({ queryKey: [list] });
    },
  });
  return (
    <>
      <Button size="compact-sm" variant="default" aria-label={label} onClick={open}>
        {verb}
      </Button>
      <ActionWindow
        opened={opened}
        isPending={end.isPending}
        onClose={close}
        onExitTransitionEnd={end.reset}
        title={question}
      >
        <form
          onSubmit={(event) => {
            event.preventDefault();
            end.mutate();
          }}
        >
          <Stack gap="md">
            <Text size="sm">{children}</Text>
            <TextInput
              label="Reason"
              description={example}
              required
              maxLength={1000}
              data-autofocus
              value={reason}
              onChange={({ currentTarget }) => setReason(currentTarget.value)}
            />
            {end.error && <Failure error={end.error} />}
            <Group justify="flex-end" gap="xs">
              <Button variant="default" onClick={close} disabled={end.isPending}>
                Keep it
              </Button>
              <Button type="submit" color="red" loading={end.isPending} disabled={reason.trim() === ""}>
                {verb}
              </Button>
            </Group>
          </Stack>
        </form>
      </ActionWindow>
    </>
  );
}

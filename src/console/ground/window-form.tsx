import { Button, Group, Modal, Stack } from "@mantine/core";
import type { ReactNode } from "react";
import { Failure } from "./parts.tsx";

/** A short form in a window of its own: what no field stands for above the fields, and two buttons below. */
export function WindowForm(props: {
  title: string;
  size?: string;
  /** What the button that sends it says. */
  verb: string;
  isSending: boolean;
  general: string[];
  onSubmit(): void;
  onClose(): void;
  children: ReactNode;
}) {
  const { title, size, verb, isSending, general, onSubmit, onClose, children } = props;
  return (
    <Modal opened onClose={onClose} title={title} {...(size !== undefined && { size })}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit();
        }}
      >
        <Stack gap="md">
          {general.map((text) => (
            <Failure key={text} error={new Error(text)} />
          ))}
          {children}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Not now
            </Button>
            <Button type="submit" loading={isSending}>
              {verb}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

import { Button, Textarea } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { useQueryClient } from "@tanstack/react-query";
import { useWindowForm, WindowForm } from "../records/window-form.tsx";
import { call } from "../server/api.ts";

type Props = { session_id: string; message_id: string };

/** Opens a window in which somebody writes the answer to a message that was held. */
export function AnswerByHand(props: Props) {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button size="compact-xs" variant="default" onClick={open}>
        Write an answer
      </Button>
      {opened && <AnswerWindow {...props} close={close} />}
    </>
  );
}

function AnswerWindow({ session_id, message_id, close }: Props & { close(): void }) {
  const client = useQueryClient();
  const { form, sending } = useWindowForm({
    initial: { text: "" },
    send: (body) =>
      call("POST /api/v1/sessions/{session_id}/held_messages/{message_id}/answer", {
        path: { session_id, message_id },
        body,
      }),
    async onSent() {
      close();
      notifications.show({ message: "Answer sent", color: "green", autoClose: 4000 });
      await client.invalidateQueries({ queryKey: ["session", session_id] });
    },
  });
  return (
    <WindowForm title="Write an answer" verb="Send" sending={sending} onClose={close}>
      <Textarea
        label="Answer"
        description="Sent in the agent's place. The transcript shows your name."
        autosize
        minRows={4}
        maxRows={12}
        data-autofocus
        {...form.getInputProps("text")}
      />
    </WindowForm>
  );
}

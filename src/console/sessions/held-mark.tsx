import { Group } from "@mantine/core";
import type { HeldMessage } from "../api-types.ts";
import { ConfirmButton } from "../parts/confirm-button.tsx";
import { Status } from "../parts/parts.tsx";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import { AnswerByHand } from "./answer-by-hand.tsx";

/** Beside a message that came in and was not answered: why, and the ways to have it answered all the same. */
export function HeldMark({ session_id, held }: { session_id: string; held: HeldMessage }) {
  const may = useMay();
  const { message_id } = held;
  const path = { session_id, message_id };
  return (
    <Group gap="xs" mt={4} justify="flex-end">
      <Status tone="warn">
        {held.why === "repeated"
          ? "Held: looks like an automatic reply"
          : "Held: too many messages in a short time"}
      </Status>
      {may("channels_write") && <AnswerByHand session_id={session_id} message_id={message_id} />}
      {may("channels_write") && (
        <ConfirmButton
          size="compact-xs"
          verb="Let the agent answer"
          question="Let the agent answer this message?"
          act={() => call("POST /api/v1/sessions/{session_id}/held_messages/{message_id}/release", { path })}
          invalidates={[["session", session_id]]}
          done="The agent answers it"
        >
          The agent answers as if the message had just arrived. Later messages from this person are checked as
          before.
        </ConfirmButton>
      )}
    </Group>
  );
}

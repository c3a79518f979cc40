import { Button, Group, Stack, Text, Textarea } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type { LiveSession, Session } from "../api-types.ts";
import { useAction } from "../parts/action.ts";
import { ConfirmButton } from "../parts/confirm-button.tsx";
import { Failure, Panel, Status } from "../parts/parts.tsx";
import { call } from "../server/api.ts";
import { useKeptText } from "../server/kept-text.ts";
import { useMay, useMe } from "../server/me.tsx";
import { liveState } from "./live/live-words.ts";

/** A takeover ends three minutes after its last renewal, so that leaving this page hands the conversation back. */
const RENEW_MS = 60_000;

/** What a person can do in a conversation that runs. */
export function OperatePanel(props: { id: number; session: Session; now: LiveSession | null }) {
  const { id, session, now } = props;
  const may = useMay();
  const state = now && liveState(now);
  const isCall = now?.channel === "voice";
  return (
    <Panel title="Live" actions={state && <Status tone={state.tone}>{state.words}</Status>}>
      {may("sessions_intervene") ? (
        <Stack gap="md">
          {now && !isCall && now.channel !== "email" && <Takeover id={id} taken_by={now.taken_by} />}
          <Whisper id={id} />
          <ConfirmButton
            verb={isCall ? "Hang up" : "End conversation"}
            question={isCall ? "Hang up this call?" : "End this conversation?"}
            act={() => call("POST /api/v1/sessions/{session_id}/end", { path: { session_id: id } })}
            invalidates={[["session", String(id)]]}
            done={isCall ? "Hanging up" : "Conversation ended"}
          >
            {isCall
              ? "The call ends at once, without a goodbye."
              : "The person can't write in this conversation any more."}{" "}
            Person: <bdi>{session.source}</bdi>
          </ConfirmButton>
        </Stack>
      ) : (
        <Text size="sm" c="dimmed">
          Your role allows you to read along.
        </Text>
      )}
    </Panel>
  );
}

function Takeover({ id, taken_by }: { id: number; taken_by: string | null }) {
  const me = useMe();
  const client = useQueryClient();
  const path = { session_id: id };
  // Until the stream tells something else: while it is down, only this page knows what was done here last.
  const [told, setTold] = useState(taken_by);
  const [done, setDone] = useState<{ holder: string | null } | null>(null);
  if (told !== taken_by) {
    setTold(taken_by);
    setDone(null);
  }
  const { holder } = done ?? { holder: taken_by };
  const isMine = holder === me.email;
  const [isTakenHere, setTakenHere] = useState(false);
  const read = () => client.invalidateQueries({ queryKey: ["session", String(id)] });
  // One after the other, so that a renewal under way doesn't take back what is handed back.
  const scope = { id: `takeover of ${id}` };
  const take = useAction({
    scope,
    mutationFn: () => call("POST /api/v1/sessions/{session_id}/takeover", { path }),
    onSuccess() {
      setDone({ holder: me.email });
      return read();
    },
  });
  const giveBack = useAction({
    scope,
    mutationFn: () => call("DELETE /api/v1/sessions/{session_id}/takeover", { path }),
    onSuccess() {
      setDone({ holder: null });
      return read();
    },
  });
  const renew = take.mutate;
  const isRenewed = isMine && !giveBack.isPending;
  useEffect(() => {
    if (!isRenewed) return;
    const timer = setInterval(() => renew(), RENEW_MS);
    return () => clearInterval(timer);
  }, [isRenewed, renew]);
  const error = take.error ?? giveBack.error;
  return (
    <Stack gap="xs">
      {isMine && <Say id={id} autoFocus={isTakenHere} />}
      {error && <Failure error={error} />}
      <Group gap="xs">
        {holder !== null ? (
          <Button variant="default" loading={giveBack.isPending} onClick={() => giveBack.mutate()}>
            Hand back to agent
          </Button>
        ) : (
          <Button
            variant="default"
            loading={take.isPending}
            onClick={() => {
              setTakenHere(true);
              take.mutate();
            }}
          >
            Take over
          </Button>
        )}
      </Group>
    </Stack>
  );
}

/** `autoFocus`: right after taking over, the next thing to do is write. */
function Say({ id, autoFocus }: { id: number; autoFocus: boolean }) {
  /** The same until the message has arrived, so that a repeated one is said once. */
  const number = useRef(newNumber());
  return (
    <Writing
      label="Message"
      description="Sent to the person. The transcript shows your name; the person does not see it."
      verb="Send"
      id={id}
      autoFocus={autoFocus}
      send={(text) =>
        call("POST /api/v1/sessions/{session_id}/takeover/messages", {
          path: { session_id: id },
          body: { text, id: number.current },
        })
      }
      onSent={() => {
        number.current = newNumber();
      }}
    />
  );
}

/** Pages over plain HTTP have no `crypto.randomUUID`. */
const newNumber = () => `${Date.now()}-${Math.random().toString(36).slice(2)}`;

const Whisper = ({ id }: { id: number }) => (
  <Writing
    label="Whisper to the agent"
    description="The agent reads it before its next answer. The person never sees it."
    verb="Whisper"
    id={id}
    send={(text) =>
      call("POST /api/v1/sessions/{session_id}/notes", { path: { session_id: id }, body: { text } })
    }
  />
);

/** One text and its button. What was typed stays until it has arrived. */
function Writing(props: {
  label: string;
  description: string;
  verb: string;
  id: number;
  autoFocus?: boolean;
  send(text: string): Promise<unknown>;
  onSent?(): void;
}) {
  const { label, description, verb, id, autoFocus, send, onSent } = props;
  const client = useQueryClient();
  const [text, setText] = useKeptText(`${verb} ${id}`);
  const sending = useAction({
    mutationFn: () => send(text.trim()),
    async onSuccess() {
      setText("");
      onSent?.();
      await client.invalidateQueries({ queryKey: ["session", String(id)] });
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() !== "" && !sending.isPending) sending.mutate();
      }}
    >
      <Stack gap="xs" align="stretch">
        <Textarea
          label={label}
          description={description}
          autosize
          minRows={2}
          maxRows={6}
          maxLength={2000}
          autoFocus={autoFocus}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
            event.preventDefault();
            event.currentTarget.form?.requestSubmit();
          }}
        />
        {sending.error && <Failure error={sending.error} />}
        <Group>
          <Button
            type="submit"
            size="xs"
            variant="default"
            disabled={text.trim() === ""}
            loading={sending.isPending}
          >
            {verb}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

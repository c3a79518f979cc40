import { Group, Stack, Switch, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { ModelRoundResponse } from "../api-types.ts";
import { SideBySide } from "../changes/side-by-side.tsx";
import { CopyButton } from "../parts/copy-button.tsx";
import { formatDuration } from "../parts/duration.ts";
import { Code, Facts, Fetched } from "../parts/parts.tsx";
import { call } from "../server/api.ts";
import { answerFacts, sentText } from "./sent-words.ts";

type OfTurn = { session_id: string; turn_index: number };

const rounds = (session_id: string, turn_index: number, signal: AbortSignal) =>
  call("GET /api/v1/sessions/{session_id}/model_rounds", {
    path: { session_id: Number(session_id) },
    query: { turn_index },
    signal,
  });

/** What the model was sent in a turn, round by round, each compared with the one before if wanted. */
export function SentPanel({ session_id, turn_index }: OfTurn) {
  const [compares, setCompares] = useState(false);
  const sent = useQuery({
    queryKey: ["session", session_id, "sent", turn_index],
    async queryFn({ signal }) {
      const [before, these] = await Promise.all([
        turn_index > 0 ? rounds(session_id, turn_index - 1, signal) : [],
        rounds(session_id, turn_index, signal),
      ]);
      return { before: before.at(-1), these };
    },
  });
  return (
    <Fetched query={sent} lines={3}>
      {({ before, these }) =>
        these.length === 0 ? (
          <Text size="sm" c="dimmed">
            No model request in this turn, or no longer stored.
          </Text>
        ) : (
          <Stack gap="md">
            <Switch
              size="xs"
              label="Compare with previous round"
              checked={compares}
              onChange={({ currentTarget }) => setCompares(currentTarget.checked)}
            />
            {these.map((round, at) => (
              <RoundView
                key={round.id}
                round={round}
                at={at}
                before={compares ? (these[at - 1] ?? before) : undefined}
              />
            ))}
          </Stack>
        )
      }
    </Fetched>
  );
}

function RoundView(props: { round: ModelRoundResponse; at: number; before: ModelRoundResponse | undefined }) {
  const { round, at, before } = props;
  const name = `Round ${at + 1}`;
  const text = sentText(round);
  return (
    <section aria-label={name}>
      <Group gap="xs" mb={4}>
        <Text size="sm" fw={550}>
          {name}
        </Text>
        <Text size="xs" c="dimmed">
          {formatDuration(round.duration_ms)}
        </Text>
        <CopyButton text={text} name={`Copy ${name}`} size="compact-xs" variant="default" />
      </Group>
      {before ? (
        <SideBySide
          entries={[{ path: "sent", before: sentText(before), after: text }]}
          labels={{ sent: "Sent" }}
          before="Previous round"
          after={name}
        />
      ) : (
        <Code value={text} label={`${name}, sent to the model`} />
      )}
      <Facts items={answerFacts(round).filter(([, value]) => value !== null)} />
    </section>
  );
}

/** The requests that one tool call sent, with their answers. */
export function ToolRequests({ session_id, turn_index, tool_call_id }: OfTurn & { tool_call_id: string }) {
  const requests = useQuery({
    queryKey: ["session", session_id, "tool requests", turn_index],
    queryFn: ({ signal }) =>
      call("GET /api/v1/sessions/{session_id}/tool_requests", {
        path: { session_id: Number(session_id) },
        query: { turn_index },
        signal,
      }),
  });
  return (
    <Fetched query={requests} lines={2}>
      {(calls) =>
        (calls.find((made) => made.tool_call_id === tool_call_id)?.requests ?? []).map((request) => (
          <Stack key={request.at} gap={4}>
            <Facts
              items={[
                ["HTTP request", `${request.method} ${request.url}`],
                ["Status", request.status === null ? request.outcome : String(request.status)],
                ["Problem", request.problem],
              ]}
            />
            <Code value={request.headers} label="Request headers" />
            {request.body !== null && <Code value={request.body} label="Request body" />}
            {request.answer_headers && <Code value={request.answer_headers} label="Response headers" />}
            {request.answer && <Code value={request.answer} label="Answer" />}
          </Stack>
        ))
      }
    </Fetched>
  );
}

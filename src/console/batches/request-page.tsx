import { Alert, Button, Grid, Group, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconUserMinus } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import type { RequestTraceAttempt } from "../api-types.ts";
import { batchPath, requestWords } from "../outbound/batch-words.ts";
import { spoken } from "../outbound/channel-statuses.ts";
import classes from "../outbound/outbound.module.css";
import { useAction } from "../parts/action.ts";
import { counted } from "../parts/counted.ts";
import { formatDuration } from "../parts/duration.ts";
import { OFFLINE_MODEL, OfflineMark } from "../parts/offline-mark.tsx";
import { Code, Empty, Facts, Fetched, PageHead, Panel, RouteLink, Status } from "../parts/parts.tsx";
import { personPath } from "../parts/person-path.ts";
import { showFailure } from "../parts/show-failure.ts";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import { Sentence } from "../time/sentence.tsx";
import { Time } from "../time/time.tsx";
import { formatTime } from "../time/zone.ts";
import { RequestSteps } from "./request-steps.tsx";

const FOLLOW_MS = 3000;

/** One person of a batch: every attempt with its result, and the next step. */
export default function RequestPage() {
  const { id, reference } = useParams({ strict: false }) as { id: string; reference: string };
  const path = { batch_id: id, reference_id: reference };
  const trace = useQuery({
    queryKey: ["batch", id, "trace", reference],
    queryFn: ({ signal }) =>
      call("GET /api/v1/outbound/batches/{batch_id}/requests/{reference_id}/trace", { path, signal }),
    refetchInterval: ({ state }) => (state.data?.next_step.kind === "over" ? false : FOLLOW_MS),
  });
  const person = useQuery({
    queryKey: ["batch", id, "results", "one", reference],
    queryFn: ({ signal }) =>
      call("GET /api/v1/outbound/batches/{batch_id}/results", {
        path: { batch_id: id },
        query: { reference_id: reference, limit: 1 },
        signal,
      }),
  });
  const words = requestWords(trace.data?.request_status ?? "");
  const variables = Object.entries(person.data?.[0]?.request_variables ?? {});
  const insights = Object.entries(person.data?.[0]?.insights ?? {});
  const looked = person.data?.[0]?.enrichment;
  return (
    <>
      <PageHead
        title={reference}
        back={{ to: batchPath(id), label: `Batch ${id}` }}
        about={
          trace.data && (
            <Group gap="xs">
              <Status tone={words.tone}>{words.word}</Status>
              {trace.data.request_status === "INVALID" ? (
                <bdi>{trace.data.target}</bdi>
              ) : (
                <RouteLink to={personPath(trace.data.target)}>
                  <bdi>{trace.data.target}</bdi>
                </RouteLink>
              )}
            </Group>
          )
        }
        actions={
          trace.data?.next_step.kind === "waiting" && <TakeOut batch_id={id} reference_id={reference} />
        }
      />
      <Fetched query={trace}>
        {({ next_step, attempts, steps, ...request }) => (
          <Grid gap="md" align="flex-start">
            <Grid.Col span={{ base: 12, md: 8 }}>
              <Stack gap="md">
                <Alert
                  color={next_step.kind === "under-way" ? "green" : "ink"}
                  title={TITLES[next_step.kind]}
                  role="status"
                >
                  <Text size="sm">
                    <Sentence text={next_step.text} isNow />
                  </Text>
                  {request.number_check !== null && request.number_check !== next_step.text && (
                    <Text size="sm">
                      <Sentence text={request.number_check} isNow />
                    </Text>
                  )}
                  {next_step.until && (
                    <Text size="xs">
                      Next check <Time at={next_step.until} />.
                    </Text>
                  )}
                </Alert>
                <RequestSteps steps={steps} />
                <Panel title={counted(attempts.length, "attempt")}>
                  {attempts.length === 0 ? (
                    <Empty title={next_step.kind === "over" ? "Not tried" : "Not tried yet"} />
                  ) : (
                    <ol className={classes.steps}>
                      {attempts.map((attempt) => (
                        <li key={attempt.started_at}>
                          <AttemptView attempt={attempt} />
                        </li>
                      ))}
                    </ol>
                  )}
                </Panel>
              </Stack>
            </Grid.Col>
            <Grid.Col span={{ base: 12, md: 4 }}>
              <Panel title="Variables and lookup">
                <Stack gap="md">
                  <Facts
                    items={[
                      ["Last status", spoken(request.channel_manager_status)],
                      ["Attempts", request.attempt_count],
                    ]}
                  />
                  {variables.length > 0 && (
                    <Facts items={variables.map(([name, text]) => [name, <bdi key={name}>{text}</bdi>])} />
                  )}
                  {insights.length > 0 && (
                    <Stack gap={6} align="flex-start">
                      <Text size="sm" fw={600}>
                        Insights
                      </Text>
                      <OfflineMark model={person.data?.[0]?.insights_scripted ? OFFLINE_MODEL : null} />
                      <Facts items={insights.map(([key, value]) => [key, <bdi key={key}>{value}</bdi>])} />
                    </Stack>
                  )}
                  {looked && <Code value={looked} label="Number lookup" />}
                </Stack>
              </Panel>
            </Grid.Col>
          </Grid>
        )}
      </Fetched>
    </>
  );
}

/** Only a waiting person can be removed, not one who is being contacted or is finished. */
function TakeOut({ batch_id, reference_id }: { batch_id: string; reference_id: string }) {
  const may = useMay();
  const client = useQueryClient();
  const take = useAction({
    mutationFn: () =>
      call("POST /api/v1/outbound/batches/{batch_id}/remove-requests", {
        path: { batch_id },
        body: [reference_id],
      }),
    async onSuccess({ removed }) {
      notifications.show(
        removed.length > 0
          ? { message: `${reference_id} was removed from the batch`, color: "green" }
          : { message: `${reference_id} is being contacted already`, color: "yellow" },
      );
      await Promise.all([["batch"], ["campaign"]].map((queryKey) => client.invalidateQueries({ queryKey })));
    },
    onError: showFailure,
  });
  if (!may("outbound_write")) return null;
  return (
    <Button
      variant="default"
      leftSection={<IconUserMinus size={15} />}
      loading={take.isPending}
      onClick={() => take.mutate()}
    >
      Remove from the batch
    </Button>
  );
}

const TITLES = {
  waiting: "Next attempt",
  "under-way": "In progress",
  over: "No more attempts",
};

function AttemptView({ attempt }: { attempt: RequestTraceAttempt }) {
  const { started_at, placed_at, ended_at, session_id, decision } = attempt;
  const lasted_ms = ended_at ? Date.parse(ended_at) - Date.parse(placed_at ?? started_at) : null;
  return (
    <Stack gap={6}>
      <Text size="sm" fw={600}>
        <Sentence text={attempt.text} isNow />
      </Text>
      <Group gap="md">
        <Text size="xs" c="dimmed">
          <Time at={started_at} />
          {lasted_ms ? `, ${formatDuration(lasted_ms)}` : ""}
        </Text>
        {session_id !== null && <RouteLink to={`/sessions/${session_id}`}>Session {session_id}</RouteLink>}
      </Group>
      <Facts
        items={[
          ["Carrier status", attempt.provider_status],
          ["Error", attempt.error_code],
          ["Agent", attempt.answerer && spoken(attempt.answerer)],
          ["Sent from", attempt.number_choice?.text ?? attempt.number],
          ["Counts towards", attempt.counted_on && formatTime(attempt.counted_on, "UTC", "day")],
          ["Carrier ID", attempt.channel_manager_sid],
        ].filter((entry): entry is [string, string] => Boolean(entry[1]))}
      />
      {decision && (
        <details>
          <summary>Decision</summary>
          <Code value={decision} label={`Decision after attempt ${attempt.attempt_number}`} />
        </details>
      )}
    </Stack>
  );
}

import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { IconCopy, IconRepeat, IconTerminal2 } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import type { WebhookDeliveryDetails, WebhookTry } from "../api-types.ts";
import { requestPath } from "../outbound/batch-words.ts";
import { spoken } from "../outbound/channel-statuses.ts";
import classes from "../outbound/outbound.module.css";
import { useAction } from "../parts/action.ts";
import { CopyButton } from "../parts/copy-button.tsx";
import { counted } from "../parts/counted.ts";
import { formatDuration } from "../parts/duration.ts";
import { Code, Empty, Facts, Failure, Fetched, PageHead, Panel, RouteLink, Status } from "../parts/parts.tsx";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import { Time } from "../time/time.tsx";
import { useReplay } from "./delivery-log.tsx";
import { DELIVERY_WORDS, DUE, isDue } from "./delivery-words.ts";
import { bytesOf, ExactText, headerLines } from "./exact-text.tsx";

const FOLLOW_MS = 3000;

/** One webhook delivery: the bytes sent, and the result of each try. */
export default function DeliveryPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const delivery = useQuery({
    queryKey: ["delivery", id],
    queryFn: ({ signal }) =>
      call("GET /api/v1/outbound/webhook_deliveries/{delivery_id}", { path: { delivery_id: id }, signal }),
    refetchInterval: ({ state }) => (state.data?.state === "WAITING" ? FOLLOW_MS : false),
  });
  const found = delivery.data;
  return (
    <>
      <PageHead
        title="Delivery"
        back={{
          to: found ? `/campaigns/${found.campaign_id}?view=webhooks` : "/campaigns",
          label: found ? "Webhooks of the campaign" : "Campaigns",
        }}
        about={
          found && (
            <Group gap="xs">
              <Status tone={DELIVERY_WORDS[found.state].tone}>{DELIVERY_WORDS[found.state].word}</Status>
              {found.is_test && <Status tone="info">test</Status>}
              <Time at={found.created_at} />
            </Group>
          )
        }
        actions={found && <Actions delivery={found} />}
      />
      <Fetched query={delivery} lines={12}>
        {(shown) => <Body delivery={shown} />}
      </Fetched>
    </>
  );
}

function Actions({ delivery }: { delivery: WebhookDeliveryDetails }) {
  const may = useMay();
  const replay = useReplay();
  const curl = useAction({
    mutationFn: () =>
      call("GET /api/v1/outbound/webhook_deliveries/{delivery_id}/curl", {
        path: { delivery_id: delivery.id },
      }),
  });
  if (!may("outbound_write")) return null;
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconTerminal2 size={15} />}
        loading={curl.isPending}
        onClick={() => curl.mutate()}
      >
        Copy as curl
      </Button>
      <Button
        leftSection={<IconRepeat size={15} />}
        loading={replay.isPending}
        onClick={() => replay.mutate({ ids: [delivery.id] })}
      >
        Send again
      </Button>
      <Modal
        opened={curl.data !== undefined || curl.error !== null}
        onClose={curl.reset}
        title="Send it again with curl"
        size="lg"
      >
        <Stack gap="md">
          {curl.error && <Failure error={curl.error} />}
          {curl.data && (
            <>
              <Text size="sm">Signed now: receivers accept it for about five minutes.</Text>
              <ExactText text={curl.data.command} label="curl command" />
              <Group justify="flex-end">
                <CopyButton text={curl.data.command} leftSection={<IconCopy size={15} />} data-autofocus />
              </Group>
            </>
          )}
        </Stack>
      </Modal>
    </>
  );
}

function Body({ delivery }: { delivery: WebhookDeliveryDetails }) {
  const { batch_id, reference_id, next_try_at, attempts } = delivery;
  return (
    <Stack gap="md">
      <Panel>
        <Facts
          items={[
            ["Event", spoken(delivery.channel_manager_status)],
            [
              "About",
              batch_id && reference_id ? (
                <RouteLink key="about" to={requestPath(batch_id, reference_id)}>
                  <bdi>{reference_id}</bdi>
                </RouteLink>
              ) : delivery.is_test ? (
                "a made-up person"
              ) : null,
            ],
            ["Webhook", delivery.webhook_id],
            ["Tries", delivery.tries],
            [
              "Next attempt",
              next_try_at && (isDue(next_try_at) ? DUE : <Time key="next" at={next_try_at} />),
            ],
            ["Reason", delivery.state === "DELIVERED" ? null : delivery.reason],
            ["webhook-id", <code key="id">{delivery.id}</code>],
          ]}
        />
      </Panel>
      <Panel title={counted(attempts.length, "try", "tries")}>
        {attempts.length === 0 ? (
          <Empty title="Not sent yet">
            Sent within seconds, or later if its webhook is waiting after failures.
          </Empty>
        ) : (
          <ol className={classes.steps}>
            {attempts.map((attempt, index) => (
              <li key={attempt.at}>
                <TryView attempt={attempt} number={index + 1} />
              </li>
            ))}
          </ol>
        )}
      </Panel>
      <Panel
        title="Body"
        actions={<Text size="xs">{bytesOf(delivery.body)}, the same on every attempt</Text>}
      >
        <Stack gap="md">
          <Code value={delivery.body} label="Formatted body" />
          <details>
            <summary>Byte for byte</summary>
            <ExactText text={delivery.body} label="Raw body" />
          </details>
        </Stack>
      </Panel>
    </Stack>
  );
}

function TryView({ attempt, number }: { attempt: WebhookTry; number: number }) {
  const { request, response, failure } = attempt;
  const sent = `${request.method} ${request.url}\n${headerLines(request.headers)}`;
  const answered = response
    ? `${response.status}\n${headerLines(response.headers)}${response.body ? `\n\n${response.body}` : ""}`
    : null;
  return (
    <Stack gap={6}>
      <Group gap="xs">
        <Status tone={failure ? "bad" : "good"}>
          {response ? `answered ${response.status}` : "no answer"}
        </Status>
        <Text size="sm">
          <Time at={attempt.at} />, {formatDuration(attempt.duration_ms)}
        </Text>
      </Group>
      {failure && (
        <Text size="sm" c="var(--mantine-color-error)">
          {failure}
        </Text>
      )}
      <ExactText text={sent} label={`Request of attempt ${number}`} />
      {answered && <ExactText text={answered} label={`Response of attempt ${number}`} />}
    </Stack>
  );
}

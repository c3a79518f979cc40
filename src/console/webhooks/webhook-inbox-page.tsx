import { Button, Grid, Group, Stack, Text } from "@mantine/core";
import { IconCopy, IconInbox } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import type { WebhookInbox, WebhookInboxMessage } from "../api-types.ts";
import type { Column } from "../lists/columns.tsx";
import { DataTable } from "../lists/data-table.tsx";
import { asLeft } from "../parts/as-left.ts";
import { CopyButton } from "../parts/copy-button.tsx";
import { PageWindow } from "../parts/page-window.tsx";
import { Code, Facts, Fetched, PageHead, Panel, RouteLink, Status, type Tone } from "../parts/parts.tsx";
import { shortened } from "../parts/shortened.ts";
import { useRecordForm } from "../records/record-form.tsx";
import { RecordFormFrame } from "../records/record-form-frame.tsx";
import { RemoveRecord } from "../records/remove-record.tsx";
import { ApiError, call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import { Time } from "../time/time.tsx";
import { bytesOf, ExactText, headerLines } from "./exact-text.tsx";
import { atSecret, InboxFields, type InboxValues } from "./inbox-fields.tsx";
import { authValues } from "./webhook-secret.ts";

const LIST = "GET /api/v1/outbound/webhook_inboxes";
const MESSAGES = "GET /api/v1/outbound/webhook_inboxes/{name}/messages";
const FOLLOW_MS = 3000;
/** The most inboxes that there can be. */
const MOST_INBOXES = 100;

/** The API lists inboxes and has no operation for one. */
async function read(name: string): Promise<WebhookInbox> {
  const { items } = await call(LIST, {
    query: { search_fields: ["name"], search_field_values: [name], limit: MOST_INBOXES },
  });
  const found = items.find((inbox) => inbox.name === name);
  if (!found) throw new ApiError(404, `There is no inbox "${name}".`);
  return found;
}

/** By hand: an inbox begins in a window and may be called "new", which the page of a record takes for a new one. */
export default function WebhookInboxPage() {
  const { name } = useParams({ strict: false }) as { name: string };
  const inbox = useQuery({
    queryKey: ["inbox", name],
    queryFn: () => read(name),
    refetchInterval: FOLLOW_MS,
  });
  return (
    <>
      <PageHead
        title={name}
        back={{ to: "/webhook-inboxes", label: "Webhook inboxes" }}
        about={inbox.data && <>Keeps the last 100 messages; it has {inbox.data.message_count}.</>}
      />
      <Fetched query={inbox}>{(found) => <Body key={name} inbox={found} />}</Fetched>
    </>
  );
}

function Body({ inbox }: { inbox: WebhookInbox }) {
  const [shown, setShown] = useState<WebhookInboxMessage | null>(null);
  return (
    <Grid gap="md" align="flex-start">
      <Grid.Col span={{ base: 12, lg: 8 }}>
        <DataTable
          label="Messages"
          operation={MESSAGES}
          path={{ name: inbox.name }}
          columns={columns(setShown)}
          search={{ field: "body", label: "Search in bodies" }}
          filters={[
            { field: "signature", label: "Signature", kind: "choice", choices: VERDICTS },
            { field: "answered_status", label: "Answered", kind: "text" },
          ]}
          refresh_ms={FOLLOW_MS}
          empty={{
            title: "No messages yet",
            icon: IconInbox,
            about:
              "Give the address to a webhook of a campaign and send a test: on a campaign's page, under Webhooks.",
          }}
        />
      </Grid.Col>
      <Grid.Col span={{ base: 12, lg: 4 }}>
        <Stack gap="md">
          <Panel title="Address">
            <Stack gap="sm">
              <Address label="For campaigns of this platform" url={inbox.url} />
              <Address label="For other senders" url={inbox.public_url} />
            </Stack>
          </Panel>
          <SettingsPanel inbox={inbox} />
        </Stack>
      </Grid.Col>
      {shown && <MessageWindow message={shown} onClose={() => setShown(null)} />}
    </Grid>
  );
}

function Address({ label, url }: { label: string; url: string }) {
  return (
    <div>
      <Group justify="space-between" gap="xs">
        <Text size="xs" c="dimmed">
          {label}
        </Text>
        <CopyButton
          text={url}
          name={`Copy the address ${label.toLowerCase()}`}
          size="compact-xs"
          variant="subtle"
          leftSection={<IconCopy size={13} />}
        />
      </Group>
      <code style={{ overflowWrap: "anywhere", fontSize: "0.78rem" }}>{url}</code>
    </div>
  );
}

const VERDICTS: Record<"VALID" | "INVALID" | "UNSIGNED", { tone: Tone; word: string }> = {
  VALID: { tone: "good", word: "valid" },
  INVALID: { tone: "bad", word: "not valid" },
  UNSIGNED: { tone: "warn", word: "not signed" },
};

function Verdict({ signature }: Pick<WebhookInboxMessage, "signature">) {
  if (!signature) return <Status tone="quiet">not checked</Status>;
  return <Status tone={VERDICTS[signature].tone}>{VERDICTS[signature].word}</Status>;
}

const columns = (show: (message: WebhookInboxMessage) => void): Column<WebhookInboxMessage>[] => [
  {
    field: "received_at",
    title: "Time",
    orderable: true,
    render: ({ received_at }) => <Time at={received_at} />,
  },
  { field: "body", title: "About", render: ({ body }) => <bdi>{aboutOf(body)}</bdi> },
  { field: "signature", title: "Signature", render: (message) => <Verdict signature={message.signature} /> },
  {
    field: "answered_status",
    title: "Answered",
    orderable: true,
    render: ({ answered_status }) => (
      <Status tone={answered_status < 300 ? "good" : "bad"}>{String(answered_status)}</Status>
    ),
  },
  {
    field: "message_id",
    title: "Delivery",
    hidden: true,
    render: ({ message_id }) =>
      message_id ? (
        <RouteLink to={`/webhook-deliveries/${encodeURIComponent(message_id)}`}>{message_id}</RouteLink>
      ) : (
        "–"
      ),
  },
  {
    field: "look",
    title: "View",
    render: (message) => (
      <Button
        size="compact-xs"
        variant="default"
        aria-label={`View message ${message.id}`}
        onClick={() => show(message)}
      >
        View
      </Button>
    ),
  },
];

/** The status and person in a campaign's message; of any other message, the beginning of its text. */
function aboutOf(body: string): string {
  try {
    const { data } = JSON.parse(body);
    if (typeof data?.channel_manager_status === "string")
      return `${data.channel_manager_status}, ${data.reference_id ?? "nobody"}`;
  } catch {
    // Senders may post any text, not only JSON.
  }
  return shortened(body, 80);
}

function MessageWindow({ message, onClose }: { message: WebhookInboxMessage; onClose(): void }) {
  return (
    <PageWindow opened onClose={onClose} title={`Message ${message.id}`} size="xl">
      <Stack gap="md">
        <Facts
          items={[
            ["When", <Time key="at" at={message.received_at} />],
            ["Method", message.method],
            ["Signature", <Verdict key="verdict" signature={message.signature} />],
            ["Answered", message.answered_status],
            [
              "Delivery",
              message.message_id && (
                <RouteLink
                  key="delivery"
                  to={`/webhook-deliveries/${encodeURIComponent(message.message_id)}`}
                >
                  {message.message_id}
                </RouteLink>
              ),
            ],
          ]}
        />
        <Text fw={600} size="sm">
          Headers
        </Text>
        <ExactText text={headerLines(message.headers)} label="Headers" />
        <Text fw={600} size="sm">
          Body, {bytesOf(message.body)}
        </Text>
        <Code value={message.body} label="Body" />
      </Stack>
    </PageWindow>
  );
}

function SettingsPanel({ inbox }: { inbox: WebhookInbox }) {
  const may = useMay();
  const navigate = useNavigate();
  const record = useRecordForm<WebhookInbox, InboxValues>({
    noun: "Inbox",
    record: inbox,
    values: (found) => ({
      fail_next: found?.fail_next ?? 0,
      fail_status: found?.fail_status ?? 503,
      secret: { kind: found?.auth_value_keys?.length ? "keep" : "none" },
    }),
    async save({ secret, ...values }) {
      try {
        return await call("PUT /api/v1/outbound/webhook_inboxes/{name}", {
          path: { name: inbox.name },
          body: { ...values, auth_values: authValues(secret) },
        });
      } catch (error) {
        throw atSecret(error);
      }
    },
    reread: () => read(inbox.name),
    invalidates: [["inbox"], [LIST]],
    onSaved: () => {},
    hides: ["secret.hmac_secret"],
  });
  const { form } = record;
  return (
    <Panel title="Responses">
      <RecordFormFrame
        form={record}
        readOnly={!may("outbound_write")}
        extra={
          may("outbound_delete") && (
            <RemoveRecord
              noun="inbox"
              name={inbox.name}
              effect="is deleted with the messages in it."
              withoutReason
              remove={() =>
                call("DELETE /api/v1/outbound/webhook_inboxes/{name}", { path: { name: inbox.name } })
              }
              invalidates={[[LIST]]}
              onRemoved={() =>
                void navigate({ to: asLeft("/webhook-inboxes"), ignoreBlocker: true, replace: true })
              }
            />
          )
        }
      >
        <InboxFields
          values={form.getValues()}
          isStored={Boolean(inbox.auth_value_keys?.length)}
          set={(part) => form.setValues(part)}
          errorOf={(name) => (form.errors as Record<string, React.ReactNode>)[name]}
        />
      </RecordFormFrame>
    </Panel>
  );
}

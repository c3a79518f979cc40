import { Button, Group, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import type { Contact, ContactEntry } from "../api-types.ts";
import { requestPath } from "../outbound/batch-words.ts";
import { spoken } from "../outbound/channel-statuses.ts";
import classes from "../outbound/outbound.module.css";
import { counted } from "../parts/counted.ts";
import { DownloadButton } from "../parts/download-button.tsx";
import { Names } from "../parts/names.tsx";
import { Empty, Facts, Fetched, PageHead, Panel, RouteLink, Status, type Tone } from "../parts/parts.tsx";
import { call, callForBytes } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import { REASONS } from "../sessions/session-words.ts";
import { ErasePerson } from "../settings/erasures-panel.tsx";
import { Sentence } from "../time/sentence.tsx";
import { Time } from "../time/time.tsx";
import { ContactAddresses } from "./contact-addresses.tsx";
import { ContactRecordPanel } from "./contact-record-panel.tsx";

const REFRESH_MS = 10_000;

const KINDS: Record<ContactEntry["kind"], { word: string; tone: Tone }> = {
  session: { word: "conversation", tone: "info" },
  text: { word: "text", tone: "info" },
  mail: { word: "e-mail", tone: "info" },
  request: { word: "campaign", tone: "quiet" },
  attempt: { word: "attempt", tone: "busy" },
  "call-back": { word: "call-back", tone: "info" },
  consent: { word: "consent", tone: "good" },
  "consent-revoked": { word: "consent revoked", tone: "warn" },
  suppression: { word: "opt-out", tone: "bad" },
  "suppression-lifted": { word: "opt-out lifted", tone: "good" },
};

/** Everything about a person, by one of their addresses, over all channels. */
export default function ContactPage() {
  const { address } = useParams({ strict: false }) as { address: string };
  const may = useMay();
  const [erasing, { open, close }] = useDisclosure(false);
  const pages = useInfiniteQuery({
    queryKey: ["contact", address],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) =>
      call("GET /api/v1/contacts/{address}", { path: { address }, query: { before: pageParam }, signal }),
    getNextPageParam: ({ next }) => next,
    refetchInterval: REFRESH_MS,
  });
  const first = pages.data?.pages[0];
  return (
    <>
      <PageHead
        title={<bdi>{first?.name ?? first?.address ?? address}</bdi>}
        back={{ to: "/contacts", label: "Contacts" }}
        about={first?.name && <bdi>{first.address}</bdi>}
        actions={
          <>
            <DownloadButton
              label="Export"
              name={`${address}.json`}
              fetch={() => callForBytes("GET /api/v1/contacts/{address}/export", { path: { address } })}
            />
            {may("sessions_delete") && (
              <Button color="red" variant="light" onClick={open}>
                Erase person
              </Button>
            )}
          </>
        }
      />
      {erasing && <ErasePerson onClose={close} address={first?.address ?? address} />}
      <Fetched query={pages} lines={10}>
        {({ pages: shown }) => (
          <Stack gap="md">
            {shown[0] && <ContactAddresses contact={shown[0]} />}
            {shown[0] && <Standing contact={shown[0]} />}
            <ContactRecordPanel address={address} record={shown[0]?.record ?? null} />
            <Panel title="History">
              {shown[0]?.entries.length === 0 ? (
                <Empty title="Nothing about this address">
                  Nobody at this address was contacted or has been in touch.
                </Empty>
              ) : (
                <ol className={classes.steps}>
                  {shown
                    .flatMap(({ entries }) => entries)
                    .map((entry) => (
                      <li key={`${entry.kind} ${entry.id}`}>
                        <Entry entry={entry} address={shown[0]?.address} />
                      </li>
                    ))}
                </ol>
              )}
              {pages.hasNextPage && (
                <Button
                  size="xs"
                  variant="default"
                  loading={pages.isFetchingNextPage}
                  onClick={() => void pages.fetchNextPage()}
                >
                  Show earlier
                </Button>
              )}
            </Panel>
          </Stack>
        )}
      </Fetched>
    </>
  );
}

/** Whether and how often the person may be contacted. */
function Standing({ contact }: { contact: Contact }) {
  if (!useMay()("outbound_read")) return null;
  const { suppressed, consents, caps } = contact;
  return (
    <Panel title="May be contacted">
      <Facts
        items={[
          [
            "Opt-outs",
            suppressed.length === 0
              ? "none"
              : suppressed.map((scope) => scope.replace("all", "all channels")).join(", "),
          ],
          ["Consents of this address", <Names key="consents" of={consents} none="none" />],
          ...caps.map(({ channel, attempts, days, used }): [string, string] => [
            `${channel === "any" ? "Any channel" : channel}, ${counted(days, "day")}`,
            `${used} of ${attempts} used`,
          ]),
        ]}
      />
    </Panel>
  );
}

/** A conversation's state is why it ended. */
function stateOf({ kind, status }: ContactEntry): string | null {
  if (status === null || kind !== "session" || status === "running") return status && spoken(status);
  return `ended by ${REASONS[status] ?? spoken(status)}`;
}

function Entry({ entry, address }: { entry: ContactEntry; address: string | undefined }) {
  const isOther = entry.address !== null && entry.address !== address;
  const { word, tone } = KINDS[entry.kind];
  const spokenBy =
    entry.direction === "in" ? "from the person" : entry.direction === "out" ? "to the person" : "";
  return (
    <Stack gap={4}>
      <Group gap="xs">
        <Status tone={tone}>{word}</Status>
        <Text size="xs" c="dimmed" component="span">
          <Time at={entry.at} />
          {[isOther && entry.address, entry.channel, spokenBy, stateOf(entry)]
            .filter(Boolean)
            .map((part) => `, ${part}`)
            .join("")}
        </Text>
      </Group>
      {entry.text !== "" && (
        <Text size="sm" dir="auto" style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
          {entry.kind === "attempt" ? <Sentence text={entry.text} isNow /> : entry.text}
        </Text>
      )}
      <Group gap="md">
        {entry.session_id !== null && (
          <RouteLink to={`/sessions/${entry.session_id}`}>Session {entry.session_id}</RouteLink>
        )}
        {entry.batch_id !== null && entry.reference_id !== null && (
          <RouteLink to={requestPath(entry.batch_id, entry.reference_id)}>
            <bdi>{entry.reference_id}</bdi>
          </RouteLink>
        )}
        {entry.campaign_id !== null && (
          <RouteLink to={`/campaigns/${entry.campaign_id}`}>
            <bdi>{entry.campaign_name}</bdi>
          </RouteLink>
        )}
      </Group>
    </Stack>
  );
}

import { Grid, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { Event, Session } from "../api-types.ts";
import { CurrentIncidents } from "../incidents/current-incidents.tsx";
import { OutreachStopped } from "../outbound/outreach-stop.tsx";
import { counted } from "../parts/counted.ts";
import { Empty, Fetched, LinkButton, PageHead, Panel, RouteLink, Status } from "../parts/parts.tsx";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import { channelWords } from "../sessions/channel-words.ts";
import { isRunning, lengthOf } from "../sessions/session-words.ts";
import { Sentence } from "../time/sentence.tsx";
import { Time } from "../time/time.tsx";
import { TroubledWebhooks } from "../webhooks/troubled-webhooks.tsx";
import { FigureStrip } from "./figure-strip.tsx";
import classes from "./home-page.module.css";
import { OutboundPanel } from "./outbound-panel.tsx";
import { QueuesPanel } from "./queues-panel.tsx";
import { SetupSteps } from "./setup-steps.tsx";
import { SystemHealth } from "./system-health.tsx";

const REFRESH_MS = 5000;
const SHOWN = 8;

export default function HomePage() {
  const may = useMay();
  return (
    <>
      <PageHead title="Home" about="Live activity, recent problems and setup steps." />
      {may("outbound_read") && <OutreachStopped />}
      {may("reports_read") && <FigureStrip />}
      <Grid gap="md">
        <Grid.Col span={{ base: 12, md: 8 }}>
          <Stack gap="md">
            {may("incidents_read") && <CurrentIncidents />}
            {may("outbound_read") && <TroubledWebhooks />}
            {may("sessions_read") && <Sessions />}
            {may("outbound_read") && <OutboundPanel />}
            <QueuesPanel />
            {may("events_read") && <Trouble />}
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 4 }}>
          <Stack gap="md">
            <SetupSteps />
            <SystemHealth />
          </Stack>
        </Grid.Col>
      </Grid>
    </>
  );
}

function Sessions() {
  const may = useMay();
  const latest = useQuery({
    queryKey: ["GET /api/v1/sessions/", "home"],
    refetchInterval: REFRESH_MS,
    async queryFn({ signal }) {
      const of = (is_test: string, is_running: string) =>
        call("GET /api/v1/sessions/", {
          query: {
            search_fields: ["is_test", "is_running"],
            search_field_values: [is_test, is_running],
            limit: SHOWN,
          },
          signal,
        });
      const pages = await Promise.all([
        of("false", "true"),
        of("true", "true"),
        of("false", "false"),
        of("true", "false"),
      ]);
      const [real, tests] = pages;
      return {
        running: (real?.total_count ?? 0) + (tests?.total_count ?? 0),
        sessions: pages
          .flatMap(({ items }) => items)
          .toSorted((one, other) => other.timestamp.localeCompare(one.timestamp)),
      };
    },
  });
  const running = latest.data?.running ?? 0;
  return (
    <Panel
      title={running > 0 ? `Conversations: ${running} running` : "Conversations"}
      actions={
        <RouteLink to="/sessions" size="sm">
          All sessions
        </RouteLink>
      }
      flush
    >
      <div className={classes.tall}>
        <Fetched query={latest} lines={5}>
          {({ sessions }) =>
            sessions.length === 0 ? (
              <Empty
                title="No conversations yet"
                action={
                  may("agents_read") && <LinkButton to="/agents">Choose an agent to talk with</LinkButton>
                }
              >
                Your first conversation appears here live, with every step, tool call and latency.
              </Empty>
            ) : (
              <ul className={classes.rows}>
                {[...sessions.filter(isRunning), ...sessions.filter((session) => !isRunning(session))]
                  .slice(0, SHOWN)
                  .map((session) => (
                    <SessionRow key={session.session_id} session={session} />
                  ))}
              </ul>
            )
          }
        </Fetched>
      </div>
    </Panel>
  );
}

const SessionRow = ({ session }: { session: Session }) => (
  <li>
    <span className={classes.main}>
      <RouteLink to={`/sessions/${session.session_id}`}>{session.agent_name}</RouteLink>
      <span className={classes.aside}>
        {channelWords(session)} with <bdi>{session.source}</bdi>
      </span>
    </span>
    {isRunning(session) ? (
      <Status tone="busy">running</Status>
    ) : (
      <span className={classes.aside}>{lengthOf(session)}</span>
    )}
    <span className={classes.aside}>
      <Time at={session.timestamp} distance />
    </span>
  </li>
);

/** Whether an event is a fault, judged by its type. */
const isTrouble = ({ type }: Event): boolean => /error|fail|refus|unreach|expired|disabled/i.test(type ?? "");

function Trouble() {
  const events = useQuery({
    queryKey: ["GET /api/v1/events/", "home"],
    refetchInterval: REFRESH_MS,
    queryFn: ({ signal }) => call("GET /api/v1/events/", { query: { limit: 200 }, signal }),
  });
  return (
    <Panel
      title="Recent problems"
      actions={
        <RouteLink to="/events" size="sm">
          All events
        </RouteLink>
      }
      flush
    >
      <Fetched query={events} lines={1}>
        {({ items }) => {
          const trouble = items.filter(isTrouble).slice(0, SHOWN);
          return trouble.length === 0 ? (
            <Text size="sm" c="dimmed" p="md">
              {items.length === 0
                ? "No events yet."
                : `No problems in the latest ${counted(items.length, "event")}.`}
            </Text>
          ) : (
            <ul className={classes.rows}>
              {trouble.map((event, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: events have no number of their own
                <li key={index}>
                  <span className={classes.main}>
                    <Status tone="bad">{event.type}</Status>
                    <span dir="auto">
                      <Sentence text={event.description} />
                    </span>
                    {event.session_id && (
                      <RouteLink to={`/sessions/${event.session_id}?engine=yes`}>
                        Session {event.session_id}
                      </RouteLink>
                    )}
                  </span>
                  <span className={classes.aside}>
                    <Time at={event.timestamp} distance />
                  </span>
                </li>
              ))}
            </ul>
          );
        }}
      </Fetched>
    </Panel>
  );
}

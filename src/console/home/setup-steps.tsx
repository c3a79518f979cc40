import { Text } from "@mantine/core";
import { IconCircleCheckFilled, IconCircleDashed } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { TestCarrier } from "../channels/test-carrier.tsx";
import { Fetched, Panel, RouteLink } from "../parts/parts.tsx";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import { TestKey } from "../settings/test-key.tsx";
import classes from "./home-page.module.css";

type Step = { name: string; done: boolean; text: ReactNode };

const NEEDED = ["integrations_read", "agents_read", "channels_read", "sessions_read", "users_read"];

/** The steps of a first setup, with a test for whatever is connected. Hidden from people who may do none of them. */
export function SetupSteps() {
  const may = useMay();
  const mayLook = NEEDED.every(may);
  const setup = useQuery({
    queryKey: ["setup"],
    enabled: mayLook,
    async queryFn({ signal }) {
      const one = { limit: 1, fields: [] };
      const [providers, channels, tests, real, users] = await Promise.all([
        call("GET /api/v1/llm_providers/", { signal }),
        call("GET /api/v1/channels/", { query: { limit: 20 }, signal }),
        call("GET /api/v1/sessions/", {
          query: { ...one, search_fields: ["is_test"], search_field_values: ["true"] },
          signal,
        }),
        call("GET /api/v1/sessions/", { query: one, signal }),
        call("GET /api/v1/users/", { query: one, signal }),
      ]);
      const carried = await Promise.all(
        channels.items
          .filter(({ channel_service }) => channel_service !== "webchat")
          .map(async ({ id, name }) => ({
            id,
            name,
            carrier: await call("GET /api/v1/channels/{channel_id}/carrier", {
              path: { channel_id: id },
              signal,
            }),
          })),
      );
      return {
        providers: providers.filter(({ source }) => source !== "none"),
        carried: carried.filter(({ carrier }) => carrier.name !== null && !carrier.simulated),
        sessions: tests.items.length + real.items.length,
        people: users.total_count ?? 1,
      };
    },
  });
  if (!mayLook) return null;
  return (
    <Panel title="Set up">
      <Fetched query={setup} lines={11}>
        {({ providers, carried, sessions, people }) => {
          const steps: Step[] = [
            {
              name: "Talk to an agent",
              done: sessions > 0,
              text: (
                <>
                  The <RouteLink to="/agents">demo clinic</RouteLink> answers offline, with a scripted model.
                </>
              ),
            },
            {
              name: "Connect a model",
              done: providers.length > 0,
              text:
                providers.length === 0 ? (
                  <>
                    Until <RouteLink to="/models">a key is set</RouteLink>, the scripted model answers for all
                    of them.
                  </>
                ) : (
                  providers.map(({ provider }) => <TestKey key={provider} provider={provider} />)
                ),
            },
            {
              name: "Connect a carrier",
              done: carried.length > 0,
              text:
                carried.length === 0 ? (
                  <>
                    For calls, texts and mail, under <RouteLink to="/channels">Channels</RouteLink>. Until
                    then a simulator plays the people. Web chat needs none.
                  </>
                ) : (
                  carried.map(({ id, name }) => <TestCarrier key={id} channel_id={id} name={name} />)
                ),
            },
            {
              name: "Invite somebody",
              done: people > 1,
              text: (
                <>
                  <RouteLink to="/people">People</RouteLink> each have a role, and the audit log records their
                  changes.
                </>
              ),
            },
          ];
          return <Steps steps={steps} />;
        }}
      </Fetched>
    </Panel>
  );
}

const Steps = ({ steps }: { steps: Step[] }) => (
  <ul className={classes.steps}>
    {steps.map(({ name, done, text }) => (
      <li key={name}>
        <span className={classes.sign} data-done={done}>
          {done ? (
            <IconCircleCheckFilled size={18} aria-label="Done" />
          ) : (
            <IconCircleDashed size={18} aria-label="To do" />
          )}
        </span>
        <div>
          <Text size="sm" fw={550}>
            {name}
          </Text>
          <Text size="sm" c="dimmed" component="div">
            {text}
          </Text>
        </div>
      </li>
    ))}
  </ul>
);

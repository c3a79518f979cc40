import { Button, Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { AgentVersion, AgentVersioning } from "../api-types.ts";
import { DifferenceList } from "../changes/difference-list.tsx";
import { ConfirmButton } from "../parts/confirm-button.tsx";
import { Fetched, Status } from "../parts/parts.tsx";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import { Time } from "../time/time.tsx";
import { differencesOf, PART_LABELS } from "./version-words.ts";
import { choose } from "./versioning.ts";

/** One version: who published it, when and why, what its tests said, and how it differs from the draft. */
export function VersionRow({ version, versioning }: { version: AgentVersion; versioning: AgentVersioning }) {
  const mayPublish = useMay()("agents_publish");
  const [isCompared, setCompared] = useState(false);
  const { version_number, is_live, note, published_at, published_by, gates, override_reason } = version;
  return (
    <Stack gap={4} component="section" aria-label={`Version ${version_number}`}>
      <Group justify="space-between">
        <Group gap="xs">
          <Text fw={600}>Version {version_number}</Text>
          {is_live && <Status tone="good">Live</Status>}
          <Text size="xs" c="dimmed">
            <Time at={published_at} /> by <bdi>{published_by}</bdi>
          </Text>
        </Group>
        <Group gap="xs">
          <Button
            size="compact-sm"
            variant="default"
            aria-expanded={isCompared}
            onClick={() => setCompared(!isCompared)}
          >
            Compare with the draft
          </Button>
          {mayPublish && is_live && (
            <ConfirmButton
              size="compact-sm"
              verb="Stop using versions"
              question="Let every save reach people at once?"
              act={() => choose(versioning, { published_version: null })}
              invalidates={[["agent"]]}
              done="Every save reaches people at once"
            >
              What was saved last goes live now. The versions stay in this list.
            </ConfirmButton>
          )}
          {mayPublish && !is_live && (
            <ConfirmButton
              size="compact-sm"
              verb="Take live"
              question={`Let people reach version ${version_number}?`}
              act={() => choose(versioning, { published_version: version_number })}
              invalidates={[["agent"]]}
              done={`Version ${version_number} is live`}
            >
              New sessions begin with version {version_number}. Those that run go on as they began. The draft
              stays as it is.
            </ConfirmButton>
          )}
        </Group>
      </Group>
      {note !== "" && (
        <Text size="sm" dir="auto">
          {note}
        </Text>
      )}
      {override_reason !== null && (
        <Text size="sm" dir="auto">
          <b>Published without its tests:</b> {override_reason}
        </Text>
      )}
      {gates.map(({ suite_id, says }) => (
        <Text key={suite_id} size="xs" c="dimmed">
          {says}
        </Text>
      ))}
      {isCompared && <Changes agent_id={versioning.agent_id} version_number={version_number} />}
    </Stack>
  );
}

function Changes({ agent_id, version_number }: { agent_id: number; version_number: number }) {
  const changes = useQuery({
    queryKey: ["agent", String(agent_id), "changes", version_number],
    queryFn: ({ signal }) =>
      call("GET /api/v1/agents/{agent_id}/versions/{version_number}/changes", {
        path: { agent_id, version_number },
        signal,
      }),
  });
  return (
    <Fetched query={changes}>
      {(found) => <DifferenceList entries={differencesOf(found)} labels={PART_LABELS} />}
    </Fetched>
  );
}

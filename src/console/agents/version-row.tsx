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
import { FindingsAlert } from "./version-findings.tsx";
import { differencesOf, labelsOf } from "./version-words.ts";
import { choose } from "./versioning.ts";

/** One version: who published it, when and why, what its tests said, and how it differs from the draft. */
export function VersionRow(props: {
  version: AgentVersion;
  versioning: AgentVersioning;
  /** Its findings are read at once; an older version's when it is compared. */
  isRecent: boolean;
}) {
  const { version, versioning, isRecent } = props;
  const mayPublish = useMay()("agents_publish");
  const [isCompared, setCompared] = useState(false);
  const { version_number, is_live, note, published_at, published_by, gates, override_reason, replay_gate } =
    version;
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
              question="Stop using versions?"
              act={() => choose(versioning, { published_version: null })}
              invalidates={[["agent"]]}
              done="Every save is live at once"
            >
              The draft goes live now, and so does every later save. The versions stay in this list.
            </ConfirmButton>
          )}
          {mayPublish && !is_live && (
            <ConfirmButton
              size="compact-sm"
              verb="Make live"
              question={`Make version ${version_number} live?`}
              act={() => choose(versioning, { published_version: version_number })}
              invalidates={[["agent"]]}
              done={`Version ${version_number} is live`}
            >
              New sessions use version {version_number}. Running sessions keep the version they started with.
              The draft is not changed.
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
      {replay_gate && (
        <Text size="xs" c="dimmed">
          {replay_gate.says}
        </Text>
      )}
      {(isRecent || is_live || isCompared) && (
        <VersionFindings agent_id={versioning.agent_id} version_number={version_number} />
      )}
      {isCompared && <Changes agent_id={versioning.agent_id} version_number={version_number} />}
    </Stack>
  );
}

/** What is doubtful about it today: a model may have been retired, a tool may call what it lacks. */
function VersionFindings({ agent_id, version_number }: { agent_id: number; version_number: number }) {
  const version = useQuery({
    queryKey: ["agent", String(agent_id), "version", version_number],
    queryFn: ({ signal }) =>
      call("GET /api/v1/agents/{agent_id}/versions/{version_number}", {
        path: { agent_id, version_number },
        signal,
      }),
  });
  return <FindingsAlert findings={version.data?.findings ?? []} />;
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
      {(found) => {
        const entries = differencesOf(found);
        return <DifferenceList entries={entries} labels={labelsOf(entries)} />;
      }}
    </Fetched>
  );
}

import { Button, Group, Text } from "@mantine/core";
import { IconRocket } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { AgentResponse, AgentVersioning } from "../api-types.ts";
import { Fetched, RouteLink, Status } from "../parts/parts.tsx";
import { useMay } from "../server/me.tsx";
import { Time } from "../time/time.tsx";
import { PublishWindow } from "./publish-window.tsx";
import classes from "./release-panel.module.css";
import { RunningExperiments } from "./running-experiment.tsx";
import { partNames } from "./version-words.ts";
import { versioningQuery } from "./versioning.ts";

/** What people reach, what the draft changes of it, and the way from one to the other. */
export function ReleasePanel({ agent }: { agent: AgentResponse }) {
  const may = useMay();
  const [isPublishing, setPublishing] = useState(false);
  const versioning = useQuery(versioningQuery(agent.id));
  return (
    <section className={classes.release} aria-label="Release">
      <Fetched query={versioning} lines={1}>
        {(found) => (
          <>
            <div className={classes.state}>
              <State agent={agent} versioning={found} />
            </div>
            {may("agents_publish") &&
              (found.published_version === null || found.draft.changes.length > 0) && (
                <Button
                  size="compact-sm"
                  variant={found.published_version === null ? "default" : "filled"}
                  leftSection={<IconRocket size={14} />}
                  onClick={() => setPublishing(true)}
                >
                  {found.published_version === null ? "Work with versions" : "Review and publish"}
                </Button>
              )}
          </>
        )}
      </Fetched>
      {isPublishing && <PublishWindow agent={agent} onClose={() => setPublishing(false)} />}
    </section>
  );
}

/** A version may be published and not live, or an older one was made live again. */
function draftSentence({ changes, version_number }: AgentVersioning["draft"]): string {
  if (changes.length === 0)
    return "The draft has no changes. What you save now stays a draft until you publish it.";
  if (version_number !== null)
    return `The draft is version ${version_number}, which is not live. Make it live under “All versions”.`;
  return `The draft changes ${partNames(changes)}. It goes live when you publish it.`;
}

function State({ agent, versioning }: { agent: AgentResponse; versioning: AgentVersioning }) {
  const may = useMay();
  const { published_version, published_at, published_by, draft } = versioning;
  if (published_version === null)
    return (
      <Text size="sm">
        <b>Every save is live at once.</b> With versions, changes stay a draft until you publish them.{" "}
        <RouteLink to={`/agents/${agent.id}/versions`} underline="always">
          All versions
        </RouteLink>
      </Text>
    );
  return (
    <>
      <Group gap="xs">
        <Status tone="good">Version {published_version} is live</Status>
        <Text size="xs" c="dimmed">
          published {published_at && <Time at={published_at} distance />} by <bdi>{published_by}</bdi>
        </Text>
        <Text size="sm">
          <RouteLink to={`/agents/${agent.id}/versions`}>All versions</RouteLink>
        </Text>
        {may("experiments_read") && (
          <Text size="sm">
            <RouteLink to={`/agents/${agent.id}/experiments`}>Experiments</RouteLink>
          </Text>
        )}
      </Group>
      <Text size="sm" mt={4}>
        {draftSentence(draft)}
      </Text>
      <RunningExperiments agent_id={agent.id} />
    </>
  );
}

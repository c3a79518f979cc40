import { Alert, Stack, Text, Textarea } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { AgentResponse, AgentVersioning } from "../api-types.ts";
import { DifferenceList } from "../changes/difference-list.tsx";
import { Fetched } from "../parts/parts.tsx";
import { useWindowForm, WindowForm } from "../records/window-form.tsx";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import { GateList } from "./gate-list.tsx";
import { differencesOf, PART_LABELS } from "./version-words.ts";
import { versioningQuery } from "./versioning.ts";

/** What the draft changes, what its tests say, a note, and the button that takes it to people. */
export function PublishWindow({ agent, onClose }: { agent: AgentResponse; onClose(): void }) {
  const versioning = useQuery(versioningQuery(agent.id));
  return (
    <Fetched query={versioning}>
      {(found) => <Publish agent={agent} versioning={found} onClose={onClose} />}
    </Fetched>
  );
}

function Publish(props: { agent: AgentResponse; versioning: AgentVersioning; onClose(): void }) {
  const { agent, versioning, onClose } = props;
  const client = useQueryClient();
  const mayOverride = useMay()("agents_publish_untested");
  const isFirst = versioning.published_version === null;
  const isHeldBack = versioning.gates.some(({ passes }) => !passes);
  const { form, sending } = useWindowForm({
    initial: { note: "", override_reason: "" },
    send: ({ note, override_reason }) =>
      call("POST /api/v1/agents/{agent_id}/versions", {
        path: { agent_id: agent.id },
        body: {
          note,
          fingerprint: versioning.draft.fingerprint,
          override_reason: isHeldBack && override_reason.trim() !== "" ? override_reason : null,
        },
      }),
    async onSent({ version_number }) {
      onClose();
      notifications.show({
        message: `Version ${version_number} is live`,
        color: "green",
        autoClose: 4000,
      });
      await client.invalidateQueries({ queryKey: ["agent"] });
    },
  });
  return (
    <WindowForm
      title={isFirst ? "Publish the first version" : `Publish a version of ${agent.name}`}
      size="xl"
      verb="Publish"
      sending={sending}
      onClose={onClose}
    >
      {isFirst ? (
        <Text size="sm">
          People go on reaching the agent as it is now, as version 1. What you save afterwards is a draft: you
          talk with it and test it here, and publish it when it is better.
        </Text>
      ) : (
        <Stack gap={4} component="section" aria-label="Changes">
          <Text size="sm" fw={550}>
            Changed since version {versioning.published_version}
          </Text>
          <DifferenceList entries={differencesOf(versioning.draft.changes)} labels={PART_LABELS} />
        </Stack>
      )}
      <GateList agent={agent} gates={versioning.gates} />
      <Textarea
        label="Note"
        description="What you changed, and why. It stands in the list of versions."
        autosize
        minRows={2}
        maxLength={2000}
        dir="auto"
        data-autofocus
        {...form.getInputProps("note")}
      />
      {isHeldBack && mayOverride && (
        <Textarea
          label="Reason to publish without the tests"
          description="It stands at the version and in the audit trail."
          autosize
          minRows={2}
          maxLength={2000}
          dir="auto"
          {...form.getInputProps("override_reason")}
        />
      )}
      {isHeldBack && !mayOverride && (
        <Alert color="yellow" title="The tests hold this draft back">
          Run the tests with this draft, and mend what fails. Who may publish without tests can do so with a
          reason.
        </Alert>
      )}
    </WindowForm>
  );
}

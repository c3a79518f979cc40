import { Alert, Stack, Switch, Text, Textarea } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import type { AgentResponse, AgentVersioning } from "../api-types.ts";
import { DifferenceList } from "../changes/difference-list.tsx";
import { Fetched } from "../parts/parts.tsx";
import { useWindowForm, WindowForm } from "../records/window-form.tsx";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import { GateList } from "./gate-list.tsx";
import { FindingsAlert } from "./version-findings.tsx";
import { differencesOf, labelsOf } from "./version-words.ts";
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
  const { gates, replay_gate } = versioning;
  const entries = differencesOf(versioning.draft.changes);
  const isHeldBack = [...gates, ...(replay_gate ? [replay_gate] : [])].some(({ passes }) => !passes);
  const { form, sending } = useWindowForm({
    initial: { note: "", override_reason: "", take_live: true },
    send: ({ note, override_reason, take_live }) =>
      call("POST /api/v1/agents/{agent_id}/versions", {
        path: { agent_id: agent.id },
        body: {
          note,
          fingerprint: versioning.draft.fingerprint,
          take_live,
          override_reason: isHeldBack && override_reason.trim() !== "" ? override_reason : null,
        },
      }),
    async onSent({ version_number }) {
      onClose();
      notifications.show({
        message: form.getValues().take_live
          ? `Version ${version_number} is live`
          : `Version ${version_number} is published. Version ${versioning.published_version} stays live.`,
        color: "green",
        autoClose: 4000,
      });
      await client.invalidateQueries({ queryKey: ["agent"] });
    },
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: that tests had not passed is over when they say otherwise
  useEffect(sending.forget, [isHeldBack]);
  return (
    <WindowForm
      title={isFirst ? "Work with versions" : `Publish a version of ${agent.name}`}
      size="xl"
      verb="Publish"
      sending={sending}
      onClose={onClose}
    >
      {isFirst ? (
        <Text size="sm">
          The agent as it is now becomes a version and stays live. Later changes are a draft: talk with it and
          test it here, then publish it.
        </Text>
      ) : (
        <Stack gap={4} component="section" aria-label="Changes">
          <Text size="sm" fw={550}>
            Changed since version {versioning.published_version}
          </Text>
          <DifferenceList entries={entries} labels={labelsOf(entries)} />
        </Stack>
      )}
      <FindingsAlert findings={versioning.draft.findings} />
      <GateList agent={agent} gates={gates} replay_gate={replay_gate} />
      <Textarea
        label="Note"
        description="What you changed and why. Shown in the list of versions."
        autosize
        minRows={2}
        maxLength={2000}
        data-autofocus
        {...form.getInputProps("note")}
      />
      {!isFirst && (
        <Switch
          label="Make live"
          description={`Off: version ${versioning.published_version} stays live, and an experiment can try the new one.`}
          {...form.getInputProps("take_live", { type: "checkbox" })}
        />
      )}
      {isHeldBack && mayOverride && (
        <Textarea
          label="Reason to publish without the tests"
          description="Kept with the version and in the audit log."
          autosize
          minRows={2}
          maxLength={2000}
          {...form.getInputProps("override_reason")}
        />
      )}
      {isHeldBack && !mayOverride && (
        <Alert color="yellow" title="Tests block this draft">
          Run the tests on this draft and fix what fails. People with the permission to publish without tests
          can give a reason instead.
        </Alert>
      )}
    </WindowForm>
  );
}

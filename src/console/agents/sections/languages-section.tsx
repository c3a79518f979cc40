import { Button, Group, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import type { AgentResponse, LanguageGroupResponse } from "../../api-types.ts";
import { groupFields } from "../../languages/group-fields.ts";
import { LanguageList, nextConfig } from "../../languages/language-list.tsx";
import { RecordSelect } from "../../lists/record-select.tsx";
import { useAction } from "../../parts/action.ts";
import { counted } from "../../parts/counted.ts";
import { Empty, Panel, RouteLink } from "../../parts/parts.tsx";
import { showFailure } from "../../parts/show-failure.ts";
import { useRecordForm } from "../../records/record-form.tsx";
import { RecordFormFrame } from "../../records/record-form-frame.tsx";
import { call } from "../../server/api.ts";
import { useMay } from "../../server/me.tsx";
import { changeAgent } from "../change-agent.ts";
import { freeName } from "./free-name.ts";

/** The languages an agent speaks and the voice of each: chosen from those there are, or made here. */
export function LanguagesSection({ agent }: { agent: AgentResponse }) {
  const may = useMay();
  const client = useQueryClient();
  const [isMaking, setMaking] = useState(false);
  const [made, setMade] = useState<number | null>(null);
  const group = agent.language_group ?? null;
  const mayChoose = may("agents_write");
  const mayWrite = may("language_groups_write") && (group !== null || mayChoose);
  const choosing = useAction({
    mutationFn: (language_group_id: number | null) =>
      changeAgent(client, agent.id, () => ({ language_group_id })),
    onSuccess: () => client.invalidateQueries({ queryKey: ["agent"] }),
    onError: showFailure,
  });
  if (group === null && !isMaking)
    return (
      <Panel title="Languages and voices">
        <Empty
          title="No languages"
          action={
            (mayChoose || mayWrite) && (
              <Group gap="xs" justify="center" align="flex-end">
                {mayWrite && <Button onClick={() => setMaking(true)}>Add languages</Button>}
                {mayChoose && (
                  <RecordSelect
                    operation="GET /api/v1/language_groups/"
                    label="Existing group"
                    placeholder="Choose"
                    value={null}
                    disabled={choosing.isPending}
                    onChange={(id) => choosing.mutate(id)}
                  />
                )}
              </Group>
            )
          }
        >
          The agent speaks English with the first voice there is.
        </Empty>
      </Panel>
    );
  // What was made here stays the same form, and what has the focus keeps it.
  const key = group === null || group.id === made ? "made" : group.id;
  return <LanguagesForm key={key} agent={agent} group={group} onMade={setMade} readOnly={!mayWrite} />;
}

function LanguagesForm(props: {
  agent: AgentResponse;
  group: LanguageGroupResponse | null;
  onMade(id: number): void;
  readOnly: boolean;
}) {
  const { agent, group, onMade, readOnly } = props;
  const client = useQueryClient();
  const { values, body, labels } = groupFields;
  /** Made, while the agent could not be given them yet. */
  const unused = useRef<LanguageGroupResponse | null>(null);
  const form = useRecordForm({
    record: group,
    values: (stored) => (stored ? values(stored) : { ...values(null), language_configs: [nextConfig([])] }),
    labels,
    ...(group && {
      reread: () => call("GET /api/v1/voice_groups/{voice_group_id}", { path: { voice_group_id: group.id } }),
    }),
    async save(typed, stored) {
      if (stored)
        return call("PUT /api/v1/voice_groups/", { body: { ...body(typed, stored), id: stored.id } });
      const name =
        unused.current?.name ?? (await freeName("GET /api/v1/voice_groups/", agent.name, "languages"));
      const fields = { ...body(typed, unused.current), name };
      const created = unused.current
        ? await call("PUT /api/v1/voice_groups/", { body: { ...fields, id: unused.current.id } })
        : await call("POST /api/v1/voice_groups/", { body: fields });
      unused.current = created;
      onMade(created.id);
      await changeAgent(client, agent.id, () => ({ language_group_id: created.id }));
      unused.current = null;
      return created;
    },
    invalidates: [
      ["agent"],
      ["language group"],
      ["GET /api/v1/language_groups/"],
      ["GET /api/v1/voice_groups/"],
    ],
    onSaved: () => {},
    noun: "Languages",
  });
  const others = (group?.agents_info?.length ?? 1) - 1;
  return (
    <Panel
      title="Languages and voices"
      actions={
        group && (
          <Text size="sm">
            <RouteLink to={`/languages/${group.id}`}>
              <bdi>{group.name}</bdi>
            </RouteLink>
          </Text>
        )
      }
    >
      {others > 0 && (
        <Text size="sm" mb="md" role="note">
          {counted(others, "other agent uses", "other agents use")} these languages, too: what you save
          changes all of them.
        </Text>
      )}
      <RecordFormFrame form={form} readOnly={readOnly} verb="Save languages">
        <LanguageList
          configs={form.form.getValues().language_configs}
          readOnly={readOnly}
          errorOf={(path) => form.form.errors[path]}
          onChange={(configs) => form.fields.setFieldValue("language_configs", configs)}
        />
      </RecordFormFrame>
    </Panel>
  );
}

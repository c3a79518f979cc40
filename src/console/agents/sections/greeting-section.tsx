import { Button, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import type { AgentResponse, CustomMessageResponse } from "../../api-types.ts";
import { TemplateEditor } from "../../editors/template-editor.tsx";
import { variablesOf } from "../../editors/template-variables.ts";
import { messageFields } from "../../messages/message-fields.ts";
import { counted } from "../../parts/counted.ts";
import { Findings } from "../../parts/findings.tsx";
import { Empty, Panel, RouteLink } from "../../parts/parts.tsx";
import { useRecordForm } from "../../records/record-form.tsx";
import { RecordFormFrame } from "../../records/record-form-frame.tsx";
import { call } from "../../server/api.ts";
import { useMay } from "../../server/me.tsx";
import { changeAgent } from "../change-agent.ts";
import { freeName } from "./free-name.ts";

/** What the agent says first. */
export function GreetingSection({ agent }: { agent: AgentResponse }) {
  const may = useMay();
  const [isWriting, setWriting] = useState(false);
  const [made, setMade] = useState<number | null>(null);
  const message = agent.custom_message ?? null;
  const mayWrite = may("custom_messages_write") && (message !== null || may("agents_write"));
  if (message === null && !isWriting)
    return (
      <Panel title="Greeting">
        <Empty
          title="No greeting"
          action={mayWrite && <Button onClick={() => setWriting(true)}>Write a greeting</Button>}
        >
          The agent waits until the person says something.
        </Empty>
      </Panel>
    );
  // What was made here stays the same form, and what has the focus keeps it.
  const key = message === null || message.id === made ? "made" : message.id;
  return <GreetingForm key={key} agent={agent} message={message} onMade={setMade} readOnly={!mayWrite} />;
}

function GreetingForm(props: {
  agent: AgentResponse;
  message: CustomMessageResponse | null;
  onMade(id: number): void;
  readOnly: boolean;
}) {
  const { agent, message, onMade, readOnly } = props;
  const client = useQueryClient();
  const { values, body, labels } = messageFields;
  /** Made, while the agent could not be given it yet. */
  const unused = useRef<CustomMessageResponse | null>(null);
  const form = useRecordForm({
    record: message,
    values,
    labels,
    ...(message && {
      reread: () =>
        call("GET /api/v1/custom_messages/{custom_message_id}", { path: { custom_message_id: message.id } }),
    }),
    async save(typed, stored) {
      if (stored)
        return call("PUT /api/v1/custom_messages/", { body: { ...body(typed, stored), id: stored.id } });
      const name =
        unused.current?.name ?? (await freeName("GET /api/v1/custom_messages/", agent.name, "greeting"));
      const fields = { ...body(typed, unused.current), name };
      const created = unused.current
        ? await call("PUT /api/v1/custom_messages/", { body: { ...fields, id: unused.current.id } })
        : await call("POST /api/v1/custom_messages/", { body: fields });
      unused.current = created;
      onMade(created.id);
      await changeAgent(client, agent.id, () => ({ custom_message_id: created.id }));
      unused.current = null;
      return created;
    },
    invalidates: [["agent"], ["message"], ["GET /api/v1/custom_messages/"]],
    onSaved: () => {},
    noun: "Greeting",
  });
  const rules = message?.rules.length ?? 0;
  return (
    <Panel
      title="Greeting"
      actions={
        message && (
          <Text size="sm">
            <RouteLink to={`/messages/${message.id}`}>Rules and settings</RouteLink>
          </Text>
        )
      }
    >
      {rules > 0 && (
        <Text size="sm" mb="md" role="note">
          {counted(rules, "rule replaces", "rules replace")} this text at certain times.
        </Text>
      )}
      <Findings issues={message?.validation_issues} labels={labels} />
      <RecordFormFrame form={form} readOnly={readOnly} verb="Save greeting">
        <TemplateEditor
          label="Greeting text"
          description="Type {{ to fill in a variable."
          value={form.form.getValues().text}
          onChange={(text) => form.form.setFieldValue("text", text)}
          variables={variablesOf([agent])}
          error={form.form.errors.text}
          readOnly={readOnly}
        />
      </RecordFormFrame>
    </Panel>
  );
}

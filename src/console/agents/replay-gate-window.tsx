import { NumberInput, Select } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import type { AgentVersioning, ReplayGate } from "../api-types.ts";
import { useWindowForm, WindowForm } from "../records/window-form.tsx";
import { choose } from "./versioning.ts";

type Channel = NonNullable<NonNullable<ReplayGate["filter"]>["channel"]>;
const CHANNELS: { value: Channel; label: string }[] = [
  { value: "voice", label: "Calls" },
  { value: "chat", label: "Chat" },
  { value: "sms", label: "SMS" },
  { value: "whatsapp", label: "WhatsApp" },
  { value: "email", label: "E-mail" },
];
const FIELDS = ["sessions", "filter.days", "filter.channel", "most_regression"].map(
  (name) => `replay_gate.${name}`,
);

/** Which sessions a draft is replayed with, and how much of a regression is allowed. */
export function ReplayGateWindow({ versioning, onClose }: { versioning: AgentVersioning; onClose(): void }) {
  const client = useQueryClient();
  const { form, sending } = useWindowForm({
    initial: {
      replay_gate: {
        sessions: 100 as number | string,
        filter: { days: 30 as number | string, channel: null as Channel | null },
        // In points: the API takes a share.
        most_regression: 5 as number | string,
      },
    },
    hasField: (path) => FIELDS.includes(path),
    send: ({ replay_gate: { sessions, filter, most_regression } }) =>
      choose(versioning, {
        replay_gate: {
          sessions: Number(sessions),
          filter: { days: Number(filter.days), channel: filter.channel },
          most_regression: Number(most_regression) / 100,
        },
      }),
    async onSent() {
      onClose();
      await client.invalidateQueries({ queryKey: ["agent"] });
    },
  });
  return (
    <WindowForm title="Add a replay that must pass" verb="Add" sending={sending} onClose={onClose}>
      <NumberInput
        label="Sessions"
        description="Recorded sessions that are replayed with the live version and with the draft."
        min={1}
        max={1000}
        {...form.getInputProps("replay_gate.sessions")}
      />
      <NumberInput
        label="Of the last days"
        min={1}
        max={3650}
        {...form.getInputProps("replay_gate.filter.days")}
      />
      <Select
        label="Channel"
        placeholder="All channels"
        clearable
        data={CHANNELS}
        {...form.getInputProps("replay_gate.filter.channel")}
      />
      <NumberInput
        label="Allowed regression"
        description="How many points fewer sessions may reach what they reached. 100 sessions without a difference rule out 3.7 points, 300 rule out 1.3."
        suffix=" points"
        min={0}
        max={100}
        {...form.getInputProps("replay_gate.most_regression")}
      />
    </WindowForm>
  );
}

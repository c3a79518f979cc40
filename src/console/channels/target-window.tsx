import { Autocomplete, Select, Switch, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import type {
  Channel,
  ChannelServices,
  ChannelTargetCreateRequest,
  ChannelTargetResponse,
  TargetModes,
} from "../api-types.ts";
import { RecordSelect } from "../lists/record-select.tsx";
import { showFailure } from "../parts/show-failure.ts";
import { useWindowForm, WindowForm } from "../records/window-form.tsx";
import { ApiError, call } from "../server/api.ts";
import { worded } from "../server/field-labels.ts";
import { MODE_NAMES, modesOf } from "./channel-values.ts";
import { IdentityKey } from "./identity-key.tsx";

const OFFERED = 200;
const TARGETS = ["GET /api/v1/channels/targets"];

const HINTS: Record<ChannelServices, { text: string; example: string }> = {
  twilio: { text: "A number of the account.", example: "+15125551234" },
  whatsapp: { text: "A WhatsApp sender of the account.", example: "+14155238886" },
  email: { text: "A mailbox of the channel's domain.", example: "support@clinic.example" },
  webchat: {
    text: "Names the chat page: /chat/NAME. Lower-case letters, digits, dots, hyphens.",
    example: "front-desk",
  },
  sip: { text: "A number that your telephone system routes here.", example: "+15125551234" },
  africastalking: { text: "A number of the account.", example: "+254711000000" },
};

type Props = {
  channel: Channel;
  target: ChannelTargetResponse | null;
  /** Who answers at a new address, where that is known, and an address for it. */
  offered?: {
    agent: { id: number; name: string };
    target: string;
    /** The agent has no live version, and this person may publish one. */
    beginsVersions: boolean;
  };
  onClose(): void;
};

/** Connects an agent to an address, or changes the agent, address or mode of a connection. */
export function TargetWindow({ channel, target, offered, onClose }: Props) {
  const client = useQueryClient();
  const modes = modesOf(channel);
  /** Connected, while calls from its page could not be turned on yet. */
  const made = useRef<ChannelTargetResponse>(null);
  const { form, sending } = useWindowForm<Values, ChannelTargetResponse>({
    initial: target
      ? valuesOf(target)
      : {
          agent_id: offered?.agent.id ?? null,
          target: offered?.target ?? "",
          target_mode: modes[0] as TargetModes,
          fallback_target: "",
          is_test: false,
          browser_calls: false,
          begins_versions: offered?.beginsVersions ?? false,
        },
    changed: target ? { reread: () => targetNow(target.id), values: valuesOf, labels: LABELS } : undefined,
    async send(chosen) {
      try {
        return await save(channel.id, target ?? made.current, chosen, (stored) => {
          made.current = stored;
        });
      } catch (error) {
        // If somebody else took the address, the refreshed list behind the window shows that.
        void client.invalidateQueries({ queryKey: TARGETS });
        throw error;
      }
    },
    async onSent(stored) {
      notifications.show({
        message: `${stored.target} is answered by ${stored.agent?.name ?? "the agent"}`,
        color: "green",
      });
      if (form.getValues().begins_versions && stored.agent)
        await beginVersions(stored.agent.id, stored.target);
      await Promise.all([TARGETS, ["agent"]].map((queryKey) => client.invalidateQueries({ queryKey })));
      onClose();
    },
  });
  const values = form.getValues();
  const [isKeyShown, setKeyShown] = useState(false);
  const known = useQuery({
    queryKey: ["known addresses", channel.id],
    queryFn: async ({ signal }) => {
      const query = {
        search_fields: ["channel_id" as const],
        search_field_values: [String(channel.id)],
        limit: OFFERED,
      };
      const [free, taken] = await Promise.all([
        call("GET /api/v1/channels/available-targets", { query, signal }),
        call("GET /api/v1/channels/targets", { query, signal }),
      ]);
      return [...new Set([...free.items, ...taken.items].map((address) => address.target))];
    },
  });
  const hint = HINTS[channel.channel_service];
  return (
    <WindowForm
      title={target ? `Change ${target.target}` : "Connect an agent to an address"}
      verb={target ? "Save" : "Connect"}
      sending={sending}
      showsOnce={isKeyShown}
      onClose={onClose}
    >
      <RecordSelect
        operation="GET /api/v1/agents/"
        label="Agent"
        description="Answers at this address."
        required
        value={values.agent_id}
        chosenName={[target?.agent, offered?.agent].find((agent) => agent?.id === values.agent_id)?.name}
        onChange={(id) => form.setFieldValue("agent_id", id)}
        error={form.errors.agent_id}
      />
      <Autocomplete
        label="Address"
        description={hint.text}
        placeholder={hint.example}
        required
        data={known.data ?? []}
        {...form.getInputProps("target")}
      />
      <Select
        label="Used for"
        allowDeselect={false}
        data={modes.map((mode) => ({ value: mode, label: MODE_NAMES[mode as TargetModes] ?? mode }))}
        {...form.getInputProps("target_mode")}
      />
      {values.target_mode === "voice" && (
        <TextInput
          label="Fallback number"
          description="Called when the agent can't answer."
          placeholder="nobody"
          {...form.getInputProps("fallback_target")}
        />
      )}
      <Switch
        label="Mark as test"
        description="Its sessions are left out of reports, batch results and insights."
        {...form.getInputProps("is_test", { type: "checkbox" })}
      />
      {values.target_mode === "chat" && (
        <Switch
          label="Calls from the page"
          description="The chat page and the widget get a Call button: visitors talk with the agent by voice."
          {...form.getInputProps("browser_calls", { type: "checkbox" })}
        />
      )}
      {offered?.beginsVersions && (
        <Switch
          label="Keep later changes as a draft until I publish them"
          description="The agent as it is now becomes version 1, which people reach."
          {...form.getInputProps("begins_versions", { type: "checkbox" })}
        />
      )}
      {target?.target_mode === "chat" && <IdentityKey target={target} onMade={() => setKeyShown(true)} />}
    </WindowForm>
  );
}

type Values = Omit<ChannelTargetCreateRequest, "channel_id" | "agent_id"> & {
  agent_id: number | null;
  fallback_target: string;
  browser_calls: boolean;
  begins_versions: boolean;
};

/** As the review of another person's change calls them. */
const LABELS = {
  agent_id: "Agent",
  target: "Address",
  target_mode: worded("Used for", MODE_NAMES),
  fallback_target: "Fallback number",
  is_test: "Mark as test",
  browser_calls: "Calls from the page",
};

const valuesOf = (target: ChannelTargetResponse): Values => ({
  agent_id: target.agent_id,
  target: target.target,
  target_mode: target.target_mode,
  fallback_target: target.fallback_target ?? "",
  is_test: target.is_test,
  browser_calls: target.browser_calls ?? false,
  begins_versions: false,
});

async function targetNow(id: number): Promise<ChannelTargetResponse> {
  const query = { search_fields: ["id" as const], search_field_values: [String(id)] };
  const [now] = (await call("GET /api/v1/channels/targets", { query })).items;
  if (!now)
    throw new ApiError(
      404,
      "Somebody else disconnected this address. Close the window and connect it again.",
    );
  return now;
}

/** The address is linked by now. Should this fail, every save is live at once, as the agent's page says. */
async function beginVersions(agent_id: number, target: string): Promise<void> {
  try {
    await call("POST /api/v1/agents/{agent_id}/versions", {
      path: { agent_id },
      body: { note: `First version, published for ${target}` },
    });
  } catch (error) {
    showFailure(error as Error);
  }
}

async function save(
  channel_id: number,
  target: ChannelTargetResponse | null,
  values: Values,
  onStored: (target: ChannelTargetResponse) => void,
) {
  const { agent_id, browser_calls, begins_versions: _, ...fields } = values;
  if (agent_id === null) {
    const msg = "Choose an agent";
    throw new ApiError(422, msg, [{ loc: ["body", "agent_id"], msg, type: "missing" }]);
  }
  const path = { channel_id };
  const body = {
    ...fields,
    agent_id,
    target: values.target.trim(),
    fallback_target: (values.target_mode === "voice" && values.fallback_target.trim()) || null,
    channel_id,
  };
  const stored = target
    ? await call("PUT /api/v1/channels/{channel_id}/targets/{target_id}", {
        path: { ...path, target_id: target.id },
        body: { ...body, id: target.id },
      })
    : await call("POST /api/v1/channels/{channel_id}/targets", { path, body });
  onStored(stored);
  if (values.target_mode === "chat" && browser_calls !== (stored.browser_calls ?? false)) {
    await call("PUT /api/v1/channels/{channel_id}/targets/{target_id}/browser_calls", {
      path: { ...path, target_id: stored.id },
      body: { browser_calls },
    });
  }
  return stored;
}

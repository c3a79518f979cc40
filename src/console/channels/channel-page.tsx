import { Checkbox, Group, Select, Switch, TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import type { Channel, ChannelServices } from "../api-types.ts";
import { Panel } from "../parts/parts.tsx";
import { ViewTabs } from "../parts/view-tabs.tsx";
import { RecordFormFrame } from "../records/record-form-frame.tsx";
import { type RecordFormProps, recordPageOf } from "../records/record-page.tsx";
import { ApiError, call } from "../server/api.ts";
import { labelsBelow, worded } from "../server/field-labels.ts";
import { CarrierNote, CarrierStatus } from "./carrier-note.tsx";
import {
  type ChannelValues,
  MODE_NAMES,
  modesOf,
  SERVICES,
  sentChannel,
  valuesOf,
} from "./channel-values.ts";
import { CredentialFields } from "./credential-fields.tsx";
import { DomainNote } from "./domain-note.tsx";
import { NumberList } from "./number-list.tsx";
import { TargetList } from "./target-list.tsx";
import { TELEPHONY_LABELS, TelephonyFields } from "./telephony-fields.tsx";

const LIST = "GET /api/v1/channels/";
const SERVICE_NAMES = Object.entries(SERVICES).map(([value, { name }]) => ({ value, label: name }));
/** No carrier of this program takes the rest. */
const OFFERED = SERVICE_NAMES.filter(({ value }) => value !== "africastalking");

export default recordPageOf<Channel, ChannelValues>({
  permission: "channels",
  noun: "Channel",
  queryKey: "channel",
  list: { to: "/channels", label: "Channels" },
  listed: LIST,
  newTitle: "New channel",
  title: "Channel",
  alsoInvalidates: [["carrier"]],
  together: [["channel_service", "supported_modes", "is_system_channel", "config"]],
  labels: {
    channel_service: worded("Service", SERVICE_NAMES),
    mail_service: "Send through",
    sip_carrier: "Carrier",
    supported_modes: worded("Used for", MODE_NAMES),
    is_system_channel: "Use the installation's account when this channel has none",
    config: "Settings",
    "config.telephony": "Calls",
    ...labelsBelow("config.telephony", TELEPHONY_LABELS),
    "config.account_sid": "Account SID",
    "config.auth_token": "Auth token",
    "config.email": "E-mail",
    "config.email.sending_domain": "Sending domain",
    "config.provider_credentials": "Account",
    "config.provider_credentials.allowed_origins": "Allowed sites",
  },
  hides: [
    "config.account_sid",
    "config.auth_token",
    "config.provider_credentials.api_key",
    "config.provider_credentials.password",
  ],
  values: valuesOf,
  /** The API lists channels and has no operation for one. */
  async read(id) {
    const { items } = await call(LIST, { query: { search_fields: ["id"], search_field_values: [id] } });
    const [found] = items;
    if (!found) throw new ApiError(404, `Channel ${id} not found`);
    return found;
  },
  save(values, stored) {
    const body = sentChannel(values);
    return stored
      ? call("PUT /api/v1/channels/", { body: { ...body, id: stored.id } })
      : call("POST /api/v1/channels/", { body });
  },
  About: ({ record }) => (
    <Group gap="xs">
      {SERVICES[record.channel_service].name}, channel {record.id}, carrier:
      <CarrierStatus channel={record} />
    </Group>
  ),
  Around: Views,
  Form: ChannelForm,
});

/** Of carriers whose numbers are listed and rented here. */
const listsNumbers = ({ channel_service, config }: Channel): boolean =>
  channel_service === "twilio" || (channel_service === "sip" && config?.credentials?.carrier === "telnyx");

function Views({ record: channel, children }: { record: Channel; children: ReactNode }) {
  const views = {
    addresses: "Addresses",
    ...(listsNumbers(channel) && { numbers: "Numbers" }),
    settings: "Settings",
  };
  return (
    <>
      <CarrierNote channel={channel} />
      <DomainNote channel={channel} />
      <ViewTabs label="Parts of the channel" views={views}>
        {(view) =>
          view === "settings" ? (
            children
          ) : view === "numbers" ? (
            <NumberList channel={channel} />
          ) : (
            <TargetList channel={channel} />
          )
        }
      </ViewTabs>
    </>
  );
}

function ChannelForm({ form, record: channel, frame }: RecordFormProps<Channel, ChannelValues>) {
  const values = form.getValues();
  const service = SERVICES[values.channel_service];
  const errorOf = (path: string) => form.errors[path];
  const chooseService = (chosen: ChannelServices) => {
    form.setFieldValue("channel_service", chosen);
    form.setFieldValue("supported_modes", SERVICES[chosen].modes);
  };
  const offered = [...new Set([...service.modes, ...(channel ? modesOf(channel) : [])])];
  return (
    <Panel>
      <RecordFormFrame {...frame}>
        <Group gap="md" grow align="flex-start" preventGrowOverflow={false}>
          <TextInput label="Name" required {...form.getInputProps("name")} />
          <Select
            label="Service"
            description={service.about}
            inputWrapperOrder={["label", "input", "description", "error"]}
            allowDeselect={false}
            disabled={channel !== null}
            data={channel ? SERVICE_NAMES : OFFERED}
            value={values.channel_service}
            onChange={(chosen) => chooseService(chosen as ChannelServices)}
            error={form.errors.channel_service}
          />
        </Group>
        <Checkbox.Group
          label="Used for"
          value={values.supported_modes}
          onChange={(modes) => form.setFieldValue("supported_modes", modes)}
          error={form.errors.supported_modes}
        >
          <Group gap="md" mt={6}>
            {offered.map((mode) => (
              <Checkbox key={mode} value={mode} label={MODE_NAMES[mode as keyof typeof MODE_NAMES] ?? mode} />
            ))}
          </Group>
        </Checkbox.Group>
        <CredentialFields
          values={values}
          channel={channel}
          set={(path, value) => frame.form.form.setFieldValue(path, value as never)}
          errorOf={errorOf}
        />
        {["twilio", "whatsapp", "email"].includes(values.channel_service) && (
          <Switch
            label="Use the installation's account when this channel has none"
            description="If the installation has none, the built-in simulator is used. It contacts no one."
            {...form.getInputProps("is_system_channel", { type: "checkbox" })}
          />
        )}
        {values.supported_modes.includes("voice") && (
          <TelephonyFields
            value={values.config.telephony}
            onChange={(telephony) => form.setFieldValue("config", { ...values.config, telephony })}
            errorOf={(name) => errorOf(`config.telephony.${name}`)}
            streams={values.channel_service === "twilio"}
          />
        )}
      </RecordFormFrame>
    </Panel>
  );
}

import { Checkbox, Group, Select, Switch, Tabs, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import type { Channel, ChannelServices } from "../api-types.ts";
import { Fetched, PageHead, Panel } from "../parts/parts.tsx";
import { RecordFormFrame, useRecordForm } from "../records/record-form.tsx";
import { ApiError, call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
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
import { TelephonyFields } from "./telephony-fields.tsx";

async function read(id: string): Promise<Channel> {
  const { items } = await call("GET /api/v1/channels/", {
    query: { search_fields: ["id"], search_field_values: [id] },
  });
  const [found] = items;
  if (!found) throw new ApiError(404, `Channel ${id} not found`);
  return found;
}

export default function ChannelPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const isNew = id === "new";
  const channel = useQuery({ queryKey: ["channel", id], queryFn: () => read(id), enabled: !isNew });
  return (
    <>
      <PageHead
        title={isNew ? "New channel" : (channel.data?.name ?? "Channel")}
        back={{ to: "/channels", label: "Channels" }}
        about={
          channel.data && (
            <Group gap="xs">
              {SERVICES[channel.data.channel_service].name}, channel {channel.data.id}, carried by
              <CarrierStatus channel={channel.data} />
            </Group>
          )
        }
      />
      {isNew ? (
        <ChannelForm id={id} channel={null} />
      ) : (
        <Fetched query={channel}>{(found) => <ChannelViews key={id} id={id} channel={found} />}</Fetched>
      )}
    </>
  );
}

const VIEWS = { addresses: "Addresses", numbers: "Numbers", settings: "Settings" };

function ChannelViews({ id, channel }: { id: string; channel: Channel }) {
  const navigate = useNavigate();
  const { view = "addresses" } = useSearch({ strict: false }) as { view?: string };
  const views = (["addresses", "numbers", "settings"] as const).filter(
    (each) => each !== "numbers" || channel.channel_service === "twilio",
  );
  return (
    <>
      <CarrierNote channel={channel} />
      <DomainNote channel={channel} />
      <Tabs
        value={views.some((each) => each === view) ? view : "addresses"}
        onChange={(chosen) =>
          void navigate({ to: ".", search: chosen === "addresses" ? {} : { view: chosen } })
        }
        keepMounted={false}
      >
        <Tabs.List mb="md" aria-label="Parts of the channel">
          {views.map((each) => (
            <Tabs.Tab key={each} value={each}>
              {VIEWS[each]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="addresses">
          <TargetList channel={channel} />
        </Tabs.Panel>
        <Tabs.Panel value="numbers">
          <NumberList channel={channel} />
        </Tabs.Panel>
        <Tabs.Panel value="settings">
          <ChannelForm id={id} channel={channel} />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}

/** Secrets: the review says that they change, but hides their values. */
const SECRETS = [
  "config.account_sid",
  "config.auth_token",
  "config.provider_credentials.api_key",
  "config.provider_credentials.password",
];

function ChannelForm({ id, channel }: { id: string; channel: Channel | null }) {
  const may = useMay();
  const navigate = useNavigate();
  const record = useRecordForm<Channel, ChannelValues>({
    noun: "Channel",
    together: [["channel_service", "supported_modes", "is_system_channel", "config"]],
    labels: {
      channel_service: "Service",
      supported_modes: "For",
      is_system_channel: "Use the installation's account when this channel has none",
      config: "Settings",
      "config.telephony": "Calls",
      "config.account_sid": "Account SID",
      "config.auth_token": "Auth token",
      "config.email": "E-mail",
      "config.email.sending_domain": "Sending domain",
      "config.provider_credentials": "Account",
    },
    record: channel,
    values: valuesOf,
    save(values) {
      const body = sentChannel(values);
      return channel
        ? call("PUT /api/v1/channels/", { body: { ...body, id: channel.id } })
        : call("POST /api/v1/channels/", { body });
    },
    reread: () => read(id),
    invalidates: [["channel"], ["carrier"], ["GET /api/v1/channels/"]],
    hides: SECRETS,
    onSaved: (stored) => {
      if (channel === null) void navigate({ to: `/channels/${stored.id}` });
    },
  });
  const { form } = record;
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
      <RecordFormFrame form={record} readOnly={!may("channels_write")}>
        <Group gap="md" grow align="flex-start" preventGrowOverflow={false}>
          <TextInput label="Name" required dir="auto" {...form.getInputProps("name")} />
          <Select
            label="Service"
            description={service.about}
            inputWrapperOrder={["label", "input", "description", "error"]}
            allowDeselect={false}
            disabled={channel !== null}
            data={Object.entries(SERVICES).map(([value, { name }]) => ({ value, label: name }))}
            value={values.channel_service}
            onChange={(chosen) => chooseService(chosen as ChannelServices)}
            error={form.errors.channel_service}
          />
        </Group>
        <Checkbox.Group
          label="For"
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
          set={(path, value) => form.setFieldValue(path, value as never)}
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
            onChange={(telephony) => form.setFieldValue("config.telephony", telephony)}
            errorOf={(name) => errorOf(`config.telephony.${name}`)}
            hasSip={values.channel_service === "sip"}
            streams={values.channel_service === "twilio"}
          />
        )}
      </RecordFormFrame>
    </Panel>
  );
}

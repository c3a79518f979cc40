import { Grid, Group, Select, TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import type { Channel } from "../api-types.ts";
import { PasswordField } from "../parts/password-field.tsx";
import type { ChannelValues, MailService, SipCarrier } from "./channel-values.ts";

type Props = {
  values: ChannelValues;
  /** The stored channel; null for a new one. */
  channel: Channel | null;
  set(path: string, value: unknown): void;
  errorOf(path: string): ReactNode;
};

/** A channel's carrier credentials: they can be written but are never shown again. */
export function CredentialFields(props: Props) {
  const { values } = props;
  switch (values.channel_service) {
    case "twilio":
    case "whatsapp":
      return <TwilioFields {...props} />;
    case "email":
      return <MailFields {...props} />;
    case "sip":
      return <SipFields {...props} />;
    case "webchat":
      return (
        <TextInput
          label="Allowed sites"
          description="Origins, separated by commas. Empty: only the built-in chat page."
          placeholder="https://www.clinic.example, https://clinic.example"
          value={values.config.provider_credentials.allowed_origins ?? ""}
          onChange={({ currentTarget }) =>
            props.set("config.provider_credentials.allowed_origins", currentTarget.value)
          }
          error={props.errorOf("config.provider_credentials.allowed_origins")}
        />
      );
    default:
      return null;
  }
}

function TwilioFields({ values, channel, set, errorOf }: Props) {
  const lastFour = channel?.config?.credentials?.account_sid_last_four;
  return (
    <Grid gap="md">
      <Grid.Col span={{ base: 12, sm: 6 }}>
        <TextInput
          label="Account SID"
          description={
            lastFour
              ? `Stored, ends with ${lastFour}. Type to replace it.`
              : "From Twilio's console. Empty: no account of its own."
          }
          placeholder={lastFour ? `…${lastFour}` : "AC…"}
          autoComplete="off"
          value={values.config.account_sid}
          onChange={({ currentTarget }) => set("config.account_sid", currentTarget.value)}
          error={errorOf("config.account_sid")}
        />
      </Grid.Col>
      <Grid.Col span={{ base: 12, sm: 6 }}>
        <PasswordField
          label="Auth token"
          description={
            lastFour ? "Stored and never shown. Type to replace it." : "Sealed; never shown again."
          }
          autoComplete="off"
          value={values.config.auth_token}
          onChange={({ currentTarget }) => set("config.auth_token", currentTarget.value)}
          error={errorOf("config.auth_token")}
        />
      </Grid.Col>
    </Grid>
  );
}

type Credential = { name: string; label: string; about?: string; secret?: boolean; example?: string };
const SENDGRID: Credential[] = [
  { name: "api_key", label: "API key", secret: true },
  {
    name: "base_url",
    label: "API base URL",
    about: "For regions other than the US.",
    example: "https://api.sendgrid.com",
  },
  {
    name: "event_public_key",
    label: "Event webhook key",
    about: "Base64, as shown by SendGrid. Without it, events are refused.",
  },
  {
    name: "inbound_public_key",
    label: "Inbound parse key",
    about: "Base64, as shown by SendGrid. Without it, mail is refused.",
  },
];
const SMTP: Credential[] = [
  { name: "host", label: "Mail server", example: "mx.clinic.example" },
  { name: "port", label: "Port", example: "587" },
  { name: "user", label: "User" },
  { name: "password", label: "Mailbox password", secret: true },
];

function MailFields({ values, channel, set, errorOf }: Props) {
  const path = "config.provider_credentials";
  const given = values.config.provider_credentials;
  const fields = values.mail_service === "sendgrid" ? SENDGRID : values.mail_service === "smtp" ? SMTP : [];
  const services: { value: MailService; label: string }[] = [
    ...(channel ? [{ value: "kept" as const, label: "As stored" }] : []),
    { value: "installation", label: "Installation's mail server, or the simulator" },
    { value: "sendgrid", label: "SendGrid" },
    { value: "smtp", label: "Own mail server" },
  ];
  return (
    <>
      <Group gap="md" grow align="flex-start" preventGrowOverflow={false}>
        <TextInput
          label="Sending domain"
          description="All addresses of this channel use it."
          placeholder="clinic.example"
          required
          value={values.config.email.sending_domain}
          onChange={({ currentTarget }) => set("config.email.sending_domain", currentTarget.value)}
          error={errorOf("config.email.sending_domain") ?? errorOf("config.email")}
        />
        <Select
          label="Send through"
          description="Switching removes the stored credentials of the previous one."
          allowDeselect={false}
          data={services}
          value={values.mail_service}
          onChange={(chosen) => set("mail_service", chosen)}
          error={errorOf(path)}
        />
      </Group>
      {fields.length > 0 && (
        <Grid gap="md">
          <SecretFields fields={fields} values={values} channel={channel} set={set} errorOf={errorOf} />
          {values.mail_service === "smtp" && (
            <Grid.Col span={{ base: 12, sm: 6 }}>
              <Select
                label="Encryption"
                placeholder="STARTTLS if offered"
                clearable
                clearButtonProps={{ "aria-label": "Clear the encryption" }}
                data={[
                  { value: "auto", label: "STARTTLS if offered" },
                  { value: "required", label: "STARTTLS required" },
                  { value: "implicit", label: "Implicit TLS" },
                ]}
                value={given.tls || null}
                onChange={(chosen) => set(`${path}.tls`, chosen ?? "")}
              />
            </Grid.Col>
          )}
        </Grid>
      )}
    </>
  );
}

function SecretFields({ fields, values, channel, set, errorOf }: Props & { fields: Credential[] }) {
  const path = "config.provider_credentials";
  const given = values.config.provider_credentials;
  return fields.map(({ name, label, about, secret, example }) => {
    const Field = secret ? PasswordField : TextInput;
    return (
      <Grid.Col key={name} span={{ base: 12, sm: 6 }}>
        <Field
          label={label}
          description={about}
          placeholder={example ?? (channel ? "empty: what is stored stays" : "")}
          autoComplete="off"
          value={given[name] ?? ""}
          onChange={({ currentTarget }) => set(`${path}.${name}`, currentTarget.value)}
          error={errorOf(`${path}.${name}`)}
        />
      </Grid.Col>
    );
  });
}

const SIP: Record<SipCarrier, Credential[]> = {
  kept: [],
  none: [],
  telnyx: [
    { name: "api_key", label: "API key", secret: true },
    { name: "public_key", label: "Public key", about: "Base64, under Keys & Credentials at Telnyx." },
    { name: "connection_id", label: "Application ID", about: "Of the Voice API application." },
  ],
  asterisk: [
    {
      name: "socket_password",
      label: "Socket password",
      about: "The password in websocket_client.conf, 16 characters or more.",
      secret: true,
    },
  ],
};

function SipFields(props: Props) {
  const { values, channel, set, errorOf } = props;
  const carriers: { value: SipCarrier; label: string }[] = [
    ...(channel ? [{ value: "kept" as const, label: "As stored" }] : []),
    { value: "telnyx", label: "Telnyx" },
    { value: "asterisk", label: "Asterisk" },
    { value: "none", label: "None" },
  ];
  return (
    <>
      <Select
        label="Carrier"
        description="Switching removes the stored credentials of the previous one."
        allowDeselect={false}
        data={carriers}
        value={values.sip_carrier}
        onChange={(chosen) => set("sip_carrier", chosen)}
        error={errorOf("config.provider_credentials")}
      />
      {SIP[values.sip_carrier].length > 0 && (
        <Grid gap="md">
          <SecretFields fields={SIP[values.sip_carrier]} {...props} />
        </Grid>
      )}
    </>
  );
}

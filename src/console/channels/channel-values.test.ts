import { expect, test } from "vitest";
import type { Channel } from "../api-types.ts";
import { sentChannel, valuesOf } from "./channel-values.ts";

const stored: Channel = {
  id: 3,
  name: "Mail",
  channel_service: "email",
  supported_modes: "email",
  is_system_channel: true,
  config: { telephony: null, email: { sending_domain: "clinic.example" }, credentials: null },
};

test("a channel that is saved as it was read sends no credential, so that every stored one is kept", () => {
  const { config } = sentChannel(valuesOf(stored));
  expect(config).toEqual({
    account_sid: null,
    auth_token: null,
    provider_credentials: null,
    telephony: null,
    email: { sending_domain: "clinic.example" },
  });
});

test("choosing another mail service takes away what the one before it signed in with, and nothing else", () => {
  const values = valuesOf(stored);
  values.mail_service = "smtp";
  values.config.provider_credentials.host = "mx.clinic.example";
  expect(sentChannel(values).config.provider_credentials).toEqual({
    host: "mx.clinic.example",
    api_key: "",
    base_url: "",
    event_public_key: "",
    inbound_public_key: "",
  });
  values.mail_service = "installation";
  expect(new Set(Object.values(sentChannel(values).config.provider_credentials ?? {}))).toEqual(
    new Set([""]),
  );
});

test("the sites of a web chat are no secret: they are read, edited and can be emptied", () => {
  const chat: Channel = {
    ...stored,
    channel_service: "webchat",
    config: { credentials: { allowed_origins: "https://a.example" } },
  };
  const values = valuesOf(chat);
  expect(values.config.provider_credentials.allowed_origins).toBe("https://a.example");
  values.config.provider_credentials.allowed_origins = "";
  expect(sentChannel(values).config.provider_credentials).toEqual({ allowed_origins: "" });
});

test("telephony is sent whole where anything of it is set", () => {
  const values = valuesOf({ ...stored, channel_service: "twilio" });
  values.config.telephony.pre_input_timeout = 0;
  expect(sentChannel(values).config.telephony).toMatchObject({
    pre_input_timeout: 0,
    output_padding: null,
  });
});

test("a SIP channel names its carrier, keeps what is not typed, and drops what another carrier signed in with", () => {
  const sip = { ...stored, channel_service: "sip" as const };
  const values = valuesOf(sip);
  expect(sentChannel(values).config.provider_credentials).toBeNull();
  values.sip_carrier = "telnyx";
  values.config.provider_credentials.api_key = "KEY";
  expect(sentChannel(values).config.provider_credentials).toEqual({
    carrier: "telnyx",
    api_key: "KEY",
    socket_password: "",
  });
  values.sip_carrier = "none";
  expect(new Set(Object.values(sentChannel(values).config.provider_credentials ?? {}))).toEqual(
    new Set([""]),
  );
});

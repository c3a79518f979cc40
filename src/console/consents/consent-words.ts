import type { Consent } from "../api-types.ts";

export const CONSENTS = "GET /api/v1/consents/";

export const CHANNELS: Record<Consent["channel"], string> = {
  call: "calls",
  text: "SMS and WhatsApp",
  email: "e-mail",
};
export const PURPOSES: Record<Consent["purpose"], string> = {
  marketing: "marketing",
  informational: "information",
};
export const GIVEN: Record<Consent["given_through"], string> = {
  form: "in a web form",
  paper: "on paper",
  speech: "in a call",
  text: "by text message",
  mail: "by mail",
  chat: "in a chat",
  other: "otherwise",
};
const REVOKED: Record<string, string> = {
  text: "by text message",
  mail: "by mail",
  link: "by a link",
  speech: "in a call",
  chat: "in a chat",
  carrier: "at the carrier",
  operator: "through an operator",
  import: "from a list",
  erasure: "with the erasure of the person",
};
/** "in a call", of how it was taken back. */
export const revokedHow = (through: string | null): string => REVOKED[through ?? ""] ?? "";

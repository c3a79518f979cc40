import type { Suppression } from "../api-types.ts";

export const SUPPRESSIONS = "GET /api/v1/suppressions/";

export const SCOPES: Record<Suppression["scope"], string> = {
  all: "everything",
  voice: "calls",
  sms: "text messages",
  whatsapp: "WhatsApp",
  email: "e-mail",
};
export const REASONS: Record<Suppression["reason"], string> = {
  unsubscribed: "asked to stop",
  "spam-report": "reported as spam",
  "do-not-call": "do not call",
  bounced: "mail bounced",
  dropped: "mail dropped",
};
export const THROUGH: Record<Suppression["through"], string> = {
  text: "by text message",
  mail: "by mail",
  link: "by a link",
  speech: "in a call",
  chat: "in a chat",
  carrier: "reported by the carrier",
  operator: "by an operator",
  import: "from a list",
};
export const choices = (words: Record<string, string>) =>
  Object.entries(words).map(([value, label]) => ({ value, label }));

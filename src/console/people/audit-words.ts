import type { AuditEntryResponse } from "../api-types.ts";
import { counted } from "../parts/counted.ts";
import type { Tone } from "../parts/parts.tsx";

/** Labels of actions; an action without one is shown by its own name. */
const ACTIONS: Record<string, { words: string; tone: Tone }> = {
  create: { words: "Created", tone: "good" },
  update: { words: "Changed", tone: "info" },
  delete: { words: "Deleted", tone: "bad" },
  restore: { words: "Restored", tone: "good" },
  "sign-in": { words: "Signed in", tone: "quiet" },
  "sign-out": { words: "Signed out", tone: "quiet" },
  "sign-in-failed": { words: "Sign-in failed", tone: "bad" },
  "sign-in-link": { words: "Made a sign-in link", tone: "info" },
  "set-second-factor": { words: "Set up a second factor", tone: "good" },
  "remove-second-factor": { words: "Removed a second factor", tone: "bad" },
  "add-passkey": { words: "Added a passkey", tone: "good" },
  "rename-passkey": { words: "Renamed a passkey", tone: "quiet" },
  "remove-passkey": { words: "Removed a passkey", tone: "bad" },
  "lock-passkey": { words: "Locked a passkey", tone: "bad" },
  "ask-password-reset": { words: "Asked for a password reset", tone: "quiet" },
  "change-password": { words: "Changed the password", tone: "info" },
  "end-sign-ins": { words: "Ended sign-ins", tone: "quiet" },
  "send-email": { words: "Sent the welcome mail", tone: "info" },
  test: { words: "Tested", tone: "quiet" },
  try: { words: "Tried", tone: "quiet" },
};

/** Labels of the records, in the singular: an entry is about one record. */
const RESOURCES: Record<string, string> = {
  agents: "Agent",
  api_tokens: "API token",
  batches: "Batch",
  campaigns: "Campaign",
  channels: "Channel",
  channel_targets: "Address",
  insight_tools: "Insight tool",
  insight_workflows: "Insight workflow",
  mail_domains: "E-mail domain",
  number_owners: "Number assignment",
  numbers: "Number",
  organizations: "Organization",
  prompts: "Prompt",
  roles: "Role",
  services: "Service",
  tools: "Tool",
  users: "Person",
};

export const ACTION_CHOICES = Object.fromEntries(
  Object.entries(ACTIONS).map(([action, { words }]) => [action, words]),
);

export const RESOURCE_CHOICES = Object.fromEntries(
  Object.entries(RESOURCES).toSorted(([, a], [, b]) => a.localeCompare(b)),
);

export const actionWords = (action: string): string => ACTIONS[action]?.words ?? spaced(action);
export const actionTone = (action: string): Tone => ACTIONS[action]?.tone ?? "quiet";
export const resourceWords = (resource: string): string => RESOURCES[resource] ?? spaced(resource);

/** How often it happened within the hour, where an entry counts: "12 times". */
export function timesWords({ after }: AuditEntryResponse): string | null {
  const times = (after as { times?: unknown } | null)?.times;
  return typeof times === "number" && times > 1 ? counted(times, "time") : null;
}

/** The record's name at that time, where it has one. */
export function nameOf({ before, after }: AuditEntryResponse): string {
  const record = (after ?? before ?? {}) as Record<string, unknown>;
  const name = record.name ?? record.display_name ?? record.campaign_name ?? record.email;
  return typeof name === "string" ? name : "";
}

function spaced(name: string): string {
  const text = name.replaceAll(/[-_]/g, " ");
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

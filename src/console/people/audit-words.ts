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
  publish: { words: "Published", tone: "good" },
  "choose version": { words: "Chose the live version", tone: "info" },
  "change gates": { words: "Changed required tests", tone: "info" },
  activate: { words: "Activated", tone: "good" },
  inactivate: { words: "Deactivated", tone: "info" },
  enable: { words: "Enabled", tone: "good" },
  disable: { words: "Disabled", tone: "info" },
  start: { words: "Started", tone: "good" },
  stop: { words: "Stopped", tone: "info" },
  pause: { words: "Paused", tone: "info" },
  resume: { words: "Resumed", tone: "good" },
  return: { words: "Returned to the control", tone: "bad" },
  adopt: { words: "Made a version live", tone: "good" },
  "change weights": { words: "Changed the split", tone: "info" },
  run: { words: "Ran", tone: "quiet" },
  cancel: { words: "Canceled", tone: "info" },
  upload: { words: "Uploaded people", tone: "good" },
  "add-requests": { words: "Added people", tone: "good" },
  "copy-requests": { words: "Added people of another batch", tone: "good" },
  "remove-requests": { words: "Removed people", tone: "bad" },
  confirm: { words: "Confirmed", tone: "info" },
  import: { words: "Imported", tone: "good" },
  lift: { words: "Lifted", tone: "info" },
  revoke: { words: "Withdrew", tone: "info" },
  link: { words: "Linked an address", tone: "info" },
  unlink: { words: "Unlinked an address", tone: "info" },
  read: { words: "Read", tone: "quiet" },
  open: { words: "Opened", tone: "info" },
  label: { words: "Labeled", tone: "quiet" },
  fork: { words: "Debugged a turn", tone: "quiet" },
  continue: { words: "Continued debugging", tone: "quiet" },
  "take-over": { words: "Took over", tone: "info" },
  "hand-back": { words: "Handed back", tone: "info" },
  write: { words: "Wrote to the person", tone: "info" },
  whisper: { words: "Whispered to the agent", tone: "info" },
  end: { words: "Ended", tone: "info" },
};

/** Labels of the records, in the singular: an entry is about one record. */
const RESOURCES: Record<string, string> = {
  agents: "Agent",
  alerts: "Alert",
  api_tokens: "API token",
  batches: "Batch",
  boards: "Board",
  campaigns: "Campaign",
  channels: "Channel",
  channel_targets: "Address",
  consents: "Consent",
  contacts: "Contact",
  custom_messages: "Custom message",
  data_sources: "Data source",
  experiments: "Experiment",
  incidents: "Incident",
  insight_tools: "Insight tool",
  insight_workflows: "Insight workflow",
  judges: "Judge",
  language_groups: "Languages and voices",
  mail_domains: "E-mail domain",
  "number-groups": "Number group",
  number_owners: "Number assignment",
  numbers: "Number",
  organizations: "Organization",
  outreach: "All outreach",
  prompts: "Prompt",
  replays: "Replay",
  roles: "Role",
  services: "Service",
  sessions: "Session",
  suppressions: "Suppression",
  takeouts: "Export",
  tests: "Tests",
  tools: "Tool",
  transcripts: "Transcript",
  users: "Person",
  webhooks: "Webhook",
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

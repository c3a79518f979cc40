import { z } from "zod";
import type { Api } from "../api/server.ts";
import { InvalidInput } from "../base/errors.ts";

/** A group of permissions as the console shows them. */
type PermissionGroup = { name: string; description: string; stem: string; verbs: PermissionVerb[] };
type PermissionVerb = "read" | "write" | "delete";

const DISPLAY: Record<PermissionVerb, string> = { read: "View", write: "Create and edit", delete: "Delete" };
const ALL: PermissionVerb[] = ["read", "write", "delete"];

const GROUPS: PermissionGroup[] = [
  { name: "Agents", description: "Agents and their settings", stem: "agents", verbs: ALL },
  { name: "Alerts", description: "Alert rules on figures of sessions", stem: "alerts", verbs: ALL },
  { name: "API tokens", description: "Tokens that programs use", stem: "api_token", verbs: ALL },
  {
    name: "Bridge phrases",
    description: "Phrases said while a tool is slow",
    stem: "bridge_phrases",
    verbs: ALL,
  },
  { name: "Channels", description: "Channels, numbers and targets", stem: "channels", verbs: ALL },
  { name: "Conversations", description: "Conversations", stem: "conversations", verbs: ["read"] },
  {
    name: "Custom messages",
    description: "Greetings and e-mail templates",
    stem: "custom_messages",
    verbs: ALL,
  },
  { name: "Data sources", description: "Texts that agents search", stem: "data_sources", verbs: ALL },
  { name: "Directory", description: "People and departments to transfer to", stem: "directory", verbs: ALL },
  { name: "Events", description: "The event log", stem: "events", verbs: ["read"] },
  {
    name: "Experiments",
    description: "Traffic splits between versions of agents",
    stem: "experiments",
    verbs: ALL,
  },
  { name: "Incidents", description: "Status notices", stem: "incidents", verbs: ["read"] },
  { name: "Insights", description: "Analysis of sessions", stem: "insights", verbs: ALL },
  {
    name: "Integrations",
    description: "Model providers and other connections",
    stem: "integrations",
    verbs: ALL,
  },
  { name: "Language groups", description: "Languages and voices", stem: "language_groups", verbs: ALL },
  {
    name: "Organization",
    description: "The organization itself",
    stem: "organizations",
    verbs: ALL,
  },
  { name: "Outbound", description: "Campaigns, batches and requests", stem: "outbound", verbs: ALL },
  { name: "Permissions", description: "The list of permissions", stem: "permissions", verbs: ["read"] },
  { name: "Prompts", description: "Instructions of agents", stem: "prompts", verbs: ALL },
  { name: "Pronunciations", description: "Spoken forms of words", stem: "pronunciations", verbs: ALL },
  { name: "Reports", description: "Dashboards and boards", stem: "reports", verbs: ALL },
  { name: "Roles", description: "Roles and what they allow", stem: "roles", verbs: ALL },
  { name: "Services", description: "Services that tools call", stem: "services", verbs: ALL },
  {
    name: "Session labels",
    description: "Ratings of sessions",
    stem: "session_labels",
    verbs: ["read", "write"],
  },
  { name: "Sessions", description: "Sessions, transcripts and timelines", stem: "sessions", verbs: ["read"] },
  { name: "Tests", description: "Tests of agents, and their runs", stem: "tests", verbs: ALL },
  { name: "Tools", description: "Tools that agents call", stem: "tools", verbs: ALL },
  { name: "Users", description: "People and their roles", stem: "users", verbs: ALL },
  { name: "Webhooks", description: "Subscriptions to events", stem: "webhooks", verbs: ALL },
];

/** Permissions that are no view, edit or delete of a kind of record. */
const SINGLE = [
  {
    group: "Agents",
    name: "chat",
    display_name: "Chat",
    description: "Talk with agents in test conversations",
  },
  {
    group: "Agents",
    name: "agents_publish",
    display_name: "Publish",
    description: "Publish versions of agents and choose the live one",
  },
  {
    group: "Agents",
    name: "agents_publish_untested",
    display_name: "Publish without tests",
    description: "Publish with a reason although a required test suite fails",
  },
  { group: "Tests", name: "tests_run", display_name: "Run", description: "Run tests of agents" },
  { group: "Sessions", name: "recording_download", display_name: "Download recordings", description: null },
  {
    group: "Sessions",
    name: "sessions_delete",
    display_name: "Delete sessions and people",
    description: "Delete a session, erase a person, and put sessions on legal hold",
  },
  {
    group: "Sessions",
    name: "sessions_debug",
    display_name: "Debug",
    description: "See model and tool requests, and debug conversations",
  },
  {
    group: "Sessions",
    name: "session_views_write",
    display_name: "Save views",
    description: "Save searches of sessions, for oneself or for everybody",
  },
  {
    group: "Sessions",
    name: "sessions_intervene",
    display_name: "Step in",
    description: "Take over and end running conversations, and whisper to the agent",
  },
  {
    group: "Sessions",
    name: "redacted_values_open",
    display_name: "Open redacted values",
    description: "See what was redacted in a session, where it is still kept",
  },
  { group: "Organization", name: "takeouts_create", display_name: "Export everything", description: null },
  { group: "Organization", name: "audit_read", display_name: "View the audit trail", description: null },
];

/** For those who operate the installation: held by administrators of its first organization, and whom they let. */
export const OPERATOR_PERMISSIONS = [
  "platform_admin",
  "sa_incidents_read",
  "sa_incidents_write",
  "sa_incidents_delete",
];

const ofGroup = (group: PermissionGroup) =>
  group.verbs.map((verb) => ({
    name: `${group.stem}_${verb}`,
    display_name: DISPLAY[verb],
    description: null,
  }));

const catalogue = GROUPS.map((group) => ({
  name: group.name,
  description: group.description,
  permissions: [
    ...ofGroup(group),
    ...SINGLE.filter((single) => single.group === group.name).map(
      ({ group: _, ...permission }) => permission,
    ),
  ],
}));

/** Every permission that a role of an organization may hold. */
export const PERMISSIONS: string[] = catalogue
  .flatMap((group) => group.permissions.map(({ name }) => name))
  .toSorted();

export const isPermission = (name: string): boolean =>
  PERMISSIONS.includes(name) || OPERATOR_PERMISSIONS.includes(name);

const reads = PERMISSIONS.filter((name) => name.endsWith("_read") && name !== "audit_read");
const CONFIGURATION = GROUPS.filter(
  ({ stem }) => !["users", "roles", "api_token", "organizations"].includes(stem),
);
const configurationWrites = CONFIGURATION.flatMap(ofGroup)
  .map(({ name }) => name)
  .filter((name) => !name.endsWith("_read"));

/** Refuses unknown names in a body's `permissions`, each at its own place. */
export function refuseUnknownPermissions(permissions: readonly string[]): void {
  const unknown = permissions.flatMap((permission, index) =>
    isPermission(permission)
      ? []
      : [
          {
            loc: ["body", "permissions", index],
            msg: `Unknown permission '${permission}'`,
            type: "value_error",
          },
        ],
  );
  if (unknown.length > 0) throw new InvalidInput(unknown);
}

/** The role that can do everything; every sub-organization keeps at least one person who has it. */
export const ADMIN = "Admin";

/** The roles every sub-organization starts with; they can't be changed. */
export const SYSTEM_ROLES = [
  { name: ADMIN, description: "Everything in this organization", permissions: PERMISSIONS },
  {
    name: "Editor",
    description: "Reads everything, changes all configuration",
    permissions: [
      ...reads,
      ...configurationWrites,
      "chat",
      "agents_publish",
      "recording_download",
      "sessions_debug",
      "session_views_write",
      "sessions_intervene",
      "tests_run",
    ].toSorted(),
  },
  {
    name: "Analyst",
    description: "Reads everything, labels and analyses sessions",
    permissions: [
      ...reads,
      "session_labels_write",
      "session_views_write",
      "reports_write",
      "insights_write",
      "recording_download",
    ].toSorted(),
  },
  { name: "Viewer", description: "Reads everything", permissions: reads },
];

const PermissionGroupResponse = z
  .object({
    name: z.string(),
    description: z.string(),
    permissions: z.array(
      z
        .object({ name: z.string(), display_name: z.string(), description: z.string().nullish() })
        .meta({ id: "PermissionResponse" }),
    ),
  })
  .meta({ id: "PermissionGroupResponse" });

export function permissionRoutes(api: Api): void {
  api.get(
    "/api/v1/permissions/",
    {
      summary: "List the permissions a role can hold",
      tag: "permissions",
      permission: "permissions_read",
      response: z.array(PermissionGroupResponse),
    },
    () => catalogue,
  );
}

import {
  IconBooks,
  IconBulb,
  IconFileText,
  IconFlask,
  IconFolder,
  IconMessage,
  IconPhoneOutgoing,
  IconPlugConnected,
  IconRobot,
  IconRoute,
  IconTool,
  IconUser,
  IconUsersGroup,
} from "@tabler/icons-react";
import type { ComponentType } from "react";
import type { ListOperation } from "../lists/data-table.tsx";
import { addressIn, personPath } from "../parts/person-path.ts";
import { call, type Given } from "../server/api.ts";

/** A kind of record that is found by a few letters of its name. */
export type FoundKind = {
  noun: string;
  icon: ComponentType<{ size?: number | string }>;
  permission: string;
  operation: ListOperation;
  /** The field that is searched and shown. */
  field: string;
  /** The field that the page's address has. */
  key: string;
  to: string;
};

const kind = (
  noun: string,
  icon: FoundKind["icon"],
  permission: string,
  operation: ListOperation,
  to: string,
  { field = "name", key = "id" } = {},
): FoundKind => ({ noun, icon, permission, operation, field, key, to });

const KINDS: FoundKind[] = [
  kind("Agent", IconRobot, "agents_read", "GET /api/v1/agents/", "/agents/"),
  kind("Prompt", IconFileText, "prompts_read", "GET /api/v1/prompts/", "/prompts/"),
  kind("Tool", IconTool, "tools_read", "GET /api/v1/tools/", "/tools/", { key: "name" }),
  kind("Service", IconPlugConnected, "services_read", "GET /api/v1/services/", "/services/"),
  kind("Test suite", IconFlask, "tests_read", "GET /api/v1/test_suites/", "/tests/"),
  kind("Custom message", IconMessage, "custom_messages_read", "GET /api/v1/custom_messages/", "/messages/"),
  kind("Data source", IconBooks, "data_sources_read", "GET /api/v1/data_sources/", "/sources/"),
  kind("Directory", IconUsersGroup, "directory_read", "GET /api/v1/directory_members/", "/directory/"),
  kind("Campaign", IconPhoneOutgoing, "outbound_read", "GET /api/v1/outbound/campaigns", "/campaigns/", {
    field: "campaign_name",
  }),
  kind("Batch", IconFolder, "outbound_read", "GET /api/v1/outbound/batches", "/batches/", {
    field: "batch_id",
    key: "batch_id",
  }),
  kind("Address", IconRoute, "channels_read", "GET /api/v1/channels/targets", "/channels/", {
    field: "target",
    key: "channel_id",
  }),
  kind(
    "Insight workflow",
    IconBulb,
    "insights_read",
    "GET /api/v1/insights/workflows/",
    "/insights/workflows/",
  ),
  kind("Person", IconUser, "users_read", "GET /api/v1/users/", "/people/", { field: "email" }),
];

export type FoundRecord = { kind: FoundKind; key: string; name: string };

/** Of each kind that the person may read, the first few whose name has the text. A kind that can't be asked has none. */
export async function findRecords(
  text: string,
  { may, most, signal }: { may(permission: string): boolean; most: number; signal: AbortSignal },
): Promise<FoundRecord[]> {
  const found = await Promise.all(
    KINDS.filter(({ permission }) => may(permission)).map(async (kind) => {
      const query = { search_fields: [kind.field], search_field_values: [text], limit: most };
      const given = { query, signal } as unknown as Given<ListOperation>;
      const { items } = (await call(kind.operation, given).catch(() => ({ items: [] }))) as {
        items: Record<string, unknown>[];
      };
      return items.map((item) => ({ kind, key: String(item[kind.key]), name: String(item[kind.field]) }));
    }),
  );
  return found.flat();
}

/** What a number or a mail address leads to. */
export function addressLinks(text: string): { label: string; permission: string; to: string }[] {
  const address = addressIn(text);
  if (address === null) return [];
  const value = encodeURIComponent(address);
  return [
    { label: `Person ${address}`, permission: "sessions_read", to: personPath(address) },
    { label: `Sessions with ${address}`, permission: "sessions_read", to: `/sessions?f_source=${value}` },
    { label: `Suppressions of ${address}`, permission: "outbound_read", to: `/suppressions?q=${value}` },
    { label: `Consents of ${address}`, permission: "outbound_read", to: `/consents?q=${value}` },
  ];
}

/** What can be begun from anywhere. */
export const ACTIONS: { label: string; permission: string; to: string }[] = [
  { label: "New agent", permission: "agents_write", to: "/agents/new" },
  { label: "New tool", permission: "tools_write", to: "/tools/new" },
  { label: "New campaign", permission: "outbound_write", to: "/campaigns/new" },
  { label: "New test suite", permission: "tests_write", to: "/tests/new" },
  { label: "Invite somebody", permission: "users_write", to: "/people/new" },
];

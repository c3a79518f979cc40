import {
  IconActivity,
  IconAlertCircle,
  IconBan,
  IconBooks,
  IconBuilding,
  IconBulb,
  IconChartBar,
  IconFileText,
  IconFlask,
  IconHandStop,
  IconHome,
  IconInbox,
  IconKey,
  IconLanguage,
  IconList,
  IconMessage,
  IconMessageDots,
  IconMessages,
  IconPhoneOutgoing,
  IconPlug,
  IconPlugConnected,
  IconRobot,
  IconRoute,
  IconShieldLock,
  IconTool,
  IconUserCheck,
  IconUsers,
  IconUsersGroup,
  IconVolume,
} from "@tabler/icons-react";
import type { ComponentType } from "react";
import type { MenuEntry } from "./menu-entries.tsx";

/**
 * Every page of the console: its address below /console, the permission that reading it needs, where its code is, and
 * its place in the menu. Adding a page is adding a row; its code is loaded when it is first opened.
 */
export type ConsolePage = {
  path: string;
  /** The title of the browser's tab. */
  title: string;
  /** The permission that reading the page needs; without it, the menu leaves the page out. */
  permission?: string;
  load(): Promise<{ default: ComponentType }>;
  /** The entry of the menu that it belongs to; pages of one entry stand beside each other as tabs. */
  menu?: { entry: MenuEntry; icon: ComponentType<{ size?: number | string }> };
};

export const PAGES: ConsolePage[] = [
  {
    path: "/",
    title: "Home",
    load: () => import("./home/home-page.tsx"),
    menu: { entry: "Home", icon: IconHome },
  },

  {
    path: "/agents",
    title: "Agents",
    permission: "agents_read",
    load: () => import("./agents/agents-page.tsx"),
    menu: { entry: "Agents", icon: IconRobot },
  },
  {
    path: "/agents/$id",
    title: "Agent",
    permission: "agents_read",
    load: () => import("./agents/agent-page.tsx"),
  },
  {
    path: "/agents/$id/versions",
    title: "Versions",
    permission: "agents_read",
    load: () => import("./agents/versions-page.tsx"),
  },

  {
    path: "/prompts",
    title: "Prompts",
    permission: "prompts_read",
    load: () => import("./prompts/prompts-page.tsx"),
    menu: { entry: "Agents", icon: IconFileText },
  },
  {
    path: "/prompts/$id",
    title: "Prompt",
    permission: "prompts_read",
    load: () => import("./prompts/prompt-page.tsx"),
  },

  {
    path: "/tools",
    title: "Tools",
    permission: "tools_read",
    load: () => import("./tools/tools-page.tsx"),
    menu: { entry: "Tools", icon: IconTool },
  },
  {
    path: "/tools/$id",
    title: "Tool",
    permission: "tools_read",
    load: () => import("./tools/tool-page.tsx"),
  },

  {
    path: "/tests",
    title: "Tests",
    permission: "tests_read",
    load: () => import("./tests/tests-page.tsx"),
    menu: { entry: "Tests", icon: IconFlask },
  },
  {
    path: "/tests/replays",
    title: "Replays",
    permission: "tests_read",
    load: () => import("./tests/replays-page.tsx"),
  },
  {
    path: "/tests/replays/$id",
    title: "Replay",
    permission: "tests_read",
    load: () => import("./tests/replay-page.tsx"),
  },
  {
    path: "/tests/$id",
    title: "Suite of tests",
    permission: "tests_read",
    load: () => import("./tests/suite-page.tsx"),
  },
  {
    path: "/tests/runs/$id",
    title: "Test run",
    permission: "tests_read",
    load: () => import("./tests/run-page.tsx"),
  },

  {
    path: "/services",
    title: "Services",
    permission: "services_read",
    load: () => import("./services/services-page.tsx"),
    menu: { entry: "Tools", icon: IconPlugConnected },
  },
  {
    path: "/services/$id",
    title: "Service",
    permission: "services_read",
    load: () => import("./services/service-page.tsx"),
  },

  {
    path: "/messages",
    title: "Custom messages",
    permission: "custom_messages_read",
    load: () => import("./messages/messages-page.tsx"),
    menu: { entry: "Library", icon: IconMessage },
  },
  {
    path: "/messages/$id",
    title: "Message",
    permission: "custom_messages_read",
    load: () => import("./messages/message-page.tsx"),
  },

  {
    path: "/languages",
    title: "Languages and voices",
    permission: "language_groups_read",
    load: () => import("./languages/languages-page.tsx"),
    menu: { entry: "Library", icon: IconLanguage },
  },
  {
    path: "/languages/$id",
    title: "Languages",
    permission: "language_groups_read",
    load: () => import("./languages/language-page.tsx"),
  },

  {
    path: "/sources",
    title: "Data sources",
    permission: "data_sources_read",
    load: () => import("./sources/sources-page.tsx"),
    menu: { entry: "Library", icon: IconBooks },
  },
  {
    path: "/sources/$id",
    title: "Data source",
    permission: "data_sources_read",
    load: () => import("./sources/source-page.tsx"),
  },

  {
    path: "/directory",
    title: "Directory",
    permission: "directory_read",
    load: () => import("./directory/directory-page.tsx"),
    menu: { entry: "Library", icon: IconUsersGroup },
  },
  {
    path: "/directory/$id",
    title: "Directory member",
    permission: "directory_read",
    load: () => import("./directory/member-page.tsx"),
  },
  {
    path: "/pronunciations",
    title: "Pronunciations",
    permission: "pronunciations_read",
    load: () => import("./pronunciations/pronunciations-page.tsx"),
    menu: { entry: "Library", icon: IconVolume },
  },
  {
    path: "/bridges",
    title: "Bridge phrases",
    permission: "bridge_phrases_read",
    load: () => import("./bridges/bridges-page.tsx"),
    menu: { entry: "Library", icon: IconMessageDots },
  },
  {
    path: "/bridges/$id",
    title: "Bridge phrases",
    permission: "bridge_phrases_read",
    load: () => import("./bridges/bridge-page.tsx"),
  },

  {
    path: "/sessions",
    title: "Sessions",
    permission: "sessions_read",
    load: () => import("./sessions/sessions-page.tsx"),
    menu: { entry: "Sessions", icon: IconMessages },
  },
  {
    path: "/sessions/$id",
    title: "Session",
    permission: "sessions_read",
    load: () => import("./sessions/session-page.tsx"),
  },
  {
    path: "/sessions/$id/debug",
    title: "Debug a turn",
    permission: "sessions_debug",
    load: () => import("./debugger/debug-page.tsx"),
  },
  {
    path: "/campaigns",
    title: "Campaigns",
    permission: "outbound_read",
    load: () => import("./campaigns/campaigns-page.tsx"),
    menu: { entry: "Campaigns", icon: IconPhoneOutgoing },
  },
  {
    path: "/campaigns/$id",
    title: "Campaign",
    permission: "outbound_read",
    load: () => import("./campaigns/campaign-page.tsx"),
  },
  {
    path: "/batches/$id",
    title: "Batch",
    permission: "outbound_read",
    load: () => import("./batches/batch-page.tsx"),
  },
  {
    path: "/batches/$id/requests/$reference",
    title: "Person of a batch",
    permission: "outbound_read",
    load: () => import("./batches/request-page.tsx"),
  },
  {
    path: "/webhook-deliveries/$id",
    title: "Webhook delivery",
    permission: "outbound_read",
    load: () => import("./webhooks/delivery-page.tsx"),
  },
  {
    path: "/suppressions",
    title: "Suppressions",
    permission: "outbound_read",
    load: () => import("./suppressions/suppressions-page.tsx"),
    menu: { entry: "Contacts", icon: IconBan },
  },
  {
    path: "/consents",
    title: "Consents",
    permission: "outbound_read",
    load: () => import("./consents/consents-page.tsx"),
    menu: { entry: "Contacts", icon: IconUserCheck },
  },
  {
    path: "/insights",
    title: "Insights",
    permission: "insights_read",
    load: () => import("./insights/insights-page.tsx"),
    menu: { entry: "Insights", icon: IconBulb },
  },
  {
    path: "/insights/workflows/$id",
    title: "Insight workflow",
    permission: "insights_read",
    load: () => import("./insights/workflow-page.tsx"),
  },
  {
    path: "/insights/tools/$id",
    title: "Insight tool",
    permission: "insights_read",
    load: () => import("./insights/tool-page.tsx"),
  },
  {
    path: "/insights/folders/$id",
    title: "Folder of recordings",
    permission: "insights_read",
    load: () => import("./insights/folder-page.tsx"),
  },
  {
    path: "/reports",
    title: "Reports",
    permission: "reports_read",
    load: () => import("./reports/reports-page.tsx"),
    menu: { entry: "Insights", icon: IconChartBar },
  },
  {
    path: "/export",
    title: "Export everything",
    permission: "takeouts_create",
    load: () => import("./reports/export-page.tsx"),
  },
  {
    path: "/channels",
    title: "Channels",
    permission: "channels_read",
    load: () => import("./channels/channels-page.tsx"),
    menu: { entry: "Channels", icon: IconRoute },
  },
  {
    path: "/channels/$id",
    title: "Channel",
    permission: "channels_read",
    load: () => import("./channels/channel-page.tsx"),
  },
  {
    path: "/events",
    title: "Events",
    permission: "events_read",
    load: () => import("./events/events-page.tsx"),
    menu: { entry: "Status", icon: IconActivity },
  },
  {
    path: "/incidents",
    title: "Incidents",
    permission: "incidents_read",
    load: () => import("./incidents/incidents-page.tsx"),
    menu: { entry: "Status", icon: IconAlertCircle },
  },
  {
    path: "/incidents/$id",
    title: "Incident",
    permission: "incidents_read",
    load: () => import("./incidents/incident-page.tsx"),
  },
  {
    path: "/set-aside",
    title: "Set-aside work",
    permission: "platform_admin",
    load: () => import("./set-aside/set-aside-page.tsx"),
    menu: { entry: "Status", icon: IconHandStop },
  },

  {
    path: "/organization",
    title: "Organization",
    permission: "organizations_read",
    load: () => import("./settings/organization-page.tsx"),
    menu: { entry: "Settings", icon: IconBuilding },
  },
  {
    path: "/account",
    title: "Your account",
    load: () => import("./people/account-page.tsx"),
  },
  {
    path: "/people",
    title: "People",
    permission: "users_read",
    load: () => import("./people/people-page.tsx"),
    menu: { entry: "Settings", icon: IconUsers },
  },
  {
    path: "/people/$id",
    title: "Person",
    permission: "users_read",
    load: () => import("./people/person-page.tsx"),
  },
  {
    path: "/roles",
    title: "Roles",
    permission: "roles_read",
    load: () => import("./people/roles-page.tsx"),
    menu: { entry: "Settings", icon: IconShieldLock },
  },
  {
    path: "/roles/$id",
    title: "Role",
    permission: "roles_read",
    load: () => import("./people/role-page.tsx"),
  },
  {
    path: "/api-tokens",
    title: "API tokens",
    permission: "api_token_read",
    load: () => import("./people/api-tokens-page.tsx"),
    menu: { entry: "Settings", icon: IconKey },
  },
  {
    path: "/audit-log",
    title: "Audit log",
    permission: "audit_read",
    load: () => import("./people/audit-log-page.tsx"),
    menu: { entry: "Settings", icon: IconList },
  },
  {
    path: "/models",
    title: "Model providers",
    permission: "integrations_read",
    load: () => import("./settings/models-page.tsx"),
    menu: { entry: "Settings", icon: IconPlug },
  },
  {
    path: "/webhook-inboxes",
    title: "Webhook inbox",
    permission: "outbound_read",
    load: () => import("./webhooks/webhook-inboxes-page.tsx"),
    menu: { entry: "Settings", icon: IconInbox },
  },
  {
    path: "/webhook-inboxes/$name",
    title: "Webhook inbox",
    permission: "outbound_read",
    load: () => import("./webhooks/webhook-inbox-page.tsx"),
  },
];

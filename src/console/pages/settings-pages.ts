import {
  IconBuilding,
  IconInbox,
  IconKey,
  IconList,
  IconMicrophone,
  IconPlug,
  IconShieldLock,
  IconUsers,
  IconWebhook,
} from "@tabler/icons-react";
import type { ConsolePage } from "./console-page.ts";

/** The organization, its people and keys. */
export const SETTINGS_PAGES: ConsolePage[] = [
  {
    path: "/organization",
    title: "Organization",
    permission: "organizations_read",
    load: () => import("../settings/organization-page.tsx"),
    menu: { entry: "Settings", icon: IconBuilding },
  },
  {
    path: "/account",
    title: "Your account",
    load: () => import("../people/account-page.tsx"),
  },
  {
    path: "/people",
    title: "People",
    permission: "users_read",
    load: () => import("../people/people-page.tsx"),
    menu: { entry: "Settings", icon: IconUsers },
  },
  {
    path: "/people/$id",
    title: "Person",
    permission: "users_read",
    load: () => import("../people/person-page.tsx"),
  },
  {
    path: "/roles",
    title: "Roles",
    permission: "roles_read",
    load: () => import("../people/roles-page.tsx"),
    menu: { entry: "Settings", icon: IconShieldLock },
  },
  {
    path: "/roles/$id",
    title: "Role",
    permission: "roles_read",
    load: () => import("../people/role-page.tsx"),
  },
  {
    path: "/api-tokens",
    title: "API tokens",
    permission: "api_token_read",
    load: () => import("../people/api-tokens-page.tsx"),
    menu: { entry: "Settings", icon: IconKey },
  },
  {
    path: "/audit-log",
    title: "Audit log",
    permission: "audit_read",
    load: () => import("../people/audit-log-page.tsx"),
    menu: { entry: "Settings", icon: IconList },
  },
  {
    path: "/models",
    title: "Model providers",
    permission: "integrations_read",
    load: () => import("../settings/models-page.tsx"),
    menu: { entry: "Settings", icon: IconPlug },
  },
  {
    path: "/speech-services",
    title: "Speech services",
    permission: "integrations_read",
    load: () => import("../settings/speech-page.tsx"),
    menu: { entry: "Settings", icon: IconMicrophone },
  },
  {
    path: "/webhooks",
    title: "Webhooks",
    permission: "webhooks_read",
    load: () => import("../webhooks/subscriptions-page.tsx"),
    menu: { entry: "Settings", icon: IconWebhook },
  },
  {
    path: "/webhooks/$id",
    title: "Webhook",
    permission: "webhooks_read",
    load: () => import("../webhooks/subscription-page.tsx"),
  },
  {
    path: "/webhook-inboxes",
    title: "Webhook inboxes",
    permission: "outbound_read",
    load: () => import("../webhooks/webhook-inboxes-page.tsx"),
    menu: { entry: "Settings", icon: IconInbox },
  },
  {
    path: "/webhook-inboxes/$name",
    title: "Webhook inbox",
    permission: "outbound_read",
    load: () => import("../webhooks/webhook-inbox-page.tsx"),
  },
];

import {
  IconAddressBook,
  IconBan,
  IconList,
  IconPhoneCall,
  IconPhoneOutgoing,
  IconUserCheck,
} from "@tabler/icons-react";
import type { ConsolePage } from "./console-page.ts";

/** Campaigns, and who is reached. */
export const OUTREACH_PAGES: ConsolePage[] = [
  {
    path: "/campaigns",
    title: "Campaigns",
    permission: "outbound_read",
    load: () => import("../campaigns/campaigns-page.tsx"),
    menu: { entry: "Campaigns", icon: IconPhoneOutgoing },
  },
  {
    path: "/campaigns/$id",
    title: "Campaign",
    permission: "outbound_read",
    load: () => import("../campaigns/campaign-page.tsx"),
  },
  {
    path: "/number-groups",
    title: "Number groups",
    permission: "outbound_read",
    load: () => import("../number-groups/number-groups-page.tsx"),
    menu: { entry: "Campaigns", icon: IconPhoneCall },
  },
  {
    path: "/number-groups/$id",
    title: "Number group",
    permission: "outbound_read",
    load: () => import("../number-groups/number-group-page.tsx"),
  },
  {
    path: "/batches/$id",
    title: "Batch",
    permission: "outbound_read",
    load: () => import("../batches/batch-page.tsx"),
  },
  {
    path: "/batches/$id/requests/$reference",
    title: "Person of a batch",
    permission: "outbound_read",
    load: () => import("../batches/request-page.tsx"),
  },
  {
    path: "/contacts",
    title: "Contacts",
    permission: "sessions_read",
    load: () => import("../contacts/contacts-page.tsx"),
    menu: { entry: "Contacts", icon: IconAddressBook },
  },
  {
    path: "/contacts/$address",
    title: "Person",
    permission: "sessions_read",
    load: () => import("../contacts/contact-page.tsx"),
  },
  {
    path: "/webhook-deliveries/$id",
    title: "Webhook delivery",
    permission: "outbound_read",
    load: () => import("../webhooks/delivery-page.tsx"),
  },
  {
    path: "/suppressions",
    title: "Suppressions",
    permission: "outbound_read",
    load: () => import("../suppressions/suppressions-page.tsx"),
    menu: { entry: "Contacts", icon: IconBan },
  },
  {
    path: "/consents",
    title: "Consents",
    permission: "outbound_read",
    load: () => import("../consents/consents-page.tsx"),
    menu: { entry: "Contacts", icon: IconUserCheck },
  },
  {
    path: "/do-not-call-lists",
    title: "Do-not-call lists",
    permission: "outbound_read",
    load: () => import("../do-not-call/do-not-call-page.tsx"),
    menu: { entry: "Contacts", icon: IconList },
  },
];

import { IconActivity, IconAlertCircle, IconHandStop, IconRoute } from "@tabler/icons-react";
import type { ConsolePage } from "./console-page.ts";

/** How the installation does, and how people reach it. */
export const OPERATION_PAGES: ConsolePage[] = [
  {
    path: "/channels",
    title: "Channels",
    permission: "channels_read",
    load: () => import("../channels/channels-page.tsx"),
    menu: { entry: "Channels", icon: IconRoute },
  },
  {
    path: "/channels/$id",
    title: "Channel",
    permission: "channels_read",
    load: () => import("../channels/channel-page.tsx"),
  },
  {
    path: "/events",
    title: "Events",
    permission: "events_read",
    load: () => import("../events/events-page.tsx"),
    menu: { entry: "Status", icon: IconActivity },
  },
  {
    path: "/incidents",
    title: "Incidents",
    permission: "incidents_read",
    load: () => import("../incidents/incidents-page.tsx"),
    menu: { entry: "Status", icon: IconAlertCircle },
  },
  {
    path: "/incidents/$id",
    title: "Incident",
    permission: "incidents_read",
    load: () => import("../incidents/incident-page.tsx"),
  },
  {
    path: "/set-aside",
    title: "Set-aside work",
    permission: "platform_admin",
    load: () => import("../set-aside/set-aside-page.tsx"),
    menu: { entry: "Status", icon: IconHandStop },
  },
];

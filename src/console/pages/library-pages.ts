import {
  IconBooks,
  IconLanguage,
  IconMessage,
  IconMessageDots,
  IconPlugConnected,
  IconUsersGroup,
  IconVolume,
} from "@tabler/icons-react";
import type { ConsolePage } from "./console-page.ts";

/** What agents share. */
export const LIBRARY_PAGES: ConsolePage[] = [
  {
    path: "/services",
    title: "Services",
    permission: "services_read",
    load: () => import("../services/services-page.tsx"),
    menu: { entry: "Tools", icon: IconPlugConnected },
  },
  {
    path: "/services/$id",
    title: "Service",
    permission: "services_read",
    load: () => import("../services/service-page.tsx"),
  },

  {
    path: "/messages",
    title: "Custom messages",
    permission: "custom_messages_read",
    load: () => import("../messages/messages-page.tsx"),
    menu: { entry: "Library", icon: IconMessage },
  },
  {
    path: "/messages/$id",
    title: "Message",
    permission: "custom_messages_read",
    load: () => import("../messages/message-page.tsx"),
  },

  {
    path: "/languages",
    title: "Languages and voices",
    permission: "language_groups_read",
    load: () => import("../languages/languages-page.tsx"),
    menu: { entry: "Library", icon: IconLanguage },
  },
  {
    path: "/languages/$id",
    title: "Languages",
    permission: "language_groups_read",
    load: () => import("../languages/language-page.tsx"),
  },

  {
    path: "/sources",
    title: "Data sources",
    permission: "data_sources_read",
    load: () => import("../sources/sources-page.tsx"),
    menu: { entry: "Library", icon: IconBooks },
  },
  {
    path: "/sources/$id",
    title: "Data source",
    permission: "data_sources_read",
    load: () => import("../sources/source-page.tsx"),
  },

  {
    path: "/directory",
    title: "Directory",
    permission: "directory_read",
    load: () => import("../directory/directory-page.tsx"),
    menu: { entry: "Library", icon: IconUsersGroup },
  },
  {
    path: "/directory/$id",
    title: "Directory member",
    permission: "directory_read",
    load: () => import("../directory/member-page.tsx"),
  },
  {
    path: "/pronunciations",
    title: "Pronunciations",
    permission: "pronunciations_read",
    load: () => import("../pronunciations/pronunciations-page.tsx"),
    menu: { entry: "Library", icon: IconVolume },
  },
  {
    path: "/bridges",
    title: "Bridge phrases",
    permission: "bridge_phrases_read",
    load: () => import("../bridges/bridges-page.tsx"),
    menu: { entry: "Library", icon: IconMessageDots },
  },
  {
    path: "/bridges/$id",
    title: "Bridge phrases",
    permission: "bridge_phrases_read",
    load: () => import("../bridges/bridge-page.tsx"),
  },
];

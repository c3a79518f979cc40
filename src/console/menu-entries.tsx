import {
  IconActivity,
  IconAddressBook,
  IconBooks,
  IconBulb,
  IconFlask,
  IconHome,
  IconMessages,
  IconPhoneOutgoing,
  IconRobot,
  IconRoute,
  IconSettings,
  IconTool,
} from "@tabler/icons-react";
import type { ComponentType } from "react";

type MenuIcon = ComponentType<{ size?: number | string }>;

/**
 * The entries of the menu by group: twelve, so that one glance takes them in. An entry of several pages shows them as tabs
 * above each of them, in the order of `pages.tsx`.
 */
export const MENU = [
  { group: "", entries: [["Home", IconHome]] },
  {
    group: "Build",
    entries: [
      ["Agents", IconRobot],
      ["Tools", IconTool],
      ["Library", IconBooks],
      ["Tests", IconFlask],
    ],
  },
  {
    group: "Operate",
    entries: [
      ["Sessions", IconMessages],
      ["Campaigns", IconPhoneOutgoing],
      ["Contacts", IconAddressBook],
      ["Channels", IconRoute],
      ["Insights", IconBulb],
    ],
  },
  {
    group: "Manage",
    entries: [
      ["Status", IconActivity],
      ["Settings", IconSettings],
    ],
  },
] as const satisfies { group: string; entries: (readonly [string, MenuIcon])[] }[];

export type MenuEntry = (typeof MENU)[number]["entries"][number][0];

import { IconBell, IconBulb, IconChartBar, IconLayoutDashboard } from "@tabler/icons-react";
import type { ConsolePage } from "./console-page.ts";

/** What is found in conversations. */
export const ANALYSIS_PAGES: ConsolePage[] = [
  {
    path: "/insights",
    title: "Insights",
    permission: "insights_read",
    load: () => import("../insights/insights-page.tsx"),
    menu: { entry: "Insights", icon: IconBulb },
  },
  {
    path: "/insights/workflows/$id",
    title: "Insight workflow",
    permission: "insights_read",
    load: () => import("../insights/workflow-page.tsx"),
  },
  {
    path: "/insights/tools/$id",
    title: "Insight tool",
    permission: "insights_read",
    load: () => import("../insights/tool-page.tsx"),
  },
  {
    path: "/insights/folders/$id",
    title: "Folder of recordings",
    permission: "insights_read",
    load: () => import("../insights/folder-page.tsx"),
  },
  {
    path: "/reports",
    title: "Reports",
    permission: "reports_read",
    load: () => import("../reports/reports-page.tsx"),
    menu: { entry: "Insights", icon: IconChartBar },
  },
  {
    path: "/boards",
    title: "Boards",
    permission: "reports_read",
    load: () => import("../boards/boards-page.tsx"),
    menu: { entry: "Insights", icon: IconLayoutDashboard },
  },
  {
    path: "/boards/$id",
    title: "Board",
    permission: "reports_read",
    load: () => import("../boards/board-page.tsx"),
  },
  {
    path: "/alerts",
    title: "Alerts",
    permission: "alerts_read",
    load: () => import("../alerts/alerts-page.tsx"),
    menu: { entry: "Insights", icon: IconBell },
  },
  {
    path: "/alerts/$id",
    title: "Alert",
    permission: "alerts_read",
    load: () => import("../alerts/alert-page.tsx"),
  },
  {
    path: "/export",
    title: "Export everything",
    permission: "takeouts_create",
    load: () => import("../reports/export-page.tsx"),
  },
];

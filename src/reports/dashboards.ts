import type { Db } from "../db/database.ts";
import type { Figures, Period } from "./figures.ts";
import { insights } from "./insight-figures.ts";
import { outboundCampaigns } from "./outbound-figures.ts";
import { sessionEvents, sessionSummary, sessions, sessionTransfers } from "./session-figures.ts";

/** Every dashboard there is, in the order in which they are shown. Test sessions are in none. */
export type Dashboard = {
  name: string;
  display_name: string;
  label: "dashboard" | "report";
  /** What looking at it needs beside reports_read, as the tiles of boards do. */
  permission?: string;
  read(db: Db, period: Period): Promise<Figures>;
};

export const DASHBOARDS: Dashboard[] = [
  { name: "session_summary", display_name: "Session summary", label: "dashboard", read: sessionSummary },
  { name: "session_events", display_name: "Session events", label: "dashboard", read: sessionEvents },
  { name: "session_transfers", display_name: "Transfers", label: "dashboard", read: sessionTransfers },
  { name: "sessions", display_name: "Sessions", label: "report", read: sessions },
  {
    name: "outbound_campaigns",
    display_name: "Outbound campaigns",
    label: "dashboard",
    permission: "outbound_read",
    read: outboundCampaigns,
  },
  {
    name: "insights",
    display_name: "Insights",
    label: "dashboard",
    permission: "insights_read",
    read: insights,
  },
];

export const findDashboard = (name: string): Dashboard | undefined =>
  DASHBOARDS.find((dashboard) => dashboard.name === name);

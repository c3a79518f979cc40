import { IconPhoneOutgoing } from "@tabler/icons-react";
import type { OutboundCampaignResponse } from "../api-types.ts";
import { WEEKDAYS } from "../campaign-form/opening.ts";
import { type Column, changedColumn } from "../lists/columns.tsx";
import { listPage } from "../lists/list-page.tsx";
import { OutreachStopped, StopOutreach } from "../outbound/outreach-stop.tsx";
import { Labels } from "../parts/labels.tsx";
import { RouteLink } from "../parts/parts.tsx";

const COLUMNS: Column<OutboundCampaignResponse>[] = [
  {
    field: "campaign_name",
    title: "Name",
    orderable: true,
    render: ({ id, campaign_name }) => (
      <RouteLink to={`/campaigns/${id}`}>
        <bdi>{campaign_name}</bdi>
      </RouteLink>
    ),
  },
  { field: "mode", title: "Channel", orderable: true, render: ({ mode }) => modeWords(mode) },
  { field: "source", title: "From", orderable: true },
  { field: "active_days", title: "Hours", render: (campaign) => usualHours(campaign) },
  {
    field: "hourly_rate",
    title: "Per hour",
    align: "right",
    render: ({ hourly_rate }) => hourly_rate.toLocaleString("en"),
  },
  {
    field: "max_daily_calls",
    title: "New people per day",
    align: "right",
    hidden: true,
    render: ({ max_daily_calls }) => max_daily_calls?.toLocaleString("en") ?? "no limit",
  },
  { field: "labels", title: "Labels", orderable: true, render: ({ labels }) => <Labels labels={labels} /> },
  { field: "description", title: "Description", hidden: true },
  changedColumn("updated_at"),
];

const MODES: Record<string, string> = { voice: "telephone", sms: "text message", email: "e-mail" };
const modeWords = (mode: string | null | undefined): string => MODES[mode ?? "voice"] ?? String(mode);

/** "Mon–Fri 09:00–17:00"; exceptions are left to the calendar. */
function usualHours({ active_days, daily_start_time, daily_end_time }: OutboundCampaignResponse): string {
  const days = WEEKDAYS.filter((day) => active_days.includes(day));
  const [first, last] = [days[0], days.at(-1)];
  if (!first || !last) return "only by exception";
  const isRow = WEEKDAYS.indexOf(last) - WEEKDAYS.indexOf(first) === days.length - 1;
  const named =
    isRow && days.length > 2 ? `${spelled(first)}–${spelled(last)}` : days.map(spelled).join(", ");
  if (!daily_start_time && !daily_end_time) return `${named}, all day`;
  return `${named} ${(daily_start_time ?? "00:00").slice(0, 5)}–${(daily_end_time ?? "24:00").slice(0, 5)}`;
}
const spelled = (day: string): string => day.charAt(0).toUpperCase() + day.slice(1);

export default listPage({
  title: "Campaigns",
  about: "Call, text or e-mail lists of people: schedule, pace, audience and retries.",
  Actions: StopOutreach,
  Above: OutreachStopped,
  create: { permission: "outbound_write", to: "/campaigns/new", label: "New campaign" },
  operation: "GET /api/v1/outbound/campaigns",
  columns: COLUMNS,
  search: { field: "campaign_name", label: "Search by name" },
  filters: [
    { field: "mode", label: "Channel", kind: "choice", choices: MODES },
    { field: "labels", label: "Label", kind: "text" },
    { field: "source", label: "From", kind: "text" },
  ],
  empty: {
    title: "No campaigns yet",
    icon: IconPhoneOutgoing,
    about:
      "A campaign sets when people may be contacted, from which number, how fast and how often to retry. Then add batches: one CSV file each, one row per person.",
  },
});

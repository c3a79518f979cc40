import { createStore, useStore } from "../server/store.ts";

/** The zone in which the console shows every time; hovering shows a second zone. */
const OWN_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";

export const zone = createStore<string>(OWN_ZONE, "parley.zone");
export const useZone = (): string => useStore(zone);

/** This browser's zone first, UTC, then all the others. */
export const zones = (): string[] => [...new Set([OWN_ZONE, "UTC", ...Intl.supportedValuesOf("timeZone")])];

/** The second zone: UTC, or the browser's zone for people who chose UTC. */
export const otherZone = (chosen: string): string => (chosen === "UTC" ? OWN_ZONE : "UTC");

const formats = new Map<string, Intl.DateTimeFormat>();

function format(kind: keyof typeof FORMATS, timeZone: string): Intl.DateTimeFormat {
  const name = `${kind} ${timeZone}`;
  let known = formats.get(name);
  if (!known) {
    known = new Intl.DateTimeFormat("en-GB", { ...FORMATS[kind], timeZone });
    formats.set(name, known);
  }
  return known;
}

const FORMATS = {
  full: { dateStyle: "medium", timeStyle: "medium" },
  minute: { dateStyle: "medium", timeStyle: "short" },
  clock: { timeStyle: "medium" },
  day: { dateStyle: "medium" },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;

/** "20 Nov 2026, 14:03:12"; a text that is not a time is shown unchanged. */
export function formatTime(at: string | Date, timeZone: string, kind: keyof typeof FORMATS = "full"): string {
  const date = typeof at === "string" ? new Date(at) : at;
  return Number.isNaN(date.getTime()) ? String(at) : format(kind, timeZone).format(date);
}

const STEPS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
];
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

/** "3 minutes ago", "in 2 days". */
export function formatDistance(at: string | Date, now: Date): string {
  const distance = new Date(at).getTime() - now.getTime();
  // 59.6 minutes are an hour, not 60 minutes.
  const step = STEPS.find(([, length], at) => {
    const finer_ms = STEPS[at + 1]?.[1] ?? 1;
    return Math.round(Math.abs(distance) / finer_ms) * finer_ms >= length;
  });
  return step ? relative.format(Math.round(distance / step[1]), step[0]) : "just now";
}

import { ActionIcon, Button, Group, Stack, Text, Tooltip } from "@mantine/core";
import { IconChevronLeft, IconChevronRight, IconMoon } from "@tabler/icons-react";
import { type ReactNode, useState } from "react";
import { Panel } from "../parts/parts.tsx";
import { ViewSwitch } from "../parts/view-switch.tsx";
import { clockMove_min, offset_ms } from "../time/wall-time.ts";
import { DAY_NAMES } from "./campaign-words.ts";
import {
  addDays,
  addMonths,
  capText,
  DAY_s,
  type Decider,
  hoursText,
  monthWeeks,
  type OpenDay,
  type Opening,
  openDay,
  spansOf,
  WEEKDAYS,
  type Weekday,
  weekStart,
} from "./opening.ts";
import classes from "./opening-calendar.module.css";

type Props = {
  opening: Opening;
  /** The time zone of the hours; null while no agent has the campaign's address, undefined if not known. */
  zone: string | null | undefined;
  /** Adds an exception for this date; null where nothing may be changed. */
  onChoose: ((date: string) => void) | null;
};

const DECIDED: Record<Decider, string> = {
  date: "by the exception of the date",
  weekday: "by the exception of the weekday",
  campaign: "by the campaign's hours",
};

/** Opening hours and daily limits as the dialer resolves them, by week or month. */
export function OpeningCalendar({ opening, zone, onChoose }: Props) {
  const today = todayIn(zone ?? "UTC");
  const [view, setView] = useState<"week" | "month">("week");
  const [at, setAt] = useState(today);
  const [chosen, setChosen] = useState(today);
  const isWeek = view === "week";
  const move = (steps: number) => setAt(isWeek ? addDays(at, 7 * steps) : addMonths(at, steps));
  const day = openDay(opening, chosen);
  return (
    <Panel
      title="Open hours"
      actions={
        <ViewSwitch
          label="Week or month"
          views={{ week: "Week", month: "Month" }}
          value={view}
          onChange={setView}
        />
      }
    >
      <Stack gap="sm">
        <Group justify="space-between" wrap="nowrap">
          <Text fw={600} size="sm" aria-live="polite">
            {isWeek ? weekTitle(at) : monthTitle(at)}
          </Text>
          <Group gap={4} wrap="nowrap">
            <ActionIcon
              variant="default"
              aria-label={isWeek ? "Previous week" : "Previous month"}
              onClick={() => move(-1)}
            >
              <IconChevronLeft size={16} />
            </ActionIcon>
            <Button size="compact-sm" variant="default" onClick={() => setAt(today)}>
              Today
            </Button>
            <ActionIcon
              variant="default"
              aria-label={isWeek ? "Next week" : "Next month"}
              onClick={() => move(1)}
            >
              <IconChevronRight size={16} />
            </ActionIcon>
          </Group>
        </Group>
        {isWeek ? (
          <Week opening={opening} monday={weekStart(at)} {...{ today, chosen, setChosen }} />
        ) : (
          <Month opening={opening} month={at} {...{ today, chosen, setChosen }} />
        )}
        <div className={classes.day} aria-live="polite">
          <Group justify="space-between" gap="xs">
            <b>
              {DAY_NAMES[day.weekday]}, {longDate(chosen)}
            </b>
            {onChoose && (
              <Button size="compact-xs" variant="light" onClick={() => onChoose(chosen)}>
                {chosen in (opening.outreach_override_rules?.dates ?? {})
                  ? "Edit exception"
                  : "Add exception"}
              </Button>
            )}
          </Group>
          <Reasons day={day} />
          {zone && <ClockChange zone={zone} date={chosen} />}
        </div>
        <Text size="xs" c="dimmed">
          {zone === null
            ? "No agent has the address that this campaign sends from, so no one is contacted."
            : `On the clock of ${zone ? `${zone}, ` : ""}the campaign's agent. A night that begins on one day counts towards it.`}
        </Text>
      </Stack>
    </Panel>
  );
}

type ViewProps = { opening: Opening; today: string; chosen: string; setChosen(date: string): void };

function Week({ opening, monday, today, chosen, setChosen }: ViewProps & { monday: string }) {
  const days = WEEKDAYS.map((_, index) => openDay(opening, addDays(monday, index)));
  return (
    <fieldset className={classes.week} aria-label="Open hours of the week">
      <div className={classes.scale} aria-hidden>
        {[0, 6, 12, 18, 24].map((hour) => (
          <span key={hour} style={{ insetInlineStart: `${(hour / 24) * 100}%` }}>
            {hour}
          </span>
        ))}
      </div>
      {days.map((day, index) => (
        <button
          key={day.date}
          type="button"
          className={classes.row}
          aria-pressed={day.date === chosen}
          onClick={() => setChosen(day.date)}
        >
          <DayName day={day} today={today} spoken={`, ${day.date}`}>
            {shortName(day.weekday)} {Number(day.date.slice(8))}
          </DayName>
          <span className={classes.track} aria-hidden>
            {spansOf(day, days[index - 1] ?? openDay(opening, addDays(day.date, -1))).map((span) => (
              <span
                key={span.start_s}
                className={classes.span}
                data-night={span.night}
                style={{
                  insetInlineStart: `${(span.start_s / DAY_s) * 100}%`,
                  width: `${((span.end_s - span.start_s) / DAY_s) * 100}%`,
                }}
              />
            ))}
          </span>
          <span className={classes.rowText} aria-hidden>
            {hoursText(day).replace(", into the night", "")}
            {day.window && day.cap !== null && <em>{capText(day.cap)}</em>}
          </span>
        </button>
      ))}
    </fieldset>
  );
}

function Month({ opening, month, today, chosen, setChosen }: ViewProps & { month: string }) {
  return (
    <table className={classes.month} aria-label={`Open hours of ${monthTitle(month)}`}>
      <thead>
        <tr>
          {WEEKDAYS.map((day) => (
            <th key={day} scope="col">
              <abbr title={DAY_NAMES[day]}>{shortName(day)}</abbr>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {monthWeeks(month).map((week) => (
          <tr key={week[0]}>
            {week.map((date) => {
              const day = openDay(opening, date);
              return (
                <td key={date}>
                  <button
                    type="button"
                    className={classes.cell}
                    aria-pressed={date === chosen}
                    data-open={day.window !== null}
                    data-outside={date.slice(0, 7) !== month.slice(0, 7)}
                    onClick={() => setChosen(date)}
                  >
                    <DayName day={day} today={today} spoken={` ${monthTitle(date)}`}>
                      {Number(date.slice(8))}
                    </DayName>
                    <span className={classes.cellText} aria-hidden>
                      {shortHours(day)}
                    </span>
                    {day.window && day.cap !== null && (
                      <span className={classes.cellText} aria-hidden>
                        ≤{"\u00A0"}
                        {day.cap.toLocaleString("en")}
                      </span>
                    )}
                  </button>
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A day, marked if it has an exception, with its hours for screen readers. */
function DayName(props: { day: OpenDay; today: string; spoken: string; children: ReactNode }) {
  const { day, today, spoken, children } = props;
  return (
    <>
      <span className={classes.rowName} data-today={day.date === today}>
        {children}
        {isException(day) && <sup aria-hidden>•</sup>}
      </span>
      <span className="sr-only">
        {spoken}: {summary(day)}
        {isException(day) && ", an exception"}
      </span>
    </>
  );
}

function Reasons({ day }: { day: OpenDay }) {
  const { by, window, cap } = day;
  if (window === null) {
    const why = cap === 0 && by.cap !== "campaign" && by.active === "campaign" ? by.cap : by.active;
    return <Text size="sm">Closed, {DECIDED[why]}: no first attempts, and no retries.</Text>;
  }
  const hours = by.start === by.end ? DECIDED[by.start] : `${DECIDED[by.start]}, until ${DECIDED[by.end]}`;
  return (
    <Text size="sm">
      {hoursText(day)} ({hours}); new people: {capText(cap)} ({DECIDED[by.cap]}). Retries are made as long as
      it is open.
    </Text>
  );
}

function ClockChange({ zone, date }: { zone: string; date: string }) {
  const moved_min = clockMove_min(date, zone);
  if (moved_min === 0) return null;
  return (
    <Group gap={6} wrap="nowrap">
      <Tooltip label="Daylight saving">
        <IconMoon size={14} aria-hidden />
      </Tooltip>
      <Text size="sm">
        Clocks go {moved_min > 0 ? "forward" : "back"} by {Math.abs(moved_min)} minutes: an hour that comes
        twice is open twice, one that never comes is not.
      </Text>
    </Group>
  );
}

const shortName = (day: Weekday): string | undefined => DAY_NAMES[day]?.slice(0, 3);

const isException = ({ by }: OpenDay): boolean => Object.values(by).some((decider) => decider === "date");

const summary = (day: OpenDay): string =>
  day.window === null ? "closed" : `${hoursText(day)}, new people ${capText(day.cap)}`;

/** A text short enough for a cell of the month. */
function shortHours({ window }: OpenDay): string {
  if (window === null) return "closed";
  if (window.start_s === 0 && window.end_s === DAY_s) return "all day";
  const hour = (second: number): string => {
    const minutes = Math.floor((second % 3600) / 60);
    return `${Math.floor(second / 3600)}${minutes === 0 ? "" : `:${String(minutes).padStart(2, "0")}`}`;
  };
  return `${hour(window.start_s)}–\u200B${hour(window.end_s > DAY_s ? window.end_s - DAY_s : window.end_s)}`;
}

const format = (date: string, options: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat("en-GB", { ...options, timeZone: "UTC" }).format(new Date(`${date}T00:00:00Z`));
const longDate = (date: string): string => format(date, { day: "numeric", month: "long", year: "numeric" });
const monthTitle = (date: string): string => format(date, { month: "long", year: "numeric" });
function weekTitle(date: string): string {
  const monday = weekStart(date);
  return `${format(monday, { day: "numeric", month: "short" })} – ${format(addDays(monday, 6), { day: "numeric", month: "short", year: "numeric" })}`;
}

const todayIn = (zone: string): string => {
  const now = Date.now();
  return new Date(now + offset_ms(zone, now)).toISOString().slice(0, 10);
};

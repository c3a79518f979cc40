import { Button, Group, Text } from "@mantine/core";
import { IconChevronLeft, IconChevronRight } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { CustomMessageRule, MessageCalendarResponse } from "../api-types.ts";
import { Fetched, Panel, Scroller } from "../parts/parts.tsx";
import { useSettled } from "../parts/use-settled.ts";
import { call } from "../server/api.ts";
import { toWall } from "../time/wall-time.ts";
import { zone } from "../time/zone.ts";
import classes from "./message-calendar.module.css";

const DAYS = 7;
const TYPING_ms = 400;
const DAY_ms = 86_400_000;

/** The rule that applies in each hour of a week, decided as the engine does, for the unsaved rules. */
export function MessageCalendar({ rules }: { rules: CustomMessageRule[] }) {
  const [from, setFrom] = useState(() => monday(zone.get()));
  const checked = useSettled(rules, TYPING_ms);
  const calendar = useQuery({
    queryKey: ["message calendar", checked, from],
    queryFn: ({ signal }) =>
      call("POST /api/v1/custom_messages/calendar", { body: { rules: checked, from, days: DAYS }, signal }),
    placeholderData: keepPreviousData,
    retry: false,
  });
  return (
    <Panel
      title="Schedule preview"
      actions={
        <Group gap={4}>
          <Button
            size="compact-sm"
            variant="default"
            aria-label="Previous week"
            onClick={() => setFrom(moved(from, -DAYS))}
          >
            <IconChevronLeft size={14} />
          </Button>
          <Button
            size="compact-sm"
            variant="default"
            aria-label="Next week"
            onClick={() => setFrom(moved(from, DAYS))}
          >
            <IconChevronRight size={14} />
          </Button>
        </Group>
      }
    >
      <Fetched query={calendar} lines={8}>
        {(answer) => <Week days={answer.days} rules={checked} />}
      </Fetched>
      <Text size="xs" c="dimmed" mt="xs">
        In the agent's time zone.
      </Text>
    </Panel>
  );
}

function Week({ days, rules }: { days: MessageCalendarResponse["days"]; rules: CustomMessageRule[] }) {
  return (
    <Scroller className={classes.week} label="The week, day by day">
      <table className={classes.table}>
        <thead>
          <tr>
            <th scope="col">Day</th>
            <th scope="col">
              <span className={classes.hours} aria-hidden>
                {[0, 6, 12, 18, 24].map((hour) => (
                  <span key={hour} style={{ insetInlineStart: `${(hour / 24) * 100}%` }}>
                    {String(hour).padStart(2, "0")}
                  </span>
                ))}
              </span>
              <span className="sr-only">Hours and applied rule</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {days.map(({ date, stretches }) => (
            <tr key={date}>
              <th scope="row">{dayName(date)}</th>
              <td>
                <div className={classes.day}>
                  {stretches.map(({ start, end, rule }) => {
                    const name = nameOf(rule, rules);
                    return (
                      <span
                        key={start}
                        className={classes.stretch}
                        data-rule={rule === null ? "none" : rule % 4}
                        style={{ flexGrow: minutes(end) - minutes(start), flexBasis: 0 }}
                        title={`${start}–${end} ${name}`}
                      >
                        <span className="sr-only">
                          {start} to {end}{" "}
                        </span>
                        <bdi>{name}</bdi>
                      </span>
                    );
                  })}
                </div>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroller>
  );
}

const nameOf = (rule: number | null, rules: CustomMessageRule[]): string =>
  rule === null ? "its own text" : `${rule + 1}. ${rules[rule]?.description || "no description"}`;

const minutes = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5));

const moved = (date: string, days: number): string =>
  new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY_ms).toISOString().slice(0, 10);

/** Of the week that it is in a zone. */
function monday(timeZone: string): string {
  const today = toWall(new Date().toISOString(), timeZone).slice(0, 10);
  return moved(today, -((new Date(today).getUTCDay() + 6) % 7));
}

const dayName = (date: string): string =>
  new Date(`${date}T00:00:00Z`).toLocaleDateString("en-GB", {
    weekday: "short",
    day: "numeric",
    month: "short",
    timeZone: "UTC",
  });

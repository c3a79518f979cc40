import { z } from "zod";
import { integer, isCalendarDate } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import { CustomMessageRule } from "./custom-message.ts";
import { winnersOfDay } from "./message-rules.ts";

/** Which rule of a message wins when, before anybody saves it: made by the very code that chooses when a session starts. */
const MessageCalendarRequest = z
  .object({
    rules: z.array(CustomMessageRule).max(1_000),
    from: z
      .string()
      .regex(/^(19|20)\d{2}-\d{2}-\d{2}$/, { abort: true })
      .refine(isCalendarDate, { error: "Input should be a date that exists" })
      .describe("The first day, YYYY-MM-DD."),
    days: integer({ min: 1, max: 62 }).default(7),
  })
  .meta({ id: "MessageCalendarRequest" });

const MessageCalendarResponse = z
  .object({
    days: z.array(
      z.object({
        date: z.string(),
        stretches: z.array(
          z.object({
            start: z.string().describe("hh:mm, wall-clock time of the agent"),
            end: z.string().describe("hh:mm; 24:00 at the end of the day"),
            rule: z.int().nullable().describe("Its place in `rules`, from 0; null: the message's own text"),
          }),
        ),
      }),
    ),
  })
  .meta({ id: "MessageCalendarResponse" });

export function messageCalendarRoutes(api: Api): void {
  api.post(
    "/api/v1/custom_messages/calendar",
    {
      summary: "Preview which rule of a custom message applies when",
      tag: "custom_messages",
      permission: "custom_messages_read",
      body: MessageCalendarRequest,
      response: MessageCalendarResponse,
    },
    ({ body: { rules, from, days } }) => {
      const first = Temporal.PlainDate.from(from);
      return {
        days: Array.from({ length: days }, (_, index) => {
          const day = first.add({ days: index });
          const stretches = winnersOfDay(rules, day).map(({ start, end, rule }) => ({
            start,
            end,
            rule: rule === null ? null : rules.indexOf(rule),
          }));
          return { date: day.toString(), stretches };
        }),
      };
    },
  );
}

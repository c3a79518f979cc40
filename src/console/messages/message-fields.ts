import type { DayOfWeek } from "../api-types.ts";
import { fieldsOf, optionalText } from "../records/record-fields.ts";
import { worded } from "../server/field-labels.ts";

export const DAYS: [DayOfWeek, string][] = [
  ["mo", "Mon"],
  ["tu", "Tue"],
  ["we", "Wed"],
  ["th", "Thu"],
  ["fr", "Fri"],
  ["sa", "Sat"],
  ["su", "Sun"],
];
export const MESSAGE_KINDS = [
  { value: "greeting", label: "Greeting" },
  { value: "email_template", label: "E-mail template" },
];

const fields = fieldsOf("PUT /api/v1/custom_messages/", {
  name: { initial: "" },
  type: { initial: "greeting", label: "Kind" },
  preamble: optionalText(),
  text: { initial: "" },
  subject: optionalText(),
  label: optionalText(),
  repeat_after_language_change: { initial: false, label: "Repeat after a language change" },
  rules: { initial: [] },
});

/** What of a message is edited. */
export const messageFields = {
  ...fields,
  labels: {
    ...fields.labels,
    type: worded("Kind", MESSAGE_KINDS),
    "rules.*.description": "Rule name",
    "rules.*.date": "On the date",
    "rules.*.time_range_start": "From",
    "rules.*.time_range_end": "To",
    "rules.*.days_of_week": worded("Days", Object.fromEntries(DAYS)),
    "rules.*.invert": worded("Invert", { true: "outside these hours", false: "" }),
    "rules.*.text": "Text",
  },
};

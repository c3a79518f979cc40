import { fieldsOf, optionalText } from "../records/record-fields.ts";

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
    "rules.*.description": "Rule name",
    "rules.*.date": "On the date",
    "rules.*.time_range_start": "From",
    "rules.*.time_range_end": "To",
    "rules.*.days_of_week": "Days",
  },
};

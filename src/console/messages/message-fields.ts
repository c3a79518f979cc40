import { fieldsOf, optionalText } from "../records/record-fields.ts";

/** What of a message is edited. */
export const messageFields = fieldsOf("PUT /api/v1/custom_messages/", {
  name: { initial: "" },
  type: { initial: "greeting", label: "Kind" },
  preamble: optionalText(),
  text: { initial: "" },
  subject: optionalText(),
  label: optionalText(),
  repeat_after_language_change: { initial: false, label: "Repeat after a language change" },
  rules: { initial: [] },
});

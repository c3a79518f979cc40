import { fieldsOf, optionalText, VERSION_NOTE } from "../records/record-fields.ts";

/** What of a group of languages is edited. */
export const groupFields = fieldsOf("PUT /api/v1/voice_groups/", {
  name: { initial: "" },
  description: optionalText(),
  language_configs: { initial: [], label: "Languages" },
  skip_current_language_in_message: { initial: true, label: "Hide the current language in the menu" },
  edit_comments: VERSION_NOTE,
});

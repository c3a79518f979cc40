import { fieldsOf, optionalText, VERSION_NOTE } from "../records/record-fields.ts";

const fields = fieldsOf("PUT /api/v1/voice_groups/", {
  name: { initial: "" },
  description: optionalText(),
  language_configs: { initial: [], label: "Languages" },
  skip_current_language_in_message: { initial: true, label: "Hide the current language in the menu" },
  edit_comments: VERSION_NOTE,
});

/** What of a group of languages is edited. */
export const groupFields = {
  ...fields,
  labels: {
    ...fields.labels,
    "language_configs.*.language_code": "Language",
    "language_configs.*.voice_provider": "Provider",
    "language_configs.*.voice_display_name": "Voice",
    "language_configs.*.voice_speed": "Speed",
    "language_configs.*.voice_pitch": "Pitch",
    "language_configs.*.dtmf_code": "Key",
  },
};

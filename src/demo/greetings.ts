export const CLINIC_GREETING = {
  name: "Demo clinic greeting",
  text: "Hello, this is the Demo Clinic. I can book you a check-up, a cleaning or a vaccination. What do you need?",
  rules: [],
};

/** By the clock of the agent's zone: the first rule that holds gives the text. */
export const REMINDER_GREETING = {
  name: "Demo reminder greeting",
  text: "Hello {{ vars.name }}, this is the Demo Clinic about your visit {{ vars.visit_date }}. Can you come to your visit?",
  rules: [
    {
      description: "Evenings",
      time_range_start: "17:00",
      time_range_end: "22:00",
      date: null,
      days_of_week: null,
      invert: false,
      text: "Good evening {{ vars.name }}, this is the Demo Clinic about your visit {{ vars.visit_date }}. Can you come to your visit?",
    },
  ],
};

/** What a caller may choose by key, each with the voice that speaks it. */
export const LANGUAGES = {
  name: "English and Spanish",
  description: "The first is spoken until another is chosen",
  language_configs: [
    { language_code: "en-US", voice_provider: "OpenAI", voice_display_name: "Nova", dtmf_code: 1 },
    { language_code: "es-US", voice_provider: "OpenAI", voice_display_name: "Coral", dtmf_code: 2 },
  ],
};

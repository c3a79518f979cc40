import type { Elsewhere, ElsewhereTable, FieldPath } from "./report.ts";

/*
 * Settings that an agent has on another platform and not here: where Parley has them, or what it does instead. The names
 * are those of the platforms' API references (Vapi: the assistant; Retell: the agent and its LLM; ElevenLabs: the agent),
 * read in November 2026.
 */

export const UPLOAD_DOCUMENTS =
  "Upload them as data sources, and add data_source_search to the prompt (docs/knowledge.md).";

const WHERE = {
  identity: "Parley numbers and dates its records itself.",
  analysis: "Insights analyse conversations here: set one up (docs/insights.md).",
  rating: "Judges and insights rate conversations here (docs/judges.md, docs/insights.md).",
  events:
    "The organization's webhooks tell when a session ends, and a campaign's what happened to its calls (docs/webhooks.md).",
  silence:
    "The channel's pre_input_timeout says when the agent checks in on a silence; the third in a row ends the call (docs/voice.md).",
  length: "A call lasts an hour at most.",
  turns:
    "What callers say decides when their turn is over; the channel's post_speech_input_timeout gives them longer (docs/voice.md).",
  interruptions: "The channel's interruptibility says what stops the agent (docs/voice.md).",
  keys: "The channel's post_dtmf_input_timeout says how long another key is waited for (docs/voice.md).",
  voicemail: "A campaign's voicemail_detection decides how a call begins that is picked up (docs/voice.md).",
  background: "There is no sound behind the words; an agent's wait_sound fills a wait (docs/voice.md).",
  fillers: "Bridge phrases fill a wait (docs/voice.md).",
  pronunciations: "Enter these words under Pronunciations.",
  recording: "Calls are recorded; retention says for how long they are kept (docs/privacy.md).",
  privacy: "Redaction and retention are set for the organization or for one agent (docs/privacy.md).",
  voices: "When a service fails, the next of VOICE_HEARING or VOICE_SPEAKING takes over (docs/voice.md).",
  models: "The setting LLM_FALLBACK names the model of a second try (docs/models.md).",
  knowledge: `The file has no documents. ${UPLOAD_DOCUMENTS}`,
  goodbye: "Say in the prompt after which words the agent ends the call, and offer it the tool hangup.",
  watching: "People watch and take over conversations in the console (docs/operations.md).",
  telemetry: "Traces go to any collector of OpenTelemetry (docs/opentelemetry.md).",
  page: "A chat page and its widget are set up as a channel (docs/web-chat.md).",
  numbers: "Link the agent to a number as a target of a channel (docs/channels.md).",
  limits: "An agent and a campaign may have a limit of calls at once (docs/campaigns.md).",
} as const;
type Topic = keyof typeof WHERE;

const VAPI: Partial<Record<Topic, string>> = {
  identity: "id orgId createdAt updatedAt",
  analysis: "analysisPlan",
  events: "server serverUrl serverUrlSecret serverMessages hooks",
  silence: "silenceTimeoutSeconds messagePlan",
  length: "maxDurationSeconds",
  turns: "startSpeakingPlan",
  interruptions: "stopSpeakingPlan firstMessageInterruptionsEnabled",
  keys: "keypadInputPlan",
  voicemail: "voicemailDetection",
  background: "backgroundSound",
  recording: "artifactPlan recordingEnabled",
  privacy: "compliancePlan hipaaEnabled",
  voices: "voice.fallbackPlan transcriber.fallbackPlan",
  models: "model.fallbackModels",
  knowledge: "model.knowledgeBase model.knowledgeBaseId",
  goodbye: "endCallPhrases",
  watching: "monitorPlan",
  telemetry: "observabilityPlan",
};

/** Of the agent and of its LLM, wherever the file has them. */
const RETELL: Partial<Record<Topic, string>> = {
  identity: "agent_id llm_id version version_title is_published last_modification_timestamp response_engine",
  analysis:
    "post_call_analysis_data post_call_analysis_model analysis_summary_prompt analysis_successful_prompt",
  events: "webhook_url webhook_events webhook_timeout_ms",
  silence: "end_call_after_silence_ms reminder_trigger_ms reminder_max_count",
  length: "max_call_duration_ms",
  turns: "responsiveness",
  interruptions: "interruption_sensitivity",
  keys: "user_dtmf_options",
  voicemail: "voicemail_option voicemail_message enable_voicemail_detection voicemail_detection_timeout_ms",
  background: "ambient_sound ambient_sound_volume",
  pronunciations: "pronunciation_dictionary",
  recording: "opt_in_signed_url signed_url_expiration_ms",
  privacy: "data_storage_setting opt_out_sensitive_data_storage pii_config",
  voices: "fallback_voice_ids",
};

const CONFIG = "conversation_config";
const ELEVENLABS: Partial<Record<Topic, string>> = {
  identity: "agent_id version_id branch_id metadata access_info",
  analysis: "platform_settings.data_collection platform_settings.summary_language",
  rating: "platform_settings.evaluation",
  events: "platform_settings.workspace_overrides.webhooks",
  silence: `${CONFIG}.turn.turn_timeout ${CONFIG}.turn.silence_end_call_timeout`,
  length: `${CONFIG}.conversation.max_duration_seconds`,
  turns: `${CONFIG}.turn.mode ${CONFIG}.turn.turn_eagerness ${CONFIG}.turn.spelling_patience ${CONFIG}.turn.speculative_turn`,
  interruptions: `${CONFIG}.agent.disable_first_message_interruptions ${CONFIG}.turn.interruption_ignore_terms`,
  fillers: `${CONFIG}.turn.soft_timeout_config`,
  pronunciations: `${CONFIG}.tts.pronunciation_dictionary_locators`,
  privacy: "platform_settings.privacy",
  models: `${CONFIG}.agent.prompt.backup_llm_config`,
  knowledge: `${CONFIG}.agent.prompt.rag`,
  watching: `${CONFIG}.conversation.monitoring_enabled`,
  page: "platform_settings.widget platform_settings.auth",
  numbers: "phone_numbers whatsapp_accounts",
  limits: "platform_settings.call_limits",
};

function tableOf(topics: Partial<Record<Topic, string>>, keyOf: (path: FieldPath) => string): ElsewhereTable {
  const known = new Map<string, Elsewhere>();
  const on = new Set<string>();
  for (const [topic, fields] of Object.entries(topics))
    for (const field of fields.split(" ")) {
      // An id of the other platform is nothing that anybody loses.
      known.set(field, {
        fate: topic === "identity" ? "mapped" : "no equivalent",
        sentence: WHERE[topic as Topic],
      });
      const parts = field.split(".");
      for (let length = 1; length < parts.length; length++) on.add(parts.slice(0, length).join("."));
    }
  return { of: (path) => known.get(keyOf(path)), leadsOn: (path) => on.has(keyOf(path)) };
}

const dotted = (path: FieldPath): string => path.join(".");
const RETELL_PARTS: ReadonlySet<unknown> = new Set(["agent", "llm", "retellLlmData"]);

export const vapiElsewhere = tableOf(VAPI, dotted);
export const retellElsewhere = tableOf(RETELL, (path) =>
  dotted(path.length > 1 && RETELL_PARTS.has(path[0]) ? path.slice(1) : path),
);
export const elevenLabsElsewhere = tableOf(ELEVENLABS, dotted);

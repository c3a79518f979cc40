/** What calling an operation does, as MCP tells a client before it asks its person for consent. */
export type Effect = "reads" | "adds" | "replaces" | "removes" | "runs";

/**
 * The operations that are offered as MCP tools, under their operation ids. A model chooses badly among three hundred tools,
 * so these are the ones that building, testing, publishing and debugging an agent needs. `runs`: it talks with models or
 * services outside.
 */
export const OFFERED_OPERATIONS: Record<string, Effect> = {
  list_agents: "reads",
  get_agent: "reads",
  create_agent: "adds",
  update_agent: "replaces",
  delete_agent: "removes",
  duplicate_agent: "adds",
  list_agent_templates: "reads",
  create_agent_from_template: "adds",
  import_agent: "adds",
  export_agent: "reads",
  send_test_message: "runs",

  get_agent_versioning: "reads",
  update_agent_versioning: "replaces",
  list_agent_versions: "reads",
  compare_agent_version: "reads",
  publish_agent: "replaces",

  list_prompts: "reads",
  get_prompt: "reads",
  create_prompt: "adds",
  update_prompt: "replaces",
  list_supported_llms: "reads",

  list_tools: "reads",
  get_tool: "reads",
  create_tool: "adds",
  update_tool: "replaces",
  check_tool: "reads",
  try_tool: "runs",
  list_services: "reads",
  get_service: "reads",
  create_service: "adds",
  update_service: "replaces",

  list_data_sources: "reads",
  get_data_source: "reads",
  create_data_source: "adds",
  update_data_source: "replaces",
  list_custom_messages: "reads",
  get_custom_message: "reads",
  create_custom_message: "adds",
  update_custom_message: "replaces",
  list_voice_groups: "reads",
  get_voice_group: "reads",
  create_voice_group: "adds",
  update_voice_group: "replaces",

  list_channel_targets: "reads",

  list_test_suites: "reads",
  import_test_suite: "replaces",
  export_test_suite: "reads",
  run_test_suite: "runs",
  get_test_run: "reads",
  list_test_run_results: "reads",
  get_test_case_of_session: "reads",

  list_sessions: "reads",
  get_session_transcript: "reads",
  get_session_trace: "reads",
  list_session_model_rounds: "reads",
  list_session_tool_requests: "reads",

  list_campaigns: "reads",
  get_campaign_board: "reads",
  list_batches: "reads",
  list_batch_results: "reads",
  explain_batch_request: "reads",
  list_events: "reads",
};

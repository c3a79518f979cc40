/**
 * The name of an operation for clients that are generated and for tools, verb first: `list_agents`, `update_campaign`. It
 * follows from method and path; where that reads badly, the name stands below. Names never change: programs are written by them. Pure;
 * decision 0095.
 */
export function operationId(method: string, path: string, answersList: boolean): string {
  const named = NAMES[`${method.toUpperCase()} ${path.replace(/\/$/, "").replaceAll(/\{\w+\}/g, "{}")}`];
  if (named !== undefined) return named;
  const parts = path
    .split("/")
    .filter((part) => part !== "" && !PREFIX.has(part))
    .map((part) => part.replaceAll("-", "_"));
  const words = parts.filter((part) => !part.startsWith("{"));
  const last = words.at(-1) ?? "";
  const owner = words.slice(0, -1).map(one);
  const record = [...owner, one(last)].join("_");
  const ofOne = parts.at(-1)?.startsWith("{") ?? false;
  if (method === "get")
    return answersList && !ofOne
      ? `list_${[...owner, last].join("_")}`
      : `get_${ofOne ? record : [...owner, last].join("_")}`;
  if (method === "put") return `update_${path.endsWith("/") || ofOne ? record : [...owner, last].join("_")}`;
  if (method === "delete") return `delete_${record}`;
  // A plural is a collection that gains a record; any other word is what is done.
  return last.endsWith("s") ? `create_${record}` : [last, ...owner].join("_");
}

/** Said by every operation, or by every one of a tag. */
const PREFIX = new Set(["api", "v1", "outbound"]);

const one = (word: string): string =>
  word.endsWith("ies")
    ? `${word.slice(0, -3)}y`
    : /(ss|x|ch)es$/.test(word)
      ? word.slice(0, -2)
      : /[^s]s$/.test(word)
        ? word.slice(0, -1)
        : word;

const NAMES: Record<string, string> = {
  "DELETE /api/v1/users": "delete_user",
  "GET /api/v1/services/{}/mcp": "list_mcp_server_tools",
  "POST /api/v1/services/{}/mcp/refresh": "refresh_mcp_server_tools",
  "POST /api/v1/services/{}/mcp/tools": "add_mcp_server_tools",
  "GET /api/v1/contacts/{}/export": "export_contact",
  "DELETE /api/v1/outbound/call-backs/{}": "cancel_call_back",
  "GET /api/v1/do-not-call-lists/check/{}": "check_do_not_call_lists",
  "POST /api/v1/do-not-call-lists/{}/csv": "import_do_not_call_list",
  "GET /api/v1/outbound/campaigns/{}/requests": "list_campaign_requests",
  "POST /api/v1/outbound/campaigns/{}/requests/retry": "retry_campaign_requests",
  "POST /api/v1/outbound/campaigns/{}/requests/retry/preview": "preview_campaign_request_retry",
  "POST /api/v1/outbound/campaigns/{}/requests/suppress": "suppress_campaign_requests",
  "POST /api/v1/outbound/campaigns/{}/requests/suppress/preview": "preview_campaign_request_suppression",
  "POST /api/v1/sessions/{}/continue": "continue_session_fork",
  "GET /api/v1/sessions/live": "list_running_sessions",
  "GET /api/v1/sessions/search": "search_sessions",
  "GET /api/v1/sessions/search/export": "export_found_sessions",
  "POST /api/v1/sessions/{}/takeover": "take_over_session",
  "DELETE /api/v1/sessions/{}/takeover": "hand_back_session",
  "POST /api/v1/sessions/{}/takeover/messages": "write_in_session",
  "POST /api/v1/sessions/{}/notes": "whisper_to_agent",
  "DELETE /api/v1/users/delete_account": "delete_own_account",
  "POST /api/v1/users/{}/send_email": "send_welcome_email",
  "POST /api/v1/users/{}/sign_in_link": "create_sign_in_link",
  "GET /api/v1/organizations": "get_organization",
  "PUT /api/v1/organizations/sip_ip_ranges/{}/verified": "verify_organization_sip_ip_range",
  "DELETE /api/v1/api_tokens/{}": "revoke_api_token",
  "GET /api/v1/prompts/llms/supported": "list_supported_llms",
  "GET /api/v1/tools/{}/history": "list_tool_versions",
  "GET /api/v1/prompts/{}/history": "list_prompt_versions",
  "GET /api/v1/directory_members/{}/history": "list_directory_member_versions",
  "POST /api/v1/custom_messages/calendar": "preview_custom_message_calendar",
  "GET /api/v1/conversation-config/bridges": "get_conversation_bridges",
  "PUT /api/v1/conversation-config/bridges": "update_conversation_bridges",
  "POST /api/v1/agents/from_template": "create_agent_from_template",
  "GET /api/v1/agents/{}/export": "export_agent",
  "GET /api/v1/agents/voices/available": "list_available_voices",
  "POST /api/v1/agents/{}/versions": "publish_agent",
  "GET /api/v1/agents/{}/versions/{}/changes": "compare_agent_version",
  "POST /api/v1/agents/test/messages": "send_test_message",
  "POST /api/v1/agents/{}/test/calls": "call_agent_draft",
  "POST /api/v1/voice_groups/voices/sample": "sample_voice_group_voice",
  "POST /api/v1/language_groups/voices/sample": "sample_language_group_voice",
  "GET /api/v1/pronunciations/csv": "export_pronunciations",
  "POST /api/v1/pronunciations/csv": "import_pronunciations",
  "DELETE /api/v1/pronunciations/csv": "delete_pronunciations",
  "PUT /api/v1/directory_members/upload": "import_directory_members",
  "GET /api/v1/directory_members/download": "export_directory_members",
  "PUT /api/v1/directory_members/{}/restore": "restore_directory_member",
  "GET /api/v1/directory_members/{}/test": "test_directory_member",
  "DELETE /api/v1/channels/{}": "delete_channel_target",
  "POST /api/v1/channels/{}/carrier/test": "test_channel_carrier",
  "POST /api/v1/channels/{}/targets/{}/identity_key": "create_channel_target_identity_key",
  "GET /api/v1/channels/available-targets": "list_available_targets",
  "GET /api/v1/channels/twilio/{}": "get_twilio_channel",
  "POST /api/v1/channels/twilio": "create_twilio_channel",
  "PUT /api/v1/channels/twilio": "update_twilio_channel",
  "GET /api/v1/channels/twilio/{}/numbers": "list_twilio_numbers",
  "POST /api/v1/channels/twilio/{}/numbers": "buy_twilio_number",
  "PUT /api/v1/channels/twilio/{}/numbers": "reattach_twilio_number",
  "DELETE /api/v1/channels/twilio/{}/numbers/{}": "release_twilio_number",
  "POST /api/v1/channels/twilio/{}/numbers/verify-a2p-compliance": "verify_twilio_number_a2p",
  "GET /api/v1/suppressions/csv": "export_suppressions",
  "POST /api/v1/suppressions/csv": "import_suppressions",
  "DELETE /api/v1/suppressions/{}": "lift_suppression",
  "GET /api/v1/consents/csv": "export_consents",
  "POST /api/v1/consents/csv": "import_consents",
  "DELETE /api/v1/consents/{}": "revoke_consent",
  "POST /api/v1/sessions/recording/{}": "get_recording_links",
  "GET /api/v1/sessions/recording/stream": "stream_recording",
  "GET /api/v1/session_debug/sid/{}/{}": "get_session_debug_by_sid",
  "GET /api/v1/session_debug/session_id/{}": "get_session_debug",
  "GET /api/v1/session_debug/tool_result/{}/{}": "get_tool_result",
  "POST /api/v1/sessions/{}/held_messages/{}/release": "release_held_message",
  "POST /api/v1/sessions/{}/held_messages/{}/answer": "answer_held_message",
  "GET /api/v1/test_suites/{}/export": "export_test_suite",
  "POST /api/v1/test_suites/{}/runs": "run_test_suite",
  "GET /api/v1/test_runs/{}/comparison": "compare_test_runs",
  "POST /api/v1/agents/{}/replays": "replay_sessions",
  "GET /api/v1/replays/{}/pairs": "list_replay_pairs",
  "GET /api/v1/test_suites/{}/schedule": "get_test_schedule",
  "PUT /api/v1/test_suites/{}/schedule": "set_test_schedule",
  "GET /api/v1/judges/{}/next_session": "get_session_to_label",
  "PUT /api/v1/judges/{}/labels/{}": "label_session_for_judge",
  "POST /api/v1/judges/{}/answers": "ask_judge_again",
  "GET /api/v1/sessions/{}/test_case": "get_test_case_of_session",
  "GET /chat/v1/sessions/{}": "read_chat_session",
  "POST /chat/v1/sessions/{}/messages": "send_chat_message",
  "POST /api/v1/outbound/batches/{}/upload_batch": "upload_batch",
  "POST /api/v1/outbound/batches/{}/requests": "add_batch_requests",
  "POST /api/v1/outbound/batches/{}/requests/from": "copy_batch_requests",
  "POST /api/v1/outbound/batches/{}/requests/from/preview": "count_copied_requests",
  "POST /api/v1/outbound/batches/{}/remove-requests": "remove_batch_requests",
  "GET /api/v1/outbound/batches/{}/requests/{}/trace": "explain_batch_request",
  "POST /api/v1/outbound/campaigns/{}/count_matches": "count_campaign_matches",
  "GET /api/v1/outbound/rules": "get_outreach_rules",
  "PUT /api/v1/outbound/rules": "update_outreach_rules",
  "GET /api/v1/outbound/stop": "get_outreach_stop",
  "POST /api/v1/outbound/stop": "stop_outreach",
  "POST /api/v1/outbound/resume": "resume_outreach",
  "GET /api/v1/insights": "list_insights",
  "POST /api/v1/insights/tools-test": "test_insight_tool",
  "PUT /api/v1/insights/workflows/{}/activate": "activate_insight_workflow",
  "PUT /api/v1/insights/workflows/{}/inactivate": "inactivate_insight_workflow",
  "POST /api/v1/insights/workflows/queue-work": "queue_insight_work",
  "POST /api/v1/insights/workflows/{}/retry-failed": "retry_failed_insight_work",
  "POST /api/v1/insights/folders/{}/upload-file": "upload_insight_folder_file",
  "POST /api/v1/insights/folders/{}/move-files": "move_insight_folder_files",
  "POST /api/v1/takeouts/create": "create_takeout",
  "GET /api/v1/takeouts/get/{}": "get_takeout",
  "GET /api/v1/takeouts/get/{}/file/{}": "get_takeout_file",
  "GET /api/v1/queues/set_aside": "list_set_aside_work",
  "POST /api/v1/queues/set_aside/{}/retry": "retry_set_aside_work",
  "DELETE /api/v1/queues/set_aside/{}": "drop_set_aside_work",
  "GET /api/v1/boards/{}/figures": "get_board_figures",
  "POST /api/v1/boards/tile_figures": "count_tile",
  "GET /api/v1/boards/overview": "get_overview",
  "GET /api/v1/alerts/changes": "list_alert_changes",
  "POST /api/v1/alerts/preview": "preview_alert_rule",
  "GET /api/v1/webhooks": "list_webhook_subscriptions",
  "POST /api/v1/webhooks": "create_webhook_subscription",
  "PUT /api/v1/webhooks": "update_webhook_subscription",
  "GET /api/v1/webhooks/{}": "get_webhook_subscription",
  "DELETE /api/v1/webhooks/{}": "delete_webhook_subscription",
  "POST /api/v1/webhooks/{}/enable": "enable_webhook_subscription",
  "POST /api/v1/webhooks/{}/disable": "disable_webhook_subscription",
  "POST /api/v1/webhooks/{}/test": "test_webhook_subscription",
  "GET /api/v1/webhooks/deliveries": "list_event_deliveries",
  "GET /api/v1/webhooks/deliveries/{}": "get_event_delivery",
  "POST /api/v1/webhooks/deliveries/{}/resend": "resend_event_delivery",
  "POST /api/v1/dashboards/list": "list_dashboards",
  "POST /api/v1/dashboards/fetch_info": "get_dashboard",
  "POST /api/v1/dashboards/session_events": "get_session_events_dashboard",
  "POST /api/v1/dashboards/session_summary": "get_session_summary_dashboard",
  "POST /api/v1/dashboards/session_transfers": "get_session_transfers_dashboard",
  "POST /api/v1/dashboards/sessions": "get_sessions_dashboard",
  "POST /api/v1/erasures/preview": "preview_erasure",
  "POST /api/v1/organizations/redaction/preview": "preview_redaction",
  "POST /api/v1/sessions/{}/redacted_values/open": "open_redacted_values",
  "GET /reports/{}/data": "get_report_data",
};

/**
 * What an export of a sub-organization holds: one JSON Lines file a table, every row as it is
 * stored, but for secrets. A new table is one line here; a test names each table that is neither here nor left out.
 */
export type ExportedTable = { file: string; table: string; rows: Rows };

/** Which rows of a table are the caller's. */
export type Rows =
  | { column: string; is: "sub_organization" | "organization" }
  /** Those that belong to a row of another exported table. */
  | { column: string; of: string; key: string };

export type Group = "configuration" | "sessions" | "outbound" | "insights";

const own = (table: string, file = table): ExportedTable => ({
  file: `${file}.jsonl`,
  table,
  rows: { column: "sub_organization_id", is: "sub_organization" },
});
const shared = (table: string): ExportedTable => ({
  file: `${table}.jsonl`,
  table,
  rows: { column: "organization_id", is: "organization" },
});
const partOf = (of: string, column: string, table: string, file = table, key = "id"): ExportedTable => ({
  file: `${file}.jsonl`,
  table,
  rows: { column, of, key },
});

export const EXPORTED: Record<Group, ExportedTable[]> = {
  configuration: [
    { file: "organization.jsonl", table: "organizations", rows: { column: "id", is: "organization" } },
    {
      file: "sub_organization.jsonl",
      table: "sub_organizations",
      rows: { column: "id", is: "sub_organization" },
    },
    shared("sip_ip_ranges"),
    shared("mail_domains"),
    shared("llm_providers"),
    shared("speech_providers"),
    shared("transcription_providers"),
    own("users"),
    own("roles"),
    own("api_tokens"),
    own("audit_entries"),
    own("audit_links"),
    own("audit_heads"),
    own("agents"),
    own("agent_versions"),
    own("experiments"),
    own("prompts"),
    partOf("prompts", "prompt_id", "prompt_tools"),
    partOf("prompts", "prompt_id", "prompt_versions"),
    own("services"),
    own("tools"),
    partOf("tools", "tool_id", "tool_versions"),
    own("custom_messages"),
    own("language_groups"),
    own("bridge_phrases"),
    own("conversation_bridges"),
    own("data_sources"),
    own("embedding_usage"),
    own("pronunciations"),
    own("directory_members"),
    partOf("directory_members", "directory_member_id", "directory_member_versions"),
    shared("channels"),
    shared("channel_addresses"),
    shared("number_owners"),
    own("channel_targets"),
    own("campaigns"),
    partOf("campaigns", "campaign_id", "campaign_webhooks"),
    own("insight_tools"),
    own("insight_workflows"),
    partOf("insight_workflows", "workflow_id", "insight_workflow_tools"),
    own("insight_folders"),
    own("test_suites"),
    own("test_cases"),
  ],
  sessions: [
    own("conversations"),
    own("sessions"),
    partOf("sessions", "session_id", "session_messages", "transcripts"),
    partOf("sessions", "session_id", "session_tool_calls", "actions"),
    partOf("sessions", "session_id", "session_trace", "latency"),
    partOf("sessions", "session_id", "sent_records", "model_requests"),
    partOf("sessions", "session_id", "session_forks", "forks"),
    partOf("sessions", "session_id", "recordings"),
    partOf("sessions", "session_id", "experiment_sessions"),
    own("calls"),
    own("mail_messages"),
    own("session_labels", "labels"),
    own("text_messages"),
    partOf("sessions", "session_id", "text_sessions"),
    own("events"),
    own("test_runs"),
    own("test_results"),
    own("replays"),
    own("replay_pairs"),
  ],
  outbound: [
    own("batches"),
    partOf("batches", "batch_key", "requests", "requests", "key"),
    own("attempts"),
    own("webhook_deliveries"),
    partOf("webhook_deliveries", "delivery_key", "webhook_tries", "webhook_tries", "key"),
    shared("number_lookups"),
    own("suppressions"),
    own("consents"),
  ],
  insights: [
    own("insight_files", "files"),
    own("insight_backfills", "backfills"),
    partOf("insight_workflows", "workflow_id", "insight_usage", "usage"),
    own("insight_executions", "executions"),
    partOf("insight_executions", "execution_id", "insight_execution_tools", "execution_tools"),
    own("insight_outputs", "outputs"),
  ],
};

/** Left out on purpose: what gets somebody in, what only matters while it runs, what follows from rows that are here,
 * what is not the organization's. */
export const NOT_EXPORTED = [
  "sign_ins",
  "one_time_codes",
  "second_factors",
  "recovery_codes",
  "attempt_counts",
  "service_tokens",
  "takeouts",
  "erasures",
  "files_to_remove",
  "batch_uploads",
  "request_counts",
  "batch_pacing",
  "campaign_days",
  "dial_sources",
  "dial_countries",
  "data_source_chunks",
  "data_source_words",
  "session_end_calls",
  "webhook_outbox",
  "webhook_inboxes",
  "webhook_inbox_messages",
  "incidents",
  "installation",
  "job_runners",
  "interrupted_jobs",
  "write_probes",
  "allowances",
  "storage_counts",
  "transfer_answerers",
  "schema_migrations",
];

/** Left out of every table, so that a new secret is never exported by being forgotten. */
export const isLeftOut = (column: string): boolean =>
  /^sealed_|_hash$|^lease_/.test(column) || column === "logo";

// Written by `./parley derive` from openapi.json; don't edit.

export type A2pMessagingPathCheckRequest = { "phone": string };

export type A2pMessagingPathCheckResponse = { "a2p_approved": boolean };

export type AccessRulesRequest = { "require_second_factor"?: boolean | undefined; "idle_minutes"?: number | null | undefined; "longest_hours"?: number | null | undefined; "allowed_networks"?: (string)[] | undefined };

export type AccessRulesResponse = { "require_second_factor": boolean; "idle_minutes": number | null; "longest_hours": number | null; "allowed_networks": (string)[]; "updated_at": string | null; "updated_by": string | null };

export type AgentChange = { "part": string; "before": unknown; "after": unknown };

export type AgentChannelTarget = { "agent_id": number; "channel_id": number; "target": string; "target_mode": string; "fallback_target"?: string | null | undefined; "is_test": boolean; "id": number; "channel_name": string; "updated_at": string; "last_updated_by": string; "agent": null; "a2p_verified"?: boolean | null | undefined };

export type AgentCreate = { "name": string; "description"?: string | null | undefined; "label"?: string | null | undefined; "labels"?: (string)[] | null | undefined; "type": "ca_v1"; "prompt_id": number; "prompt_version_number"?: number | null | undefined; "custom_message_id"?: number | null | undefined; "language_group_id"?: number | null | undefined; "bridge_phrases_id"?: number | null | undefined; "timezone": string; "prompt_tool_defaults"?: (AgentToolDefaults)[] | undefined; "languages"?: (string)[] | undefined; "variables": Record<string, string>; "tool_headers": Record<string, string> | null; "agent_initiated"?: boolean | undefined; "stt_provider"?: AgentSttProvider | null | undefined; "wait_sound"?: AgentWaitSound | null | undefined; "enable_verbal_language_change"?: boolean | undefined };

export type AgentDialingSettings = { "max_concurrent"?: number | null | undefined };

export type AgentDialingState = { "max_concurrent": number | null; "outbound_calls": number; "inbound_calls": number };

export type AgentDuplicate = { "name": string };

export type AgentFileText = { "text": string };

export type AgentFinding = { "part": string; "id": string; "severity": "warning" | "error"; "message": string; "path": string };

export type AgentFromTemplate = { "template": string; "name": string; "timezone"?: string | null | undefined };

export type AgentImport = { "text": string; "name"?: string | null | undefined };

export type AgentLanguage = { "name": string; "code": LanguageCode };

export type AgentResponse = { "name": string; "description"?: string | null | undefined; "label"?: string | null | undefined; "labels"?: (string)[] | null | undefined; "type": string; "prompt_id": number; "prompt_version_number"?: number | null | undefined; "custom_message_id"?: number | null | undefined; "language_group_id"?: number | null | undefined; "bridge_phrases_id"?: number | null | undefined; "timezone": string; "prompt_tool_defaults": (AgentToolDefaults)[]; "languages": (string)[]; "variables": Record<string, string>; "tool_headers": Record<string, string> | null; "agent_initiated": boolean; "stt_provider"?: string | null | undefined; "wait_sound"?: string | null | undefined; "enable_verbal_language_change": boolean; "id": number; "updated_at": string; "last_updated_by": string | null; "prompt"?: PromptResponse | null | undefined; "custom_message"?: CustomMessageResponse | null | undefined; "channel_targets"?: (AgentChannelTarget)[] | null | undefined; "tools"?: (ToolResponse)[] | null | undefined; "language_group"?: LanguageGroupResponse | null | undefined; "validation_issues"?: (ValidationIssue)[] | null | undefined };

export type AgentRetention = { "retention": Record<string, number | null>; "updated_at": string | null; "updated_by": string | null };

export type AgentRetentionRequest = { "retention": { "recording"?: number | null | undefined; "session"?: number | null | undefined; "trace"?: number | null | undefined; "request"?: number | null | undefined; "insight"?: number | null | undefined } };

export type AgentSttProvider = "Google STT V2 (Chirp 2)" | "Deepgram Nova 3 (On-Prem)" | "Deepgram Nova 3" | "Google STT V2" | "Google STT V1" | "Deepgram Nova 2";

export type AgentTemplate = { "key": string; "title": string; "description": string; "tools": (string)[] };

export type AgentToolDefaults = { "tool_name": string; "default_values": (AgentToolFieldDefault)[] };

export type AgentToolDefaultsInput = AgentToolDefaults;

export type AgentToolFieldDefault = { "field_name": string; "default_value": unknown };

export type AgentToolFieldDefaultInput = AgentToolFieldDefault;

export type AgentUpdate = { "name": string; "description"?: string | null | undefined; "label"?: string | null | undefined; "labels"?: (string)[] | null | undefined; "type": "ca_v1"; "prompt_id": number; "prompt_version_number"?: number | null | undefined; "custom_message_id"?: number | null | undefined; "language_group_id"?: number | null | undefined; "bridge_phrases_id"?: number | null | undefined; "timezone": string; "prompt_tool_defaults"?: (AgentToolDefaults)[] | undefined; "languages"?: (string)[] | undefined; "variables": Record<string, string>; "tool_headers": Record<string, string> | null; "agent_initiated"?: boolean | undefined; "stt_provider"?: AgentSttProvider | null | undefined; "wait_sound"?: AgentWaitSound | null | undefined; "enable_verbal_language_change"?: boolean | undefined; "id": number };

export type AgentVersion = { "version_number": number; "is_live": boolean; "note": string; "published_at": string; "published_by": string; "gates": (GateResult)[]; "replay_gate": ReplayGateResult | null; "override_reason": string | null };

export type AgentVersionContent = { "version_number": number; "is_live": boolean; "note": string; "published_at": string; "published_by": string; "gates": (GateResult)[]; "replay_gate": ReplayGateResult | null; "override_reason": string | null; "parts": ({ "part": string; "content": unknown })[]; "findings": (AgentFinding)[] };

export type AgentVersioning = { "agent_id": number; "published_version": number | null; "published_at": string | null; "published_by": string | null; "draft": { "fingerprint": string; "changes": (AgentChange)[]; "findings": (AgentFinding)[]; "version_number": number | null }; "gates": (GateResult)[]; "replay_gate": ReplayGateResult | null };

export type AgentVersioningUpdate = { "published_version"?: number | null | undefined; "gates": (PublishGate)[]; "replay_gate"?: ReplayGate | null | undefined };

export type AgentVoice = { "provider": TtsProvider; "display_name": string; "var_name": string; "gender": AgentVoiceGender; "model": AgentVoiceModel; "supported_languages": (AgentLanguage)[]; "deprecated": boolean };

export type AgentVoiceGender = "female" | "male";

export type AgentVoiceModel = "Chirp 3 HD" | "eleven_flash_v2_5" | "Neural2" | "Standard" | "Studio" | "WaveNet" | "tts-1" | "gpt-4o-mini-tts" | "sonic-3.5";

export type AgentWaitSound = "No Sound" | "Keyboard 1" | "Keyboard 2" | "Call Center";

export type AlertChange = { "id": number; "alert_rule_id": number; "name": string; "at": string; "state": "firing" | "reminded" | "resolved"; "value": number | null; "sessions": number | null; "description": string | null };

export type AlertPreview = { "start_datetime": string; "end_datetime": string; "windows": number; "fired": ({ "at": string; "value": number | null; "sessions": number })[]; "last": { "value": number | null; "sessions": number }; "problem": string | null };

export type AlertPreviewRequest = { "metric": FigureMetric; "search_fields"?: (SessionSearchField)[] | undefined; "search_field_values"?: (string)[] | undefined; "window_minutes"?: number | undefined; "condition": "above" | "below" | "rises_by" | "falls_by"; "threshold": number; "least_sessions"?: number | undefined };

export type AlertRule = { "id": number; "name": string; "is_active": boolean; "metric": FigureMetric; "search_fields": (string)[]; "search_field_values": (string)[]; "window_minutes": number; "condition": "above" | "below" | "rises_by" | "falls_by"; "threshold": number; "least_sessions": number; "remind_hours": number | null; "notified_users": (number)[]; "uses_webhooks": boolean; "state": "ok" | "firing" | null; "state_since": string | null; "last_value": number | null; "last_sessions": number | null; "checked_at": string | null; "problem": string | null; "last_updated": string; "last_updated_by": string };

export type AlertRuleCreate = { "metric": FigureMetric; "search_fields"?: (SessionSearchField)[] | undefined; "search_field_values"?: (string)[] | undefined; "window_minutes"?: number | undefined; "condition": "above" | "below" | "rises_by" | "falls_by"; "threshold": number; "least_sessions"?: number | undefined; "name": string; "is_active"?: boolean | undefined; "remind_hours"?: number | null | undefined; "notified_users"?: (number)[] | undefined; "uses_webhooks"?: boolean | undefined };

export type AlertRuleUpdate = { "metric": FigureMetric; "search_fields"?: (SessionSearchField)[] | undefined; "search_field_values"?: (string)[] | undefined; "window_minutes"?: number | undefined; "condition": "above" | "below" | "rises_by" | "falls_by"; "threshold": number; "least_sessions"?: number | undefined; "name": string; "is_active"?: boolean | undefined; "remind_hours"?: number | null | undefined; "notified_users"?: (number)[] | undefined; "uses_webhooks"?: boolean | undefined; "id": number };

export type AnnouncementRow = { "kind": "ai" | "recording"; "jurisdiction": string; "channels": ("call" | "text" | "chat" | "email")[]; "texts": Record<string, string>; "default_language": string; "source": string | null; "checked_on": string | null; "note": string | null };

export type AnnouncementRowInput = { "kind": "ai" | "recording"; "jurisdiction": string; "channels": ("call" | "text" | "chat" | "email")[]; "texts": Record<string, string>; "default_language": string; "source"?: string | null | undefined; "checked_on"?: string | null | undefined; "note"?: string | null | undefined };

export type Announcements = { "rows": (AnnouncementRowInput)[] };

export type AnswerHour = { "tried": number; "answered": number; "rate": number | null; "low": number | null; "high": number | null; "day": "mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun"; "hour": number };

export type AnswerRate = { "tried": number; "answered": number; "rate": number | null; "low": number | null; "high": number | null };

export type ApiTokenCreateRequest = { "name": string; "permissions"?: (string)[] | null | undefined; "expires_at"?: string | null | undefined; "allowed_networks"?: (string)[] | null | undefined };

export type ApiTokenCreated = { "id": number; "name": string; "last_four": string; "permissions"?: (string)[] | null | undefined; "created_at": string; "created_by": string; "expires_at": string; "last_used_at"?: string | null | undefined; "allowed_networks"?: (string)[] | null | undefined; "revoked_at"?: string | null | undefined; "made_with"?: string | null | undefined; "granted_users": (string)[]; "token": string };

export type ApiTokenResponse = { "id": number; "name": string; "last_four": string; "permissions"?: (string)[] | null | undefined; "created_at": string; "created_by": string; "expires_at": string; "last_used_at"?: string | null | undefined; "allowed_networks"?: (string)[] | null | undefined; "revoked_at"?: string | null | undefined; "made_with"?: string | null | undefined; "granted_users": (string)[] };

export type AuditEntryResponse = { "id": number; "at": string; "actor": string; "user_id"?: number | null | undefined; "api_token_id"?: number | null | undefined; "address"?: string | null | undefined; "request_id"?: string | null | undefined; "action": string; "resource": string; "resource_id"?: string | null | undefined; "before"?: unknown | null | undefined; "after"?: unknown | null | undefined };

export type AuditFault = { "position": number; "entry_id"?: number | null | undefined; "fault": "changed" | "missing" | "out_of_place" | "forged" };

export type AuditVerification = { "checked_to": number; "next_position"?: number | null | undefined; "intact": number; "blanked": number; "deleted": number; "faults": (AuditFault)[]; "unlinked": number; "head": { "position": number; "link": string }; "deleted_before"?: string | null | undefined };

export type AvailableTarget = { "organization_id": number; "channel_id": number; "channel_name": string | null; "target": string };

export type BatchConfirmation = { "is_needed": boolean; "people": number; "above": number | null; "confirmed_people": number | null; "confirmed_by": string | null; "confirmed_at": string | null };

export type BatchConfirmationRequest = { "people": number };

export type BatchDeletion = { "delete_reason": string };

export type BatchDetails = { "batch_id": string; "campaign_id": number; "expires_on"?: string | null | undefined; "paused"?: boolean | null | undefined; "call_rate"?: number | null | undefined; "auto_call_rate": boolean; "status": BatchStatus; "auto_call_rate_baseline"?: number | null | undefined; "upload_filename"?: string | null | undefined; "dispatch_id"?: string | null | undefined; "created_at": string; "deleted_at"?: string | null | undefined; "deleted_reason"?: string | null | undefined; "last_updated_at"?: string | null | undefined; "last_updated_by": string; "error_message"?: string | null | undefined; "outcome_counts"?: OutcomeCounts | null | undefined; "status_counts"?: Record<string, number> | null | undefined; "detailed_status_counts"?: Record<string, RequestStatusBreakdown> | null | undefined };

export type BatchFile = { "file"?: string | undefined };

export type BatchStatus = "PENDING" | "ACTIVE" | "PAUSED" | "FAILED" | "CANCELED" | "EXPIRED";

export type BegunContact = { "mode": string; "from": string; "to": string };

export type BetterHour = { "hour": number; "low": number; "high": number; "others_low": number; "others_high": number };

export type Board = { "id": number; "name": string; "description": string | null; "last_days": number; "tiles": (BoardTile)[]; "last_updated": string; "last_updated_by": string };

export type BoardCreate = { "name": string; "description"?: string | null | undefined; "last_days"?: number | undefined; "tiles"?: (BoardTileInput)[] | undefined };

export type BoardFigures = { "tiles": (TileFigures)[] };

export type BoardTile = { "title": string; "metric": FigureMetric; "split": FigureSplit; "search_fields": (SessionSearchField)[]; "search_field_values": (string)[]; "chart": "number" | "bars" | "line" | "table"; "width": "third" | "half" | "full"; "compare": "none" | "before" | "versions"; "versions"?: { "first": string; "second": string } | null | undefined };

export type BoardTileInput = { "title"?: string | undefined; "metric": FigureMetric; "split"?: FigureSplitInput | undefined; "search_fields"?: (SessionSearchField)[] | undefined; "search_field_values"?: (string)[] | undefined; "chart"?: "number" | "bars" | "line" | "table" | undefined; "width"?: "third" | "half" | "full" | undefined; "compare"?: "none" | "before" | "versions" | undefined; "versions"?: { "first": string; "second": string } | null | undefined };

export type BoardUpdate = { "name": string; "description"?: string | null | undefined; "last_days"?: number | undefined; "tiles"?: (BoardTileInput)[] | undefined; "id": number };

export type Body_directory_member_bulk_load = { "file": string };

export type Body_pronunciations_upload_csv = { "file": string };

export type BridgePhrasesAgentInfo = { "id": number; "name": string };

export type BridgePhrasesConfig = { "messages": (string)[]; "randomize_messages": boolean; "first_slow_messages": (string)[]; "very_slow_messages": (string)[]; "tool_responses": (string)[]; "localized": Record<string, LegacyPhraseSet>; "smart_turn_timeout_seconds": number | null };

export type BridgePhrasesConfigInput = { "messages"?: (string)[] | undefined; "randomize_messages"?: boolean | undefined; "first_slow_messages"?: (string)[] | undefined; "very_slow_messages"?: (string)[] | undefined; "tool_responses"?: (string)[] | undefined; "localized"?: Record<string, LegacyPhraseSetInput> | undefined; "smart_turn_timeout_seconds"?: number | null | undefined };

export type BridgePhrasesConfigPayload = { "phrases": PhraseSet; "tools": (ToolBridgePhraseConfig)[]; "smart_turn_timeout_seconds": number | null; "randomize_bridge_phrases": boolean; "apology"?: PhraseSet | null | undefined };

export type BridgePhrasesConfigPayloadInput = { "phrases"?: PhraseSetInput | undefined; "tools"?: (ToolBridgePhraseConfigInput)[] | undefined; "smart_turn_timeout_seconds"?: number | null | undefined; "randomize_bridge_phrases"?: boolean | undefined; "apology"?: PhraseSetInput | null | undefined };

export type BridgePhrasesCreateRequest = { "name": string; "description"?: string | null | undefined; "config"?: BridgePhrasesConfigPayloadInput | undefined; "is_default"?: boolean | undefined };

export type BridgePhrasesResponse = { "name": string; "description"?: string | null | undefined; "config": BridgePhrasesConfigPayload; "is_default": boolean; "id": number; "edit_comments"?: string | null | undefined; "agents_info"?: (BridgePhrasesAgentInfo)[] | null | undefined; "updated_at": string; "last_updated_by": string };

export type BridgePhrasesUpdateRequest = { "name": string; "description"?: string | null | undefined; "config"?: BridgePhrasesConfigPayloadInput | undefined; "is_default"?: boolean | null | undefined; "id": number; "edit_comments"?: string | null | undefined };

export type BrowserCalls = { "browser_calls": boolean };

export type BrowserCallsInput = BrowserCalls;

export type CadenceStep = { "mode": "voice" | "sms" | "email"; "source": string; "address": string | null; "wait": string; "after": ("PENDING" | "DUPLICATE" | "INVALID" | "UNEXPECTED_ERROR" | "FILTERED_LINE_TYPE" | "NO_OUTCOME" | "PROCESSED" | "DROPPED" | "DEFERRED" | "BOUNCED" | "DELIVERED" | "OPENED" | "CLICKED" | "SPAM_REPORT" | "UNSUBSCRIBED" | "PRIOR_UNSUBSCRIBED" | "PRIOR_SPAM_REPORT" | "PRIOR_DROPPED" | "PRIOR_BOUNCED" | "SENT" | "ACCEPTED" | "QUEUED" | "SENDING" | "UNDELIVERED" | "DELIVERY_UNKNOWN" | "DELIVERY_FAILED" | "IN-PROGRESS" | "BUSY" | "CANCELED" | "COMPLETED" | "DECLINED" | "NO-ANSWER" | "MACHINE" | "HUMAN" | "UNKNOWN" | "FAILED" | "SIP_NOT_FOUND" | "SIP_TEMPORARILY_UNAVAILABLE" | "SIP_LOOP_DETECTED" | "SIP_DOES_NOT_EXIST_ANYWHERE" | "VOICEMAIL_LEFT")[] | null };

export type CadenceStepInput = { "mode": "voice" | "sms" | "email"; "source": string; "address"?: string | null | undefined; "wait": string; "after"?: ("PENDING" | "DUPLICATE" | "INVALID" | "UNEXPECTED_ERROR" | "FILTERED_LINE_TYPE" | "NO_OUTCOME" | "PROCESSED" | "DROPPED" | "DEFERRED" | "BOUNCED" | "DELIVERED" | "OPENED" | "CLICKED" | "SPAM_REPORT" | "UNSUBSCRIBED" | "PRIOR_UNSUBSCRIBED" | "PRIOR_SPAM_REPORT" | "PRIOR_DROPPED" | "PRIOR_BOUNCED" | "SENT" | "ACCEPTED" | "QUEUED" | "SENDING" | "UNDELIVERED" | "DELIVERY_UNKNOWN" | "DELIVERY_FAILED" | "IN-PROGRESS" | "BUSY" | "CANCELED" | "COMPLETED" | "DECLINED" | "NO-ANSWER" | "MACHINE" | "HUMAN" | "UNKNOWN" | "FAILED" | "SIP_NOT_FOUND" | "SIP_TEMPORARILY_UNAVAILABLE" | "SIP_LOOP_DETECTED" | "SIP_DOES_NOT_EXIST_ANYWHERE" | "VOICEMAIL_LEFT")[] | null | undefined };

export type CallAction = { "action": "call"; "name": string; "arguments"?: Record<string, unknown> | null | undefined; "result"?: CallResult | null | undefined; "wait"?: boolean | null | undefined; "if"?: Expression | null | undefined };

export type CallActionInput = { "action": "call"; "name": string; "arguments"?: Record<string, unknown> | null | undefined; "result"?: CallResultInput | null | undefined; "wait"?: boolean | null | undefined; "if"?: ExpressionInput | null | undefined };

export type CallBack = { "id": number; "campaign_id": number; "campaign_name": string; "batch_id": string; "reference_id": string; "target": string; "session_id": number | null; "due_at": string; "timezone": string; "state": "asked" | "waiting" | "called" | "canceled"; "asked_at": string; "moved": number };

export type CallResult = { "save"?: (CallResultSaveMapping)[] | undefined };

export type CallResultInput = { "save"?: (CallResultSaveMappingInput)[] | undefined };

export type CallResultSaveMapping = { "from": Expression; "to": string };

export type CallResultSaveMappingInput = { "from": ExpressionInput; "to": string };

export type CampaignAnswerTimes = { "campaign_id": number; "from": string; "until": string; "total": AnswerRate; "hours": (AnswerHour)[] };

export type CampaignBoard = { "campaign_id": number; "campaign_name": string; "timezone": string; "at": string; "status_counts": Record<string, number>; "detailed_status_counts": Record<string, RequestStatusBreakdown>; "outcome_counts": OutcomeCounts; "skip_counts": Record<string, number>; "funnel": CampaignFunnel; "active_batches": number; "paused_batches": number; "hourly_rate": number; "total_rate": number; "under_way": number; "days": ({ "date": string; "cap": number | null; "first_attempts": number })[]; "batches": (CampaignBoardBatch)[]; "latest": (CampaignBoardRequest)[] };

export type CampaignBoardBatch = { "batch_id": string; "waiting": number; "rate": number; "put_off": number; "next_step": RequestNextStep };

export type CampaignBoardRequest = { "batch_id": string; "reference_id": string; "target": string; "request_status": string; "channel_manager_status": string; "attempt_count": number; "session_id": number | null; "at": string; "text": string };

export type CampaignCadence = { "steps": (CadenceStep)[] };

export type CampaignCadenceInput = { "steps": (CadenceStepInput)[] };

export type CampaignDialingSettings = { "max_concurrent"?: number | null | undefined; "priority"?: number | undefined };

export type CampaignDialingState = { "max_concurrent": number | null; "priority": number; "under_way": number };

export type CampaignForecast = { "campaign_id": number; "timezone": string; "from": string; "until": string; "people": number; "hourly_rate": number; "total_rate": number; "totals": { "first_attempts": number; "retries": number; "steps": number; "completed": number; "given_up": number; "skipped": number }; "days": ({ "date": string; "cap": number | null; "first_attempts": number; "retries": number; "steps": number; "completed": number; "given_up": number; "skipped": number })[]; "hours": ({ "at": string; "first_attempts": number; "retries": number; "steps": number; "completed": number; "given_up": number; "skipped": number })[]; "ends_at": string | null; "left": number; "own_hours": ForecastOwnHours | null; "assumptions": (string)[] };

export type CampaignFunnel = { "tried": number; "answered": number; "talked": number; "goal": number | null };

export type CampaignGoal = { "insight_key": string; "value": string | null };

export type CampaignGoalInput = { "insight_key": string; "value"?: string | null | undefined };

export type CampaignGoalSetting = { "goal": CampaignGoal | null };

export type CampaignGoalSettingInput = { "goal": CampaignGoalInput | null };

export type CampaignHeldBatches = { "batch_ids": (string)[] };

export type CampaignNumberGroup = { "number_group_id": number | null };

export type CampaignNumberGroupInput = { "number_group_id"?: number | null | undefined };

export type CampaignPreflight = { "campaign_id": number; "at": string; "waiting": number; "judged": number; "contacted": number; "later": (PreflightReason)[]; "skipped": (PreflightReason)[]; "steps": (PreflightStep)[]; "problems": (PreflightProblem)[]; "batches": ({ "batch_id": string; "text": string })[]; "sender": ({ "number": string; "problem": "not-ours" | "not-answered" | "not-registered"; "text": string })[]; "outdated_lists": (string)[] };

export type CampaignReachRules = { "purpose": "marketing" | "informational" | "emergency"; "check_reassigned": boolean };

export type CampaignReachRulesChange = { "purpose": "marketing" | "informational" | "emergency"; "check_reassigned"?: boolean | undefined };

export type CampaignRequest = { "request_id": number; "batch_id": string; "reference_id": string; "target": string; "request_status": RequestStatus; "channel_manager_status": string; "stage": string | null; "answered_by": string | null; "voicemail_left": boolean | null; "attempt_count": number; "created_at": string; "sent_at": string | null; "due_at": string | null; "session_id": number | null; "skip_reason": string | null; "insights": Record<string, string | number> | null; "request_variables": Record<string, string> };

export type CampaignRequests = { "requests": (CampaignRequest)[]; "next": string | null };

export type CampaignRetryHours = { "within_hours"?: number | null | undefined };

export type CampaignRetryHoursState = { "within_hours": number | null; "learned_at": string | null; "better_hours": (BetterHour)[] };

export type CampaignRetryRules = { "rules": (RetryRule)[] };

export type CampaignRetryRulesInput = { "rules": (RetryRuleInput)[] };

export type CampaignSpendCap = { "cap_usd": number | null };

export type CampaignSpending = { "cap_usd": number | null; "spent_usd": number; "carrier_usd": number };

export type Channel = { "name": string; "channel_service": ChannelServices; "supported_modes"?: string | null | undefined; "is_system_channel": boolean; "id": number; "config"?: ChannelConfigView | null | undefined };

export type ChannelCarrier = { "name": string | null; "simulated": boolean; "note": string | null };

export type ChannelCarrierTest = { "works": boolean; "message": string; "duration_ms": number };

export type ChannelConfigView = { "telephony"?: TelephonyConfigurations | null | undefined; "email"?: EmailConfigurations | null | undefined; "credentials"?: Record<string, string> | null | undefined };

export type ChannelManagerStatus = "PENDING" | "DUPLICATE" | "INVALID" | "UNEXPECTED_ERROR" | "FILTERED_LINE_TYPE" | "NO_OUTCOME" | "PROCESSED" | "DROPPED" | "DEFERRED" | "BOUNCED" | "DELIVERED" | "OPENED" | "CLICKED" | "SPAM_REPORT" | "UNSUBSCRIBED" | "PRIOR_UNSUBSCRIBED" | "PRIOR_SPAM_REPORT" | "PRIOR_DROPPED" | "PRIOR_BOUNCED" | "SENT" | "ACCEPTED" | "QUEUED" | "SENDING" | "UNDELIVERED" | "DELIVERY_UNKNOWN" | "DELIVERY_FAILED" | "IN-PROGRESS" | "BUSY" | "CANCELED" | "COMPLETED" | "DECLINED" | "NO-ANSWER" | "MACHINE" | "HUMAN" | "UNKNOWN" | "FAILED" | "SIP_NOT_FOUND" | "SIP_TEMPORARILY_UNAVAILABLE" | "SIP_LOOP_DETECTED" | "SIP_DOES_NOT_EXIST_ANYWHERE";

export type ChannelServices = "sip" | "twilio" | "email" | "webchat" | "africastalking" | "whatsapp";

export type ChannelTargetCreateRequest = { "agent_id": number; "channel_id": number; "target": string; "target_mode": TargetModes; "fallback_target"?: string | null | undefined; "is_test"?: boolean | undefined };

export type ChannelTargetResponse = { "agent_id": number; "channel_id": number; "target": string; "target_mode": TargetModes; "fallback_target"?: string | null | undefined; "is_test": boolean; "id": number; "channel_name": string; "updated_at": string; "last_updated_by": string; "agent"?: AgentResponse | null | undefined; "a2p_verified"?: boolean | null | undefined; "identity_key_set_at"?: string | null | undefined; "browser_calls"?: boolean | undefined };

export type ChannelTargetUpdateRequest = { "agent_id": number; "channel_id": number; "target": string; "target_mode": TargetModes; "fallback_target"?: string | null | undefined; "is_test"?: boolean | undefined; "id": number };

export type ChatAnswers = { "events": (ChatMessageEvent | { "type": "aside"; "text": string } | ChatToolDisplay | ChatToolResult | { "type": "session_end"; "reason": string })[] };

export type ChatMessageEvent = { "type": "message"; "role": "user" | "agent"; "text": string; "timestamp": string };

export type ChatToolDisplay = { "type": "tool_display"; "tool_name": string; "display_result": unknown };

export type ChatToolResult = { "type": "tool_result"; "tool_name": string; "arguments": unknown; "result": unknown; "error": string | null; "duration_ms": number };

export type ChatWords = { "type": "message"; "role": "user" | "agent"; "text": string; "timestamp": string; "id": string | null };

export type ClientToolCall = { "key": string; "tool_name": string; "arguments": unknown; "expires_at": string };

export type ClientToolCallAnswer = { "result"?: unknown | undefined; "error"?: string | null | undefined };

export type ClientToolCalls = { "calls": (ClientToolCall)[] };

export type CommunicationBatch = { "batch_id": string; "campaign_id": number; "expires_on"?: string | null | undefined; "paused"?: boolean | null | undefined; "call_rate"?: number | null | undefined; "auto_call_rate": boolean; "status": BatchStatus; "auto_call_rate_baseline"?: number | null | undefined; "upload_filename"?: string | null | undefined; "dispatch_id"?: string | null | undefined; "created_at": string; "deleted_at"?: string | null | undefined; "deleted_reason"?: string | null | undefined; "last_updated_at"?: string | null | undefined; "last_updated_by": string; "error_message"?: string | null | undefined };

export type CommunicationBatchCreate = { "batch_id": string; "campaign_id": number; "expires_on"?: string | null | undefined; "paused"?: boolean | null | undefined; "call_rate"?: number | null | undefined; "auto_call_rate"?: boolean | undefined };

export type CommunicationBatchUpdate = { "paused"?: boolean | null | undefined; "expires_on"?: string | null | undefined; "call_rate"?: number | null | undefined; "auto_call_rate"?: boolean | null | undefined };

export type CommunicationRequest = { "reference_id": string; "target": string; "request_variables": Record<string, string> };

export type CommunicationRequestResult = { "reference_id": string; "target": string; "request_variables": Record<string, string>; "channel_manager_sid"?: string | null | undefined; "created_at": string; "sent_at"?: string | null | undefined; "attempt_count": number; "session_id"?: number | null | undefined; "conversation_id"?: number | null | undefined; "request_status": RequestStatus; "channel_manager_status"?: string | null | undefined; "insights_status"?: string | null | undefined; "insights"?: Record<string, string | number> | null | undefined; "insights_scripted"?: boolean | null | undefined; "answered_by"?: string | null | undefined; "duration_s"?: number | null | undefined; "voicemail_left"?: boolean | null | undefined; "reached"?: boolean | null | undefined; "line_type"?: string | null | undefined; "enrichment"?: Record<string, unknown> | null | undefined };

export type ConditionalText = { "if"?: Expression | null | undefined; "text": string };

export type ConditionalTextInput = { "if"?: ExpressionInput | null | undefined; "text": string };

export type ConfirmationRule = { "above": number | null };

export type ConfirmationRuleInput = { "above"?: number | null | undefined };

export type Consent = { "id": number; "address": string; "purpose": "marketing" | "informational"; "channel": "call" | "text" | "email"; "given_through": "form" | "paper" | "speech" | "text" | "mail" | "chat" | "other"; "wording": string | null; "evidence": Record<string, string> | null; "valid_from": string; "created_at": string; "created_by": string; "revoked_at": string | null; "revoked_through": string | null; "revoked_said": string | null; "revoked_by": string | null };

export type ConsentCreateRequest = { "address": string; "purpose"?: "marketing" | "informational" | undefined; "channel": "call" | "text" | "email"; "given_through": "form" | "paper" | "speech" | "text" | "mail" | "chat" | "other"; "wording"?: string | null | undefined; "evidence"?: Record<string, string> | null | undefined; "valid_from"?: string | null | undefined };

export type ConsentFile = { "file"?: string | undefined };

export type ConsentImport = { "added": number; "known": number; "withdrawn": number; "revoked": number };

export type Contact = { "address": string; "name": string | null; "record": ContactRecord | null; "addresses": ({ "address": string; "suppressed": (string)[]; "consents": (string)[] })[]; "suppressed": (string)[]; "consents": (string)[]; "caps": ({ "channel": string; "attempts": number; "days": number; "used": number })[]; "entries": (ContactEntry)[]; "next": string | null };

export type ContactCap = { "channel": "call" | "text" | "email" | "any"; "attempts": number; "days": number };

export type ContactCreateRequest = { "name"?: string | null | undefined; "timezone"?: string | null | undefined; "language"?: string | null | undefined; "notes"?: string | null | undefined; "key"?: string | null | undefined; "addresses": (string)[] };

export type ContactEntry = { "at": string; "kind": "session" | "text" | "mail" | "request" | "attempt" | "call-back" | "consent" | "consent-revoked" | "suppression" | "suppression-lifted"; "id": string; "address": string | null; "channel": string | null; "direction": "in" | "out" | null; "text": string; "status": string | null; "session_id": number | null; "campaign_id": number | null; "campaign_name": string | null; "batch_id": string | null; "reference_id": string | null; "messages"?: (Record<string, unknown>)[] | undefined };

export type ContactFile = { "address": string; "exported_at": string; "record": ContactRecord | null; "entries": (ContactEntry)[] };

export type ContactHoliday = { "jurisdiction": string; "date": string; "name": string; "channel": "call" | "text" | "email" | null; "purpose": "marketing" | "informational" | "emergency" | null; "source": string | null };

export type ContactHolidayInput = { "jurisdiction": string; "date": string; "name": string; "channel"?: "call" | "text" | "email" | null | undefined; "purpose"?: "marketing" | "informational" | "emergency" | null | undefined; "source"?: string | null | undefined };

export type ContactHours = { "jurisdiction": string; "channel": "call" | "text" | "email"; "purpose": "marketing" | "informational" | "emergency" | null; "days": ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[]; "from": string; "to": string; "source": string | null; "checked_on": string | null };

export type ContactHoursInput = { "jurisdiction": string; "channel": "call" | "text" | "email"; "purpose"?: "marketing" | "informational" | "emergency" | null | undefined; "days": ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[]; "from": string; "to": string; "source"?: string | null | undefined; "checked_on"?: string | null | undefined };

export type ContactKey = { "variable": string | null };

export type ContactLinkRequest = { "address": string };

export type ContactRecord = { "id": number; "name": string | null; "timezone": string | null; "language": string | null; "notes": string | null; "key": string | null; "addresses": ({ "address": string; "linked_at": string; "linked_through": "operator" | "request" | "session"; "linked_by": string | null })[]; "created_at": string; "updated_at": string; "last_updated_by": string };

export type ContactSources = { "inbound_sessions": boolean; "inbound_sessions_since": string | null };

export type ContactSourcesUpdate = { "inbound_sessions": boolean };

export type ContactUpdateRequest = { "name"?: string | null | undefined; "timezone"?: string | null | undefined; "language"?: string | null | undefined; "notes"?: string | null | undefined; "key"?: string | null | undefined };

export type Context = { "task"?: StepsTask | ExpressionTask | EventTask | LoadToolFromFileTask | (StepsTask | ExpressionTask | EventTask | LoadToolFromFileTask)[] | null | undefined };

export type ContextInput = { "task"?: StepsTaskInput | ExpressionTaskInput | EventTaskInput | LoadToolFromFileTaskInput | (StepsTaskInput | ExpressionTaskInput | EventTaskInput | LoadToolFromFileTaskInput)[] | null | undefined };

export type ContextTaskMetadata = { "priority"?: number | null | undefined };

export type ContextToolInfo = { "name"?: string | null | undefined; "description"?: string | null | undefined };

export type Conversation = { "timestamp": string; "conversation_id": string; "agent_id"?: string | null | undefined; "agent_name"?: string | null | undefined; "agent_type"?: string | null | undefined; "prompt_id"?: string | null | undefined; "prompt_name"?: string | null | undefined; "prompt_version"?: string | null | undefined; "llm_provider"?: string | null | undefined; "llm_model"?: string | null | undefined; "llm_version"?: string | null | undefined; "llm_temperature"?: number | null | undefined; "llm_seed"?: number | null | undefined; "is_legacy"?: boolean | null | undefined };

export type CreateTakeoutResponse = { "job_id": string; "created_at": string };

export type CustomMessageCreateRequest = { "name": string; "type"?: CustomMessageType | undefined; "preamble"?: string | null | undefined; "text": string; "subject"?: string | null | undefined; "label"?: string | null | undefined; "repeat_after_language_change"?: boolean | null | undefined; "rules"?: (CustomMessageRuleInput)[] | undefined };

export type CustomMessageResponse = { "name": string; "type": CustomMessageType; "preamble"?: string | null | undefined; "text": string; "subject"?: string | null | undefined; "label"?: string | null | undefined; "repeat_after_language_change": boolean; "rules": (CustomMessageRule)[]; "id": number; "updated_at": string; "agent_count"?: number | null | undefined; "last_updated_by": string; "validation_issues"?: (ValidationIssue)[] | undefined };

export type CustomMessageRule = { "description": string; "time_range_start": string | null; "time_range_end": string | null; "date": string | null; "days_of_week": (DayOfWeek)[] | null; "invert": boolean; "text": string };

export type CustomMessageRuleInput = { "description": string; "time_range_start"?: string | null | undefined; "time_range_end"?: string | null | undefined; "date"?: string | null | undefined; "days_of_week"?: (DayOfWeek)[] | null | undefined; "invert": boolean; "text": string };

export type CustomMessageType = "greeting" | "email_template";

export type CustomMessageUpdateRequest = { "name": string; "type"?: CustomMessageType | undefined; "preamble"?: string | null | undefined; "text": string; "subject"?: string | null | undefined; "label"?: string | null | undefined; "repeat_after_language_change"?: boolean | null | undefined; "rules"?: (CustomMessageRuleInput)[] | undefined; "id": number };

export type Dashboard = { "name": string; "embedded_id": string; "guest_token": string; "superset_url": string };

export type DashboardData = { "numbers": ({ "name": string; "value": number | null; "unit": "count" | "seconds" | "percent" })[]; "by_day": { "name": string; "columns": (string)[]; "rows": ((string | number | null)[])[] }; "tables": ({ "name": string; "columns": (string)[]; "rows": ((string | number | null)[])[] })[]; "name": string; "display_name": string; "timezone": string; "from": string; "to": string };

export type DashboardResponse = { "name": string; "display_name": string; "rank": number; "label": string };

export type DashboardTokenResponse = { "name": string; "embedded_id": string; "guest_token": string; "superset_url": string; "display_name": string; "rank": number; "label": string };

export type DataSourceCrawl = { "start_url": string; "max_depth": number; "max_pages": number; "every_hours": number | null; "status": "running" | "finished" | "stopped" | "failed"; "problem": string | null; "started_at": string; "finished_at": string | null; "next_run_at": string | null; "pages_waiting": number; "pages_read": number; "pages_skipped": number; "pages_failed": number; "updated_at": string; "last_updated_by": string };

export type DataSourceCrawlPage = { "url": string; "depth": number; "status": "waiting" | "read" | "unchanged" | "skipped" | "failed"; "problem": string | null; "document_id": number | null; "read_at": string | null };

export type DataSourceCrawlUpdateRequest = { "start_url": string; "max_depth"?: number | undefined; "max_pages"?: number | undefined; "every_hours"?: number | null | undefined };

export type DataSourceCreateRequest = { "name": string; "description"?: string | null | undefined; "labels"?: (string)[] | undefined; "chunk": boolean; "chunk_delimiter"?: string | null | undefined; "text": string };

export type DataSourceDetailResponse = { "name": string; "description"?: string | null | undefined; "labels": (string)[]; "chunk": boolean; "chunk_delimiter"?: string | null | undefined; "id": number; "edit_comments"?: string | null | undefined; "updated_at": string; "last_updated_by": string | null; "text": string };

export type DataSourceDocument = { "id": number; "kind": "file" | "page"; "name": string; "title": string | null; "format": "pdf" | "docx" | "html" | "markdown" | "text"; "pages": number | null; "pages_without_text": number | null; "characters": number; "size_bytes": number; "created_at": string; "updated_at": string; "last_updated_by": string };

export type DataSourceDocumentText = { "id": number; "kind": "file" | "page"; "name": string; "title": string | null; "format": "pdf" | "docx" | "html" | "markdown" | "text"; "pages": number | null; "pages_without_text": number | null; "characters": number; "size_bytes": number; "created_at": string; "updated_at": string; "last_updated_by": string; "text": string };

export type DataSourceFindings = { "results": ({ "data_source": string; "source"?: string | undefined; "text": string; "score": number })[]; "searched_by": "whole" | "words" | "words and meaning" };

export type DataSourceMetadataResponse = { "name": string; "description"?: string | null | undefined; "labels": (string)[]; "chunk": boolean; "chunk_delimiter"?: string | null | undefined; "id": number; "edit_comments"?: string | null | undefined; "updated_at": string; "last_updated_by": string | null };

export type DataSourceQuestion = { "question": string };

export type DataSourceUpdateRequest = { "name": string; "description"?: string | null | undefined; "labels"?: (string)[] | undefined; "chunk": boolean; "chunk_delimiter"?: string | null | undefined; "text": string; "id": number; "edit_comments"?: string | null | undefined };

export type DayOfWeek = "mo" | "tu" | "we" | "th" | "fr" | "sa" | "su";

export type DaysOfWeek = "mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun";

export type DebugTurn = { "turn_index": number; "agent_name": string; "text": string; "clock": string; "variables": Record<string, unknown>; "workflows": ({ "workflow": string; "status": string; "step": string | null; "local": Record<string, unknown> })[]; "steps": ({ "workflow": string; "step": string; "has_guards": boolean })[]; "tools": (string)[]; "tasks": ({ "workflow": string; "tool": string; "index": number; "submit_tool": string; "task": StepsTask })[] };

export type Deleted = { "success": true };

export type DialogToolCall = { "tool_call_id": string; "tool_name": string; "tool_arguments": unknown; "tool_result": unknown; "display_result"?: unknown | undefined; "timestamp": string };

export type DictionaryMetadata = { "entries": number; "hash": string; "source": string };

export type DirectoryExtension = { "name": string; "numbers": (DirectoryExtensionNumber)[] | null };

export type DirectoryExtensionInput = { "name": string; "numbers"?: (DirectoryExtensionNumberInput)[] | null | undefined };

export type DirectoryExtensionNumber = { "number": string; "rules": (Record<string, string>)[] | null };

export type DirectoryExtensionNumberInput = { "number": string; "rules"?: (Record<string, string>)[] | null | undefined };

export type DirectoryMember = { "name": string; "type": string; "extensions"?: (DirectoryExtension)[] | null | undefined; "contact_tags"?: Record<string, (string)[]> | null | undefined; "comments"?: string | null | undefined; "id": number; "created_at": string; "updated_at": string; "deleted_at"?: string | null | undefined; "last_updated_by"?: string | null | undefined; "created_by"?: string | null | undefined };

export type DirectoryMemberCreate = { "name": string; "type": string; "extensions"?: (DirectoryExtensionInput)[] | null | undefined; "contact_tags"?: Record<string, (string)[]> | null | undefined; "comments"?: string | null | undefined };

export type DirectoryMemberHistoryResponse = { "directory_member_id": number; "version": number; "timestamp": string; "name": string; "type": string; "extensions": (DirectoryExtension)[]; "contact_tags": Record<string, (string)[]>; "user_email": string; "comments"?: string | null | undefined; "operation"?: "create" | "update" | "delete" | "restore" | "bulk_load" | null | undefined };

export type DirectoryMemberRestore = { "comments"?: string | undefined };

export type DirectoryMemberTestResponse = { "extension": string | null; "status": string | null };

export type DirectoryMemberUpdate = { "name": string; "type": string; "extensions"?: (DirectoryExtensionInput)[] | null | undefined; "contact_tags"?: Record<string, (string)[]> | null | undefined; "comments"?: string | null | undefined; "id": number };

export type DisplayActionMapping = { "text"?: string | number | boolean | DisplayValueSource | null | undefined; "icon": "phone" | "email" | "chat" | "calendar" | "arrow"; "link"?: string | number | boolean | DisplayValueSource | null | undefined; "actionId"?: string | number | boolean | DisplayValueSource | null | undefined; "message"?: string | number | boolean | DisplayValueSource | null | undefined; "type": "text" | "link" | "button" | "message" };

export type DisplayActionMappingInput = { "text"?: string | number | boolean | DisplayValueSource | null | undefined; "icon"?: "phone" | "email" | "chat" | "calendar" | "arrow" | undefined; "link"?: string | number | boolean | DisplayValueSource | null | undefined; "actionId"?: string | number | boolean | DisplayValueSource | null | undefined; "message"?: string | number | boolean | DisplayValueSource | null | undefined; "type": "text" | "link" | "button" | "message" };

export type DisplayCtaMapping = { "text"?: string | number | boolean | DisplayValueSource | null | undefined; "icon": "phone" | "email" | "chat" | "calendar" | "arrow"; "link"?: string | number | boolean | DisplayValueSource | null | undefined; "actionId"?: string | number | boolean | DisplayValueSource | null | undefined; "message"?: string | number | boolean | DisplayValueSource | null | undefined };

export type DisplayCtaMappingInput = { "text"?: string | number | boolean | DisplayValueSource | null | undefined; "icon"?: "phone" | "email" | "chat" | "calendar" | "arrow" | undefined; "link"?: string | number | boolean | DisplayValueSource | null | undefined; "actionId"?: string | number | boolean | DisplayValueSource | null | undefined; "message"?: string | number | boolean | DisplayValueSource | null | undefined };

export type DisplayMapping = { "media"?: { "imageUrl"?: string | number | boolean | DisplayValueSource | null | undefined; "originalImageWidth"?: string | number | boolean | DisplayValueSource | null | undefined; "originalImageHeight"?: string | number | boolean | DisplayValueSource | null | undefined; "maxHeight"?: string | number | boolean | DisplayValueSource | null | undefined } | null | undefined; "content"?: { "header"?: string | number | boolean | DisplayValueSource | null | undefined; "subheader"?: string | number | boolean | DisplayValueSource | null | undefined; "description"?: string | number | boolean | DisplayValueSource | null | undefined; "avatarImageUrl"?: string | number | boolean | DisplayValueSource | null | undefined; "contentAlwaysLeft"?: string | number | boolean | DisplayValueSource | null | undefined } | null | undefined; "media.imageUrl"?: string | number | boolean | DisplayValueSource | null | undefined; "media.originalImageWidth"?: string | number | boolean | DisplayValueSource | null | undefined; "media.originalImageHeight"?: string | number | boolean | DisplayValueSource | null | undefined; "media.maxHeight"?: string | number | boolean | DisplayValueSource | null | undefined; "content.header"?: string | number | boolean | DisplayValueSource | null | undefined; "content.subheader"?: string | number | boolean | DisplayValueSource | null | undefined; "content.description"?: string | number | boolean | DisplayValueSource | null | undefined; "content.avatarImageUrl"?: string | number | boolean | DisplayValueSource | null | undefined; "content.contentAlwaysLeft"?: string | number | boolean | DisplayValueSource | null | undefined; "actions"?: (DisplayActionMapping)[] | null | undefined; "cta"?: DisplayCtaMapping | null | undefined };

export type DisplayMappingInput = { "media"?: { "imageUrl"?: string | number | boolean | DisplayValueSource | null | undefined; "originalImageWidth"?: string | number | boolean | DisplayValueSource | null | undefined; "originalImageHeight"?: string | number | boolean | DisplayValueSource | null | undefined; "maxHeight"?: string | number | boolean | DisplayValueSource | null | undefined } | null | undefined; "content"?: { "header"?: string | number | boolean | DisplayValueSource | null | undefined; "subheader"?: string | number | boolean | DisplayValueSource | null | undefined; "description"?: string | number | boolean | DisplayValueSource | null | undefined; "avatarImageUrl"?: string | number | boolean | DisplayValueSource | null | undefined; "contentAlwaysLeft"?: string | number | boolean | DisplayValueSource | null | undefined } | null | undefined; "media.imageUrl"?: string | number | boolean | DisplayValueSource | null | undefined; "media.originalImageWidth"?: string | number | boolean | DisplayValueSource | null | undefined; "media.originalImageHeight"?: string | number | boolean | DisplayValueSource | null | undefined; "media.maxHeight"?: string | number | boolean | DisplayValueSource | null | undefined; "content.header"?: string | number | boolean | DisplayValueSource | null | undefined; "content.subheader"?: string | number | boolean | DisplayValueSource | null | undefined; "content.description"?: string | number | boolean | DisplayValueSource | null | undefined; "content.avatarImageUrl"?: string | number | boolean | DisplayValueSource | null | undefined; "content.contentAlwaysLeft"?: string | number | boolean | DisplayValueSource | null | undefined; "actions"?: (DisplayActionMappingInput)[] | null | undefined; "cta"?: DisplayCtaMappingInput | null | undefined };

export type DisplayValueSource = { "path"?: string | null | undefined; "template"?: string | null | undefined; "default"?: unknown | undefined };

export type DisplayValueSourceInput = DisplayValueSource;

export type DoNotCallCheck = { "address": string; "lists": (string)[] };

export type DoNotCallFile = { "file"?: string | undefined };

export type DoNotCallList = { "id": number; "name": string; "kind": "internal" | "national" | "litigators" | "other"; "purposes": (string)[]; "channels": (string)[]; "consent_overrides": boolean; "numbers": number; "file_name": string | null; "as_of": string | null; "age_days": number | null; "is_outdated": boolean; "imported_at": string | null; "imported_by": string | null; "last_updated": string; "last_updated_by": string };

export type DoNotCallListSettings = { "name": string; "kind"?: "internal" | "national" | "litigators" | "other" | undefined; "purposes"?: ("marketing" | "informational")[] | undefined; "channels"?: ("call" | "text")[] | undefined; "consent_overrides"?: boolean | undefined };

export type EmailConfigurations = { "sending_domain": string };

export type EmailConfigurationsInput = EmailConfigurations;

export type EndedChat = { "ended": true };

export type EndedConversation = { "session_id": number };

export type Erasure = { "id": number; "status": "PENDING" | "WAITING" | "RUNNING" | "COMPLETED"; "address_hash": string; "linked_hashes": (string)[]; "waits_for"?: string | null | undefined; "counts": Record<string, number>; "requested_at": string; "requested_by": string; "started_at"?: string | null | undefined; "finished_at"?: string | null | undefined };

export type ErasurePreview = { "address_hash": string; "earlier_hashes": (string)[]; "linked_hashes": (string)[]; "counts": Record<string, number>; "waits_for"?: string | null | undefined };

export type ErasureRequest = { "address": string };

export type ErrorDetail = { "detail": string };

export type Event = { "timestamp": string; "session_id"?: string | null | undefined; "conversation_id"?: string | null | undefined; "source"?: string | null | undefined; "source_id"?: string | null | undefined; "category"?: string | null | undefined; "type"?: string | null | undefined; "user_id"?: string | null | undefined; "description"?: string | null | undefined; "attributes"?: Record<string, unknown> | null | undefined };

export type EventTask = { "id"?: string | null | undefined; "config"?: Record<string, unknown> | null | undefined; "variables"?: (Variable)[] | null | undefined; "metadata"?: ContextTaskMetadata | null | undefined; "tool"?: ContextToolInfo | null | undefined; "tools"?: (string)[] | null | undefined; "version": "v1alpha"; "type": "event"; "on"?: EventTaskEvents | undefined };

export type EventTaskEvents = { "start"?: (SetValueAction | IncrementAction | GetValueAction | SaveAction | CallAction | SayAction)[] | null | undefined };

export type EventTaskEventsInput = { "start"?: (SetValueActionInput | IncrementActionInput | GetValueActionInput | SaveActionInput | CallActionInput | SayActionInput)[] | null | undefined };

export type EventTaskInput = { "id"?: string | null | undefined; "config"?: Record<string, unknown> | null | undefined; "variables"?: (VariableInput)[] | null | undefined; "metadata"?: ContextTaskMetadata | null | undefined; "tool"?: ContextToolInfo | null | undefined; "tools"?: (string)[] | null | undefined; "version"?: "v1alpha" | undefined; "type": "event"; "on"?: EventTaskEventsInput | undefined };

export type Experiment = { "id": number; "name": string; "agent_id": number; "agent": string; "channel_target_id": number | null; "target": string | null; "campaign_id": number | null; "campaign_name": string | null; "variants": (ExperimentVariant)[]; "ramp": (RampStep)[] | null; "guards": ("errors" | "transfers" | "opt_outs" | "complaints" | "slow")[]; "slow_ms": number; "success": SuccessRule | null; "status": "draft" | "running" | "stopped" | "returned" | "adopted"; "stages": (ExperimentStage)[]; "next_step_at": string | null; "started_at": string | null; "ended_at": string | null; "ended_because": string | null; "created_at": string; "last_updated": string; "last_updated_by": string; "validation_issues"?: (ValidationIssue)[] | null | undefined };

export type ExperimentAdoption = { "version_number"?: number | null | undefined };

export type ExperimentComparison = { "experiment_id": number; "stage": number; "collected_at": string | null; "kept_since": string | null; "versions": ({ "version_number": number; "is_control": boolean; "weight": number; "sessions": number; "people": number; "running": number })[]; "figures": (ExperimentFigure)[]; "guards": ({ "guard": "errors" | "transfers" | "opt_outs" | "complaints" | "slow"; "version_number": number; "evidence": number; "threshold": number; "is_tripped": boolean })[] };

export type ExperimentFigure = { "metric": "success" | "errors" | "transfers" | "opt_outs" | "complaints" | "slow" | "wait_ms" | "duration_s" | "turns" | "cost_usd"; "unit": "rate" | "ms" | "s" | "count" | "usd"; "versions": ({ "version_number": number; "is_control": boolean; "count": number; "total": number; "value": number | null; "low": number | null; "high": number | null })[]; "differences": ({ "version_number": number; "difference": number | null; "low": number | null; "high": number | null; "p_value": number | null; "verdict": "better" | "worse" | "higher" | "lower" | "can't tell"; "people_needed": number | null; "says": string })[] };

export type ExperimentStage = { "started_at": string; "weights": ({ "version_number": number; "weight": number })[]; "changed_by": string };

export type ExperimentStop = { "reason": string };

export type ExperimentUpdate = { "name": string; "agent_id": number; "channel_target_id"?: number | null | undefined; "campaign_id"?: number | null | undefined; "variants": (ExperimentVariant)[]; "ramp"?: (RampStepInput)[] | null | undefined; "guards"?: ("errors" | "transfers" | "opt_outs" | "complaints" | "slow")[] | undefined; "slow_ms"?: number | undefined; "success"?: SuccessRuleInput | null | undefined; "id": number };

export type ExperimentVariant = { "version_number": number; "weight": number; "is_control": boolean };

export type ExperimentWeights = { "weights": ({ "version_number": number; "weight": number })[] };

export type Expression = string | { "type": "jp" | "jmespath"; "expression": string } | { "type": "cel"; "expression": string } | { "case": ({ "value"?: unknown | undefined; "valueFrom"?: Expression | null | undefined; "if"?: Expression | null | undefined })[]; "type"?: unknown | undefined };

export type ExpressionInput = string | { "type"?: "jp" | "jmespath" | undefined; "expression": string } | { "type"?: "cel" | undefined; "expression": string } | { "case": ({ "value"?: unknown | undefined; "valueFrom"?: ExpressionInput | null | undefined; "if"?: ExpressionInput | null | undefined })[]; "type"?: unknown | undefined };

export type ExpressionTask = { "id"?: string | null | undefined; "config"?: Record<string, unknown> | null | undefined; "variables"?: (Variable)[] | null | undefined; "metadata"?: ContextTaskMetadata | null | undefined; "tool"?: ContextToolInfo | null | undefined; "tools"?: (string)[] | null | undefined; "version": "v1alpha"; "type": "expression"; "inputs"?: (InputParameter)[] | undefined; "expression"?: Expression | null | undefined; "output"?: unknown | undefined; "on"?: ExpressionTaskEvents | undefined };

export type ExpressionTaskEvents = { "start"?: (SetValueAction | IncrementAction | GetValueAction | SaveAction | CallAction | SayAction)[] | null | undefined; "submit"?: (SetValueAction | IncrementAction | GetValueAction | SaveAction | CallAction | SayAction)[] | null | undefined };

export type ExpressionTaskEventsInput = { "start"?: (SetValueActionInput | IncrementActionInput | GetValueActionInput | SaveActionInput | CallActionInput | SayActionInput)[] | null | undefined; "submit"?: (SetValueActionInput | IncrementActionInput | GetValueActionInput | SaveActionInput | CallActionInput | SayActionInput)[] | null | undefined };

export type ExpressionTaskInput = { "id"?: string | null | undefined; "config"?: Record<string, unknown> | null | undefined; "variables"?: (VariableInput)[] | null | undefined; "metadata"?: ContextTaskMetadata | null | undefined; "tool"?: ContextToolInfo | null | undefined; "tools"?: (string)[] | null | undefined; "version"?: "v1alpha" | undefined; "type": "expression"; "inputs"?: (InputParameterInput)[] | undefined; "expression"?: ExpressionInput | null | undefined; "output"?: unknown | undefined; "on"?: ExpressionTaskEventsInput | undefined };

export type FigureMetric = { "name": "sessions" | "turns" | "duration" | "cost" | "cost_per_session" | "errors" | "hand_overs" | "tool_failures" | "latency_p50" | "latency_p95" | "insight_rate" | "insight_mean" | "people_tried" | "people_answered" | "people_talked" | "people_goal"; "insight"?: string | null | undefined; "value"?: string | null | undefined };

export type FigurePeriod = { "last_days"?: number | null | undefined; "start_datetime"?: string | null | undefined; "end_datetime"?: string | null | undefined; "timezone"?: string | undefined };

export type FigurePoint = { "value": number | null; "count": number; "low": number | null; "high": number | null; "before": number | null; "before_count": number | null; "change": number | null; "search": FigureSearch | null; "key": string; "label": string; "starts_at": string | null };

export type FigureSearch = { "search_fields": (string)[]; "search_field_values": (string)[]; "start_datetime": string; "end_datetime": string };

export type FigureSplit = { "by": "none" | "day" | "hour" | "agent" | "version" | "channel" | "campaign" | "end_reason" | "insight" | "label"; "insight"?: string | null | undefined };

export type FigureSplitInput = { "by"?: "none" | "day" | "hour" | "agent" | "version" | "channel" | "campaign" | "end_reason" | "insight" | "label" | undefined; "insight"?: string | null | undefined };

export type FigureTotal = { "value": number | null; "count": number; "low": number | null; "high": number | null; "before": number | null; "before_count": number | null; "change": number | null; "search": FigureSearch | null };

export type FilterCount = { "counted": number; "is_complete": boolean; "passing": number; "skipped": number; "not_looked_up": number; "reasons": ({ "reason": string; "count": number })[] };

export type FilterCountQuery = { "batch_id"?: string | null | undefined; "target_filters"?: TargetFiltersInput | null | undefined; "allowed_line_types"?: (LineTypeBucket)[] | null | undefined; "include_unknown_line_types"?: boolean | undefined };

export type FilterOp = "in" | "not_in" | "eq" | "neq" | "exists" | "not_exists";

export type FolderDetails = { "name": string; "label"?: string | null | undefined; "description"?: string | null | undefined; "id": number; "created_at"?: string | undefined; "updated_at"?: string | undefined; "last_updated_by": string; "folder_stats": Record<string, string | number> };

export type ForecastOwnHours = { "waiting": number; "judged": number; "held": number; "first_at": string | null; "zones": ({ "zone": string; "people": number; "opens_at": string })[]; "text": string };

export type ForecastQuestion = { "answer_rate": number; "from"?: string | null | undefined; "days"?: number | undefined; "requests"?: number | null | undefined; "call_rate"?: number | null | undefined; "expires_on"?: string | null | undefined; "auto_call_rate"?: boolean | undefined; "skip_rate"?: number | null | undefined };

export type ForkContinuation = { "variables"?: Record<string, unknown> | undefined; "answer"?: { "result"?: unknown | undefined; "error"?: string | null | undefined } | null | undefined; "breakpoints"?: TurnBreakpointsInput | null | undefined };

export type ForkStop = { "kind": "step" | "guard" | "tool"; "workflow": string | null; "step": string | null; "to": string | null; "condition": string | null; "holds": boolean | null; "value": unknown; "operands": ({ "name": string; "value": unknown })[]; "tool": string | null; "arguments": Record<string, unknown> | null; "variables": Record<string, unknown>; "local": Record<string, unknown>; "inputs": Record<string, unknown> };

export type ForkedToolResult = { "tool": string; "match"?: Record<string, unknown> | null | undefined; "result"?: unknown | undefined; "error"?: string | null | undefined };

export type FoundSentence = { "timestamp": string; "source": "user" | "agent"; "text": string; "marks": ({ "from": number; "to": number })[] };

export type FoundSession = { "timestamp": string; "session_id"?: string | null | undefined; "conversation_id"?: string | null | undefined; "channel_manager_service"?: string | null | undefined; "channel_manager_type"?: string | null | undefined; "channel_manager_sid"?: string | null | undefined; "agent_id"?: string | null | undefined; "agent_name"?: string | null | undefined; "agent_type"?: string | null | undefined; "agent_timezone"?: string | null | undefined; "prompt_id"?: string | null | undefined; "prompt_name"?: string | null | undefined; "prompt_version"?: string | null | undefined; "prompt_version_number"?: number | null | undefined; "agent_version"?: number | null | undefined; "duration"?: number | null | undefined; "session_label_id"?: string | null | undefined; "source"?: string | null | undefined; "target"?: string | null | undefined; "is_legacy"?: boolean | null | undefined; "is_test"?: boolean | null | undefined; "is_outbound"?: boolean | null | undefined; "user_terminated"?: boolean | null | undefined; "transfer_voicemail_detected"?: boolean | null | undefined; "override_timestamp"?: string | null | undefined; "verified"?: boolean | null | undefined; "claimed_user"?: string | null | undefined; "ended_at"?: string | null | undefined; "end_reason"?: string | null | undefined; "simulated"?: boolean | null | undefined; "title"?: string | null | undefined; "channel": string; "label"?: string | null | undefined; "has_error"?: boolean | null | undefined; "tools"?: (string)[] | null | undefined; "failed_tools"?: (string)[] | null | undefined; "cost_usd"?: number | null | undefined; "found"?: FoundSentence | null | undefined };

export type GateResult = { "suite_id": number; "suite": string | null; "at_least": number; "run_id": number | null; "passed": number | null; "total": number | null; "low": number | null; "most_answer_ms"?: number | null | undefined; "answer_p95_ms"?: number | null | undefined; "most_cost_usd"?: number | null | undefined; "agent_cost_usd"?: number | null | undefined; "passes": boolean; "says": string };

export type GetValueAction = { "action": "get" | "load"; "inputs"?: (string)[] | null | undefined; "overwrite": boolean; "value"?: unknown | undefined; "valueFrom"?: Expression | null | undefined; "if"?: Expression | null | undefined };

export type GetValueActionInput = { "action": "get" | "load"; "inputs"?: (string)[] | null | undefined; "overwrite"?: boolean | undefined; "value"?: unknown | undefined; "valueFrom"?: ExpressionInput | null | undefined; "if"?: ExpressionInput | null | undefined; "value_from"?: ExpressionInput | null | undefined };

export type HTTPValidationError = { "detail"?: ({ "loc": (string | number)[]; "msg": string; "type": string })[] | undefined };

export type HeldMessage = { "message_id": string; "why": "repeated" | "pace" };

export type HeldMessageAnswer = { "text": string };

export type IdentityKey = { "key": string; "identity_key_set_at": string };

export type ImportedAgent = { "agent": { "id": number; "name": string }; "parts": ({ "kind": "service" | "tool" | "language_group" | "bridge_phrases" | "custom_message" | "prompt"; "id": number; "name": string; "is_new": boolean })[] };

export type IncidentCreateRequest = { "description": string; "start_datetime": string; "resolution_datetime": string; "impact_category": string; "sessions_impacted": number; "markdown": string; "organization_id"?: number | null | undefined; "sub_organization_id"?: number | null | undefined; "sub_organization"?: string | null | undefined };

export type IncidentOrganizationResponse = { "id": number; "name": string; "display_name": string };

export type IncidentResponse = { "description": string; "start_datetime": string; "resolution_datetime": string; "impact_category": string; "sessions_impacted": number; "markdown": string; "organization_id"?: number | null | undefined; "sub_organization_id"?: number | null | undefined; "sub_organization"?: string | null | undefined; "id": number; "created_at"?: string | null | undefined; "updated_at"?: string | null | undefined; "last_updated_by": string | null };

export type IncidentUpdateRequest = { "description": string; "start_datetime": string; "resolution_datetime": string; "impact_category": string; "sessions_impacted": number; "markdown": string; "organization_id"?: number | null | undefined; "sub_organization_id"?: number | null | undefined; "sub_organization"?: string | null | undefined; "id": number };

export type IncrementAction = { "action": "inc"; "name": string; "by": number; "if"?: Expression | null | undefined };

export type IncrementActionInput = { "action": "inc"; "name": string; "by"?: number | undefined; "if"?: ExpressionInput | null | undefined };

export type InputParameter = { "name": string; "type"?: "string" | "number" | "integer" | "boolean" | "object" | "array" | "null" | null | undefined; "description"?: string | null | undefined; "title"?: string | null | undefined; "format"?: string | null | undefined; "pattern"?: string | null | undefined; "enum"?: (string)[] | null | undefined; "examples"?: (unknown)[] | null | undefined; "required": boolean };

export type InputParameterInput = { "name": string; "type"?: "string" | "number" | "integer" | "boolean" | "object" | "array" | "null" | null | undefined; "description"?: string | null | undefined; "title"?: string | null | undefined; "format"?: string | null | undefined; "pattern"?: string | null | undefined; "enum"?: (string)[] | null | undefined; "examples"?: (unknown)[] | null | undefined; "required"?: boolean | undefined };

export type InsightAmounts = { "count": number; "input_tokens": number; "output_tokens": number; "cost_usd": number };

export type InsightBackfill = { "workflow_id": number; "rate_per_minute": number | null; "backfill": InsightBackfillState | null };

export type InsightBackfillRate = { "rate_per_minute"?: number | null | undefined };

export type InsightBackfillState = { "id": number; "status": "RUNNING" | "PAUSED" | "COMPLETED" | "CANCELED"; "from_datetime": string; "to_datetime": string; "cursor_datetime": string | null; "planned": InsightAmounts; "actual": InsightAmounts; "queued_count": number; "waiting_count": number; "running_count": number; "failed_count": number; "created_at": string; "created_by": string; "finished_at": string | null };

export type InsightExecution = { "id": number; "workflow_id": number; "workflow_name": string; "session_id": number | null; "upload_file_id": number | null; "cause": "session" | "upload" | "manual" | "backfill"; "backfill_id": number | null; "status": "PENDING" | "PROCESSING" | "COMPLETED" | "FAILED"; "attempts": number; "error_message": string | null; "created_at": string; "run_at": string; "started_at": string | null; "finished_at": string | null; "tools": (InsightToolRun)[]; "input_tokens": number | null; "output_tokens": number | null; "cost_usd": number | null };

export type InsightSpending = { "tools": (InsightToolSpending)[]; "estimated_daily_cost": number; "backfill_is_exact": boolean; "actual_daily": ({ "runs": number; "failed_runs": number; "input_tokens": number; "output_tokens": number; "cached_input_tokens": number; "cost_usd": number; "day": string })[]; "actual_total": InsightUsage };

export type InsightToolDefinition = { "id": number; "name": string; "type": string; "description": string; "tool_parameters": unknown; "tool_result_set": unknown };

export type InsightToolInput = { "name": string; "description": string; "version": number; "tool_arguments": unknown; "insight_tool_definition_id": number };

export type InsightToolOutput = { "name": string; "description": string; "version": number; "tool_arguments": unknown; "insight_tool_definition_id": number; "id": number; "insight_tool_definition"?: InsightToolDefinition | null | undefined; "created_at"?: string | undefined; "updated_at"?: string | undefined; "last_updated_by": string };

export type InsightToolResponse = { "name": string; "description": string; "version": number; "tool_arguments": unknown; "insight_tool_definition_id": number; "id": number; "insight_tool_definition"?: InsightToolDefinition | null | undefined; "created_at"?: string | undefined; "updated_at"?: string | undefined; "last_updated_by": string; "validation_issues"?: (ValidationIssue)[] | null | undefined };

export type InsightToolRun = { "insight_tool_id": number; "insight_tool_version": number; "name": string; "finished_at": string | null; "model": string | null; "parts": number | null; "input_tokens": number | null; "output_tokens": number | null; "cached_input_tokens": number | null; "cost_usd": number | null; "duration_ms": number | null };

export type InsightToolSpending = { "insight_tool_id": number; "name": string; "basis": "measured" | "transcripts" | "none"; "measured_runs": number; "input_tokens": number; "output_tokens": number; "cost_usd": number; "price": { "input_usd": number; "output_usd": number; "cached_input_usd": number | null; "source": string; "as_of": string } | null; "minute_price": { "minute_usd": number; "source": string; "as_of": string } | null };

export type InsightToolTestInput = { "tool_name": string; "session_id"?: number | null | undefined; "upload_file_id"?: number | null | undefined };

export type InsightUsage = { "runs": number; "failed_runs": number; "input_tokens": number; "output_tokens": number; "cached_input_tokens": number; "cost_usd": number };

export type InsightWorkflowActivate = { "is_acknowledged": boolean; "estimate": InsightWorkflowEstimate };

export type InsightWorkflowCondition = { "min_duration"?: number | null | undefined; "max_duration"?: number | null | undefined; "sample_rate"?: number | null | undefined; "agent_list"?: (number)[] | (string)[] | null | undefined; "prompt_list"?: (string)[] | null | undefined; "folder_list"?: (number)[] | null | undefined; "sheet_info"?: Record<string, string> | null | undefined };

export type InsightWorkflowConditionOutput = { "min_duration"?: number | null | undefined; "max_duration"?: number | null | undefined; "sample_rate"?: number | null | undefined; "agent_list"?: (number)[] | (string)[] | null | undefined; "prompt_list"?: (string)[] | null | undefined; "folder_list"?: (number)[] | null | undefined; "sheet_info"?: Record<string, string> | null | undefined };

export type InsightWorkflowEstimate = { "backfill_count": number; "backfill_duration": number; "estimated_daily_count": number; "estimated_daily_duration": number; "estimated_daily_cost": number; "estimated_backfill_cost": number };

export type InsightWorkflowEstimateInput = InsightWorkflowEstimate;

export type InsightWorkflowInput = { "name": string; "source": "agent" | "transfer" | "upload" | "sheet" | "manual"; "description": string; "insight_tool_ids": (number)[]; "conditions": InsightWorkflowCondition; "start_datetime"?: string | null | undefined; "end_datetime"?: string | null | undefined };

export type InsightWorkflowOutput = { "name": string; "source": string; "description": string; "insight_tool_ids": (number)[]; "conditions": InsightWorkflowConditionOutput; "start_datetime"?: string | null | undefined; "end_datetime"?: string | null | undefined; "id": number; "insight_tools": (InsightToolOutput)[]; "status": string; "estimate": InsightWorkflowEstimate; "validation_issues"?: (ValidationIssue)[] | undefined; "estimate_problem"?: string | undefined; "queue_count"?: number | null | undefined; "failed_count"?: number | null | undefined; "created_at"?: string | undefined; "updated_at"?: string | undefined; "last_updated_by": string; "last_folder_upload_at"?: string | null | undefined };

export type InsightsFolder = { "name": string; "label"?: string | null | undefined; "description"?: string | null | undefined; "id": number; "created_at"?: string | undefined; "updated_at"?: string | undefined; "last_updated_by": string };

export type InsightsFolderFileMove = { "destination_folder_id": number; "file_id_list": (number)[] };

export type InsightsFolderRequest = { "name": string; "label"?: string | null | undefined; "description"?: string | null | undefined };

export type InsightsOutput = { "id": number; "session_id"?: number | null | undefined; "upload_file_id"?: number | null | undefined; "insight_tool_id": number; "insight_tool_version": number; "workflow_id"?: number | null | undefined; "insight_key": string; "string_value"?: string | null | undefined; "numeric_value"?: number | null | undefined; "json_value": Record<string, string | number>; "created_at"?: string | undefined; "updated_at"?: string | undefined; "model"?: string | null | undefined; "upload_file_metadata": unknown };

export type InsightsUploadFile = { "id": number; "folder_id": number; "filename": string; "object_key": string; "call_id"?: string | null | undefined; "agent_number"?: string | null | undefined; "customer_number"?: string | null | undefined; "duration"?: number | null | undefined; "start_time"?: string | null | undefined; "end_time"?: string | null | undefined; "error_message"?: string | null | undefined; "metadata"?: Record<string, string | number> | null | undefined; "created_at"?: string | undefined };

export type InsightsWorkflowQueueSession = { "workflow_name": string; "session_id_list"?: (number)[] | null | undefined; "file_id_list"?: (number)[] | null | undefined };

export type InspectLatencyResponse = { "session_id": string; "timeline": (LatencyEntry)[]; "summary": (SummaryEntry)[] };

export type InternalTool = { "type": "function"; "function": ToolFunction };

export type InternalToolInput = { "type"?: "function" | undefined; "function": ToolFunction };

export type JobFailure = { "name": string; "reason": string; "jobs": number; "given_up": number; "failed_at": string };

export type JobQueue = { "name": string; "waiting": number; "later": number; "running": number; "given_up": number };

export type JobQueues = { "queues": (JobQueue)[]; "failures": (JobFailure)[] };

export type JudgeCalibration = { "labelled": number; "unclear": number; "answered": number; "waiting": number; "failed": number; "model": string | null; "both_yes": number; "person_yes": number; "judge_yes": number; "both_no": number; "kappa": number | null; "low": number | null; "high": number | null; "gates": boolean; "says": string };

export type JudgeInput = { "name": string; "description"?: string | undefined; "question": string; "insight_tool_id": number; "output": string; "wanted"?: boolean | number | string | undefined; "reason_output"?: string | null | undefined; "votes"?: 1 | 3 | 5 | 7 | 9 | undefined; "least_kappa"?: number | undefined };

export type JudgeLabel = { "session_id": number; "label": "yes" | "no" | "unclear"; "labelled_at": string; "labelled_by": string; "answer": "yes" | "no" | null; "votes_yes": number | null; "model": string | null; "fault": string | null; "is_current": boolean };

export type JudgeLabelRequest = { "label": "yes" | "no" | "unclear" };

export type JudgeListed = { "id": number; "name": string; "description": string; "question": string; "insight_tool_id": number; "insight_tool": string; "output": string; "wanted": boolean | number | string; "reason_output": string | null; "votes": 1 | 3 | 5 | 7 | 9; "least_kappa": number; "label_count": number; "last_updated": string; "last_updated_by": string };

export type JudgeResponse = { "id": number; "name": string; "description": string; "question": string; "insight_tool_id": number; "insight_tool": string; "output": string; "wanted": boolean | number | string; "reason_output": string | null; "votes": 1 | 3 | 5 | 7 | 9; "least_kappa": number; "label_count": number; "last_updated": string; "last_updated_by": string; "calibration": JudgeCalibration };

export type JudgeUpdate = { "name": string; "description"?: string | undefined; "question": string; "insight_tool_id": number; "output": string; "wanted"?: boolean | number | string | undefined; "reason_output"?: string | null | undefined; "votes"?: 1 | 3 | 5 | 7 | 9 | undefined; "least_kappa"?: number | undefined; "id": number };

export type LanguageCode = "yue-HK" | "en-US" | "ko-KR" | "zh-CN" | "fa-IR" | "es-US" | "th-TH" | "vi-VN" | "bs-BA" | "sw-KE" | "ru-RU" | "hi-IN" | "gu-IN" | "ar-XA" | "fr-FR" | "ja-JP" | "ne-NP";

export type LanguageConfig = { "language_code": LanguageCode; "voice_provider": TtsProvider; "voice_display_name": string; "voice_speed": number | null; "voice_pitch": number | null; "dtmf_code": number; "skip_current_language_in_message"?: boolean | null | undefined };

export type LanguageConfigInput = { "language_code": LanguageCode; "voice_provider": TtsProvider; "voice_display_name": string; "voice_speed"?: number | null | undefined; "voice_pitch"?: number | null | undefined; "dtmf_code": number; "skip_current_language_in_message"?: boolean | null | undefined };

export type LanguageGroupAgentInfo = { "id": number; "name": string };

export type LanguageGroupResponse = { "name": string; "description"?: string | null | undefined; "language_configs": (LanguageConfig)[]; "skip_current_language_in_message": boolean; "id": number; "edit_comments"?: string | null | undefined; "agents_info"?: (LanguageGroupAgentInfo)[] | null | undefined; "updated_at": string; "last_updated_by": string; "validation_issues"?: (ValidationIssue)[] | null | undefined };

export type LatencyCategory = "tts" | "stt" | "llm" | "tool" | "http";

export type LatencyEntry = { "timestamp": string; "measurement_start": string; "category": LatencyCategory; "label": string; "metadata"?: (string)[] | null | undefined; "unit_type": "minutes" | "seconds" | "milliseconds" | "microseconds" | "nanoseconds"; "value": number; "value_str": string; "time_delta": string };

export type LegacyPhraseSet = { "messages": (string)[]; "randomize_messages": boolean; "first_slow_messages": (string)[]; "very_slow_messages": (string)[]; "tool_responses": (string)[] };

export type LegacyPhraseSetInput = { "messages"?: (string)[] | undefined; "randomize_messages"?: boolean | undefined; "first_slow_messages"?: (string)[] | undefined; "very_slow_messages"?: (string)[] | undefined; "tool_responses"?: (string)[] | undefined };

export type LegalHold = { "session_id": string; "held": boolean; "held_at"?: string | null | undefined; "held_by"?: string | null | undefined; "reason"?: string | null | undefined };

export type LegalHoldRequest = { "held": boolean; "reason"?: string | null | undefined };

export type LifecycleStatus = "active" | "deprecated" | "retired";

export type LimitState = { "own": number | null; "installation": number; "used": number };

export type LineTypeBucket = "mobile" | "landline" | "voip";

export type LiveSession = { "session_id": string; "agent_id": string; "agent_name": string; "source": string | null; "target": string | null; "channel": "voice" | "chat" | "sms" | "email" | "whatsapp"; "is_test": boolean; "is_outbound": boolean; "timestamp": string; "last_activity_at": string; "turn_count": number; "state": "listening" | "answering" | "tool" | "set-aside"; "running_tool": string | null; "taken_by": string | null; "last_words": { "source": "user" | "agent"; "text": string; "written_by": string | null } | null };

export type LiveSessions = { "at": string; "sessions": (LiveSession)[]; "more": boolean };

export type LlmProviderInput = { "api_key"?: string | null | undefined; "base_url"?: string | null | undefined };

export type LlmProviderResponse = { "provider": "anthropic" | "azure_openai" | "google" | "openai"; "source": "organization" | "environment" | "none"; "base_url"?: string | null | undefined; "updated_at"?: string | null | undefined; "last_updated_by"?: string | null | undefined };

export type LlmProviderTest = { "verdict": "good" | "refused" | "unclear" | "unreachable"; "message": string; "duration_ms": number; "provider": "anthropic" | "azure_openai" | "google" | "openai" };

export type LoadToolFromFileTask = { "id"?: string | null | undefined; "config"?: Record<string, unknown> | null | undefined; "variables"?: (Variable)[] | null | undefined; "metadata"?: ContextTaskMetadata | null | undefined; "tool"?: ContextToolInfo | null | undefined; "tools"?: (string)[] | null | undefined; "version": "v1alpha"; "type": "import"; "file": string | (string)[] };

export type LoadToolFromFileTaskInput = { "id"?: string | null | undefined; "config"?: Record<string, unknown> | null | undefined; "variables"?: (VariableInput)[] | null | undefined; "metadata"?: ContextTaskMetadata | null | undefined; "tool"?: ContextToolInfo | null | undefined; "tools"?: (string)[] | null | undefined; "version"?: "v1alpha" | undefined; "type": "import"; "file": string | (string)[] };

export type LocalizedBridgePhrases = { "messages": (string)[] };

export type LocalizedBridgePhrasesInput = { "messages"?: (string)[] | undefined };

export type MailDomain = { "id": number; "organization_id": number; "organization_name": string; "domain": string; "proven_at": string | null; "proven_by": "dns" | "operator" | "upgrade" | null; "record_name": string; "record_value": string; "created_at": string; "created_by": string };

export type MailDomainClaim = { "domain": string };

export type MailSent = { "success": true };

export type MatchType = "exact" | "substring";

export type McpOfferedTool = { "name": string; "description": string; "input_schema": Record<string, unknown>; "schema_hash": string; "description_hash": string; "added_as": string | null; "state": "same" | "description-changed" | "schema-changed" | "gone" | null; "accepted": { "description": string; "input_schema": unknown } | null };

export type McpServerResponse = { "service_id": number; "mcp_url": string; "revision": string | null; "server_name": string | null; "server_version": string | null; "read_at": string | null; "problem": string | null; "tools": (McpOfferedTool)[]; "gone": (string)[] };

export type McpToolsRequest = { "tools": ({ "tool": string; "schema_hash"?: string | null | undefined; "name"?: string | null | undefined })[] };

export type McpToolsResponse = { "tools": (ToolResponse)[] };

export type MessageCalendarRequest = { "rules": (CustomMessageRuleInput)[]; "from": string; "days"?: number | undefined };

export type MessageCalendarResponse = { "days": ({ "date": string; "stretches": ({ "start": string; "end": string; "rule": number | null })[] })[] };

export type ModelRoundResponse = { "id": number; "turn_index": number; "at": string; "provider": string; "model": string; "messages": (SentMessage)[]; "tools": (SentTool)[]; "tool_choice": unknown; "temperature": number | null; "seed": number | null; "text": string; "calls": ({ "id": string; "name": string; "arguments": Record<string, unknown>; "arguments_error"?: string | undefined; "arguments_text"?: string | undefined })[]; "finish": string | null; "request_id": string | null; "retries": ({ "asked": string; "because": string; "request_id": string | null })[]; "usage": { "input_tokens": number | null; "output_tokens": number | null; "cached_input_tokens": number | null } | null; "warnings": (string)[]; "error": string | null; "first_part_ms": number | null; "duration_ms": number };

export type NewExperiment = { "name": string; "agent_id": number; "channel_target_id"?: number | null | undefined; "campaign_id"?: number | null | undefined; "variants": (ExperimentVariant)[]; "ramp"?: (RampStepInput)[] | null | undefined; "guards"?: ("errors" | "transfers" | "opt_outs" | "complaints" | "slow")[] | undefined; "slow_ms"?: number | undefined; "success"?: SuccessRuleInput | null | undefined };

export type NextStep = { "if"?: Expression | null | undefined; "id": string; "requires"?: (string)[] | null | undefined };

export type NextStepInput = { "if"?: ExpressionInput | null | undefined; "id": string; "requires"?: (string)[] | null | undefined };

export type NumberChoice = { "group": string; "match": "area" | "state" | "zone" | "prefix" | "country" | "code" | "none" | null; "use": number; "cap": number | null; "text": string };

export type NumberFigures = { "tried": number; "answered": number; "rate": number | null; "low": number | null; "high": number | null; "channel_target_id": number; "number": string; "channel_id": number; "channel_name": string; "uses": number; "resting_until": string | null; "rest_reason": string | null; "paused_until": string | null };

export type NumberGroup = { "id": number; "name": string; "mode": "voice" | "sms"; "timezone": string; "channel_target_ids": (number)[]; "daily_cap": number | null; "local_presence": boolean; "health": NumberHealthRule | null; "numbers": number; "resting": number; "campaigns": (string)[]; "updated_at": string; "last_updated_by": string };

export type NumberGroupCreateRequest = { "name": string; "mode"?: "voice" | "sms" | undefined; "timezone"?: string | undefined; "channel_target_ids": (number)[]; "daily_cap"?: number | null | undefined; "local_presence"?: boolean | undefined; "health"?: NumberHealthRule | null | undefined };

export type NumberGroupReport = { "number_group_id": number; "from": string; "until": string; "day": string; "daily_cap": number | null; "total": NumberGroupTotal; "numbers": (NumberFigures)[] };

export type NumberGroupTotal = { "tried": number; "answered": number; "rate": number | null; "low": number | null; "high": number | null };

export type NumberGroupUpdateRequest = { "name": string; "mode"?: "voice" | "sms" | undefined; "timezone"?: string | undefined; "channel_target_ids": (number)[]; "daily_cap"?: number | null | undefined; "local_presence"?: boolean | undefined; "health"?: NumberHealthRule | null | undefined; "id": number };

export type NumberHealthRule = { "window_hours": number; "least_share": number; "least_attempts": number; "rest_hours": number };

export type NumberOwner = { "number": string; "organization_id": number; "organization": string; "assigned_at": string; "assigned_by": string };

export type NumberRest = { "channel_target_id": number; "number": string; "resting_until": string | null; "rest_reason": string | null };

export type NumberRestRequest = { "resting_until": string | null };

export type OpenRedactedValuesRequest = { "reason": string };

export type OpenedChat = { "session_id": string; "agent_name": string; "scripted": boolean; "ended": boolean; "messages": (ChatWords | ChatToolDisplay | ChatToolResult)[]; "position": number; "token": string; "greeting": string | null; "verified": boolean };

export type OpenedChatCall = { "call_id": string; "token": string; "verified": boolean; "language": string | null };

export type OrganizationChannelConfig = { "account_sid"?: string | null | undefined; "auth_token"?: string | null | undefined; "provider_credentials"?: Record<string, string> | null | undefined; "credentials"?: Record<string, string> | null | undefined; "telephony"?: TelephonyConfigurations | null | undefined; "email"?: EmailConfigurations | null | undefined };

export type OrganizationChannelCreateRequest = { "name": string; "channel_service": ChannelServices; "supported_modes"?: string | null | undefined; "is_system_channel"?: boolean | undefined; "config": OrganizationChannelConfig };

export type OrganizationChannelUpdateRequest = { "name": string; "channel_service": ChannelServices; "supported_modes"?: string | null | undefined; "is_system_channel"?: boolean | undefined; "config": OrganizationChannelConfig; "id": number };

export type OrganizationCreated = { "name": string; "display_name": string; "description"?: string | null | undefined; "domains"?: string | null | undefined; "saml_provider_id"?: string | null | undefined; "id": number; "last_updated_comments"?: string | null | undefined; "slug"?: string | null | undefined; "last_updated": string; "last_updated_by"?: string | null | undefined; "logo_url"?: string | null | undefined; "sign_in_link": string };

export type OrganizationLimits = { "calls_at_once": LimitState; "attempts_per_number": LimitState; "model_usd_per_day": LimitState; "model_tokens_per_day": LimitState; "visitors_per_minute": LimitState; "token_calls_per_minute": LimitState; "stored_gb": LimitState; "updated_at": string | null; "updated_by": string | null };

export type OrganizationOwnLimits = { "calls_at_once"?: number | null | undefined; "attempts_per_number"?: number | null | undefined; "model_usd_per_day"?: number | null | undefined; "model_tokens_per_day"?: number | null | undefined; "visitors_per_minute"?: number | null | undefined; "token_calls_per_minute"?: number | null | undefined; "stored_gb"?: number | null | undefined };

export type OrganizationResponse = { "name": string; "display_name": string; "description"?: string | null | undefined; "domains"?: string | null | undefined; "saml_provider_id"?: string | null | undefined; "id": number; "last_updated_comments"?: string | null | undefined; "slug"?: string | null | undefined; "last_updated": string; "last_updated_by"?: string | null | undefined; "logo_url"?: string | null | undefined };

export type OrganizationRestored = { "name": string; "display_name": string; "description"?: string | null | undefined; "domains"?: string | null | undefined; "saml_provider_id"?: string | null | undefined; "id": number; "last_updated_comments"?: string | null | undefined; "slug"?: string | null | undefined; "last_updated": string; "last_updated_by"?: string | null | undefined; "logo_url"?: string | null | undefined; "restored_targets": number; "lost_targets": (string)[] };

export type OrganizationSipIpRange = { "type": OrganizationSipIpRangeType; "ip_range": string; "id": number; "organization_id": number; "verified": boolean; "created_at"?: string | null | undefined; "updated_at"?: string | null | undefined; "deleted_at"?: string | null | undefined };

export type OrganizationSipIpRangeCreate = { "type": OrganizationSipIpRangeType; "ip_range": string };

export type OrganizationSipIpRangeType = "signaling" | "media";

export type OrganizationSipIpRangeUpdate = { "type"?: OrganizationSipIpRangeType | null | undefined; "ip_range"?: string | null | undefined };

export type OutboundCampaign = { "campaign_name": string; "description"?: string | null | undefined; "mode"?: "voice" | "sms" | "email" | null | undefined; "sms_session_ttl"?: number | null | undefined; "label"?: string | null | undefined; "labels"?: (string)[] | null | undefined; "campaign_variables": Record<string, string>; "daily_start_time"?: string | null | undefined; "daily_end_time"?: string | null | undefined; "source"?: string | null | undefined; "caller_id": string | null; "hourly_rate"?: number | undefined; "max_daily_calls"?: number | null | undefined; "retry_count"?: number | undefined; "retry_interval"?: string | null | undefined; "active_days": (DaysOfWeek)[]; "outreach_override_rules"?: OutreachOverrideRules | null | undefined; "voicemail_detection"?: VoicemailDetectionConfig | null | undefined; "allowed_line_types"?: (LineTypeBucket)[] | null | undefined; "include_unknown_line_types"?: boolean | undefined; "target_filters"?: TargetFiltersInput | null | undefined; "webhooks"?: (OutboundCampaignWebhook)[] | undefined };

export type OutboundCampaignResponse = { "campaign_name": string; "description"?: string | null | undefined; "mode"?: string | null | undefined; "sms_session_ttl"?: number | null | undefined; "label"?: string | null | undefined; "labels"?: (string)[] | null | undefined; "campaign_variables": Record<string, string>; "daily_start_time"?: string | null | undefined; "daily_end_time"?: string | null | undefined; "source"?: string | null | undefined; "caller_id": string | null; "hourly_rate": number; "max_daily_calls"?: number | null | undefined; "retry_count": number; "retry_interval"?: string | null | undefined; "active_days": (DaysOfWeek)[]; "outreach_override_rules"?: OutreachOverrideRules | null | undefined; "voicemail_detection"?: VoicemailDetectionConfig | null | undefined; "allowed_line_types"?: (LineTypeBucket)[] | null | undefined; "include_unknown_line_types": boolean; "target_filters"?: TargetFilters | null | undefined; "webhooks"?: (OutboundCampaignWebhookResponse)[] | null | undefined; "id": number; "agent_id"?: number | null | undefined; "validation_issues"?: (ValidationIssue)[] | undefined; "created_at"?: string | undefined; "updated_at"?: string | undefined; "last_updated_by": string };

export type OutboundCampaignWebhook = { "trigger_statuses": (ChannelManagerStatus)[]; "url": string; "request_method": "POST" | "PUT" | "PATCH"; "id"?: number | null | undefined; "auth_values"?: { "hmac_secret"?: string | null | undefined } | null | undefined };

export type OutboundCampaignWebhookResponse = { "trigger_statuses": (ChannelManagerStatus)[]; "url": string; "request_method": string; "id": number; "auth_value_keys"?: (string)[] | null | undefined };

export type OutcomeCounts = { "reached": number; "voicemail_left": number; "not_reached": number; "not_tried": number; "open": number };

export type OutputRule = { "name": string; "phrases"?: (string)[] | undefined; "pattern"?: string | null | undefined; "say"?: string | null | undefined };

export type OutreachOverrideRules = { "days"?: Record<string, ScheduleOverride> | undefined; "dates"?: Record<string, ScheduleOverride> | undefined };

export type OutreachRules = { "person_clock": boolean; "contact_hours": (ContactHoursInput)[]; "holidays"?: (ContactHolidayInput)[] | undefined; "caps": (ContactCap)[]; "days_after_conversation"?: number | null | undefined };

export type OutreachState = { "is_stopped": boolean; "stopped_at": string | null; "stopped_by": string | null; "active_batches": number; "ringing_calls": number };

export type Overview = { "start_datetime": string; "end_datetime": string; "figures": (OverviewFigure)[] };

export type OverviewFigure = { "metric": "sessions" | "hand_overs" | "errors" | "latency_p95" | "cost"; "unit": "count" | "percent" | "seconds" | "milliseconds" | "usd"; "total": FigureTotal | null; "by_day": (number | null)[]; "problem": string | null };

export type PermissionGroupResponse = { "name": string; "description": string; "permissions": (PermissionResponse)[] };

export type PermissionResponse = { "name": string; "display_name": string; "description"?: string | null | undefined };

export type PhraseSet = { "messages": (string)[]; "localized": Record<string, LocalizedBridgePhrases> };

export type PhraseSetInput = { "messages"?: (string)[] | undefined; "localized"?: Record<string, LocalizedBridgePhrasesInput> | undefined };

export type PlayEvent = { "type": "activate" } | { "type": "start" } | { "type": "submit"; "arguments": Record<string, unknown> } | { "type": "go_to_step"; "step_id": string } | { "type": "called"; "result": unknown; "error"?: string | null | undefined };

export type PlayedEvent = { "status": "inactive" | "active" | "completed"; "step": string | null; "inputs": Record<string, unknown>; "local": Record<string, unknown>; "variables": Record<string, unknown>; "effects": (Record<string, unknown>)[]; "trace": ({ "category": "tts" | "stt" | "llm" | "tool" | "http" | "greeting" | "turn" | "step" | "state" | "note" | "error"; "label": string; "details": Record<string, unknown> | null })[]; "awaits": string | null; "offered": { "name": string; "description": string; "parameters": unknown } | null };

export type PreflightProblem = { "step": number; "problem": "no-sender" | "no-agent" | "no-template" | "no-words" | "no-approved-template"; "agent_id": number | null; "text": string };

export type PreflightQuestion = { "batch_id"?: string | null | undefined };

export type PreflightReason = { "reason": string; "text": string; "count": number };

export type PreflightStep = { "number": number; "mode": "voice" | "sms" | "whatsapp" | "email"; "source": string; "reachable": number; "unreachable": (PreflightReason)[] };

export type PrivacySettings = { "retention": Record<string, number | null>; "store_requests": boolean; "seal_texts": boolean; "audit_reads": boolean; "updated_at": string | null; "updated_by": string | null };

export type PrivacySettingsRequest = { "retention"?: { "recording"?: number | null | undefined; "session"?: number | null | undefined; "trace"?: number | null | undefined; "request"?: number | null | undefined; "insight"?: number | null | undefined; "event"?: number | null | undefined; "audit"?: number | null | undefined } | undefined; "store_requests"?: boolean | undefined; "seal_texts"?: boolean | undefined; "audit_reads"?: boolean | undefined };

export type PromptCreateRequest = { "name": string; "description"?: string | null | undefined; "type": string; "context"?: string | null | undefined; "tools"?: (string)[] | undefined; "llm_config": PromptLlmConfigInput; "session_end_enabled"?: boolean | undefined; "session_end_tool_id"?: number | null | undefined; "edit_comments"?: string | null | undefined; "include_default_tools"?: boolean | undefined };

export type PromptHistory = { "timestamp": string; "prompt_id": string; "version_number": number; "prompt_text": string; "prompt_description"?: string | null | undefined; "prompt_name": string; "llm_config"?: PromptLlmConfig | null | undefined; "comments"?: string | null | undefined; "user_email": string; "linked_tools": (PromptHistoryLinkedTool)[]; "session_end_tool"?: PromptHistoryLinkedTool | null | undefined; "is_pre_enhancements": boolean };

export type PromptHistoryLinkedTool = { "tool_id": number; "current_tool_name": string; "out_of_date": boolean; "deleted": boolean };

export type PromptLlmConfig = { "provider": PromptLlmProvider; "model": string; "version": string | null; "api_version": string | null; "temperature": number | null; "seed": number | null };

export type PromptLlmConfigInput = { "provider"?: PromptLlmProvider | undefined; "model"?: string | undefined; "version"?: string | null | undefined; "api_version"?: string | null | undefined; "temperature"?: number | null | undefined; "seed"?: number | null | undefined };

export type PromptLlmProvider = "anthropic" | "azure_openai" | "google" | "openai";

export type PromptResponse = { "name": string; "description"?: string | null | undefined; "type": string; "context"?: string | null | undefined; "tools": (string)[]; "llm_config": PromptLlmConfig; "session_end_enabled": boolean; "session_end_tool_id"?: number | null | undefined; "edit_comments"?: string | null | undefined; "id": number; "last_updated": string | null; "last_updated_by"?: string | null | undefined; "session_end_tool"?: ToolResponse | null | undefined; "agent_count"?: number | null | undefined; "version_number"?: number | null | undefined; "tools_full"?: (ToolResponse)[] | null | undefined; "validation_issues"?: (ValidationIssue)[] | null | undefined };

export type PromptUpdateRequest = { "name": string; "description"?: string | null | undefined; "type": string; "context"?: string | null | undefined; "tools"?: (string)[] | undefined; "llm_config": PromptLlmConfigInput; "session_end_enabled"?: boolean | undefined; "session_end_tool_id"?: number | null | undefined; "edit_comments"?: string | null | undefined; "include_default_tools"?: boolean | undefined; "id": number };

export type PronunciationOverride = { "text": string; "replacement": string; "languages": (string)[]; "provider": string; "voice": string; "match_type": MatchType; "match_options": (string)[]; "enabled": boolean; "notes": string };

export type PronunciationOverridesDictionary = { "type": string; "pronunciations": (PronunciationOverride)[]; "voices": Record<string, VoiceDisplayInfo>; "metadata": DictionaryMetadata };

export type PronunciationsCsvUploadResponse = { "revision": number; "hash": string; "entries": number; "uploaded_at": string; "uploaded_by": string };

export type PublishGate = { "suite_id": number; "at_least": number; "most_answer_ms"?: number | null | undefined; "most_cost_usd"?: number | null | undefined };

export type PublishRequest = { "note"?: string | undefined; "fingerprint"?: string | null | undefined; "take_live"?: boolean | undefined; "override_reason"?: string | null | undefined };

export type QueuedInsightWork = { "queued": number; "skipped": number };

export type RampStep = { "percent": number; "after_minutes": number | null };

export type RampStepInput = { "percent": number; "after_minutes"?: number | null | undefined };

export type RedactedValues = ({ "token": string; "kind": string; "value": string | number })[];

export type RedactionPolicy = { "kinds": ("card" | "national_id" | "bank_account" | "date_of_birth" | "email" | "phone")[]; "patterns": ({ "name": string; "pattern": string })[]; "originals_days": number; "judge": { "provider": "anthropic" | "azure_openai" | "google" | "openai"; "model": string; "look_for": string } | null; "updated_at": string | null; "updated_by": string | null };

export type RedactionPolicyRequest = { "kinds"?: ("card" | "national_id" | "bank_account" | "date_of_birth" | "email" | "phone")[] | undefined; "patterns"?: ({ "name": string; "pattern": string })[] | undefined; "originals_days"?: number | undefined; "judge"?: { "provider": "anthropic" | "azure_openai" | "google" | "openai"; "model": string; "look_for": string } | null | undefined };

export type RedactionPreview = { "text": string; "found": (string)[] };

export type RedactionPreviewRequest = { "kinds"?: ("card" | "national_id" | "bank_account" | "date_of_birth" | "email" | "phone")[] | undefined; "patterns"?: ({ "name": string; "pattern": string })[] | undefined; "originals_days"?: number | undefined; "text": string };

export type ReleasedMessage = { "session_id": string; "message_id": string };

export type ReplayCheck = { "name": string; "expect": TestExpectation };

export type ReplayDivergence = { "turn": number; "why": "other words" | "nothing fits" | "unanswered call"; "tool": string | null };

export type ReplayFilter = { "days": number; "version"?: number | null | undefined; "channel"?: "voice" | "chat" | "sms" | "email" | "whatsapp" | null | undefined; "end_reason"?: string | null | undefined; "label"?: "GOOD" | "OK" | "BAD" | "N/A" | null | undefined; "called"?: string | null | undefined };

export type ReplayFilterInput = { "days"?: number | undefined; "version"?: number | null | undefined; "channel"?: "voice" | "chat" | "sms" | "email" | "whatsapp" | null | undefined; "end_reason"?: string | null | undefined; "label"?: "GOOD" | "OK" | "BAD" | "N/A" | null | undefined; "called"?: string | null | undefined };

export type ReplayGate = { "filter"?: ReplayFilterInput | undefined; "sessions"?: number | undefined; "most_regression": number };

export type ReplayGateResult = { "filter": ReplayFilter; "sessions": number; "most_regression": number; "replay_id": number | null; "pairs": number | null; "difference": number | null; "low": number | null; "high": number | null; "sessions_needed": number | null; "verdict": "passes" | "worse" | "can't tell" | "missing"; "passes": boolean; "says": string };

export type ReplayListed = { "id": number; "agent_id": number; "agent": string; "baseline": string; "candidate": string; "seed": number; "status": "running" | "finished" | "cancelled"; "created_at": string; "created_by": string; "finished_at": string | null; "total": number; "pending": number };

export type ReplayMean = { "measure": "turns" | "calls" | "cost_usd" | "latency_ms"; "pairs": number; "observed": number | null; "baseline": number | null; "candidate": number | null; "difference": number | null; "low": number | null; "high": number | null; "p_value": number; "p_corrected": number; "verdict": "more" | "less" | "can't tell"; "pairs_needed": number | null };

export type ReplayMeasures = { "ended_by": "agent" | "person"; "turns": number; "tools": ({ "tool": string; "called": number; "failed": number; "is_service": boolean })[]; "steps": (string)[]; "cost_usd": number | null; "latency_ms": number | null; "checks": Record<string, boolean>; "diverged": ReplayDivergence | null; "unanswered": (string)[]; "failed_turns": number; "persona_cost_usd": number };

export type ReplayPair = { "id": number; "position": number; "stratum": string; "status": "pending" | "replayed" | "error" | "skipped"; "session_id": number | null; "baseline_session_id": number | null; "candidate_session_id": number | null; "observed": ReplayMeasures | null; "baseline": ReplayMeasures | null; "candidate": ReplayMeasures | null; "notes": (string)[]; "finished_at": string | null };

export type ReplayRate = { "kind": "outcome" | "check" | "tool" | "step" | "ended_by_agent" | "followed"; "name": string | null; "pairs": number; "observed": number; "baseline": number; "candidate": number; "gained": number; "lost": number; "lost_unanswered": number; "difference": number | null; "low": number | null; "high": number | null; "p_value": number; "p_corrected": number; "verdict": "better" | "worse" | "different" | "can't tell"; "pairs_needed": number | null; "says": string };

export type ReplayRequest = { "sessions": number; "filter": ReplayFilter; "stratify_by": "none" | "end_reason" | "channel" | "day" | "version"; "seed": number; "baseline"?: "recorded" | "live" | "draft" | number | null | undefined; "candidate": "live" | "draft" | number; "mocks": (TestMock)[]; "checks": (ReplayCheck)[]; "persona"?: { "model": { "provider": "anthropic" | "azure_openai" | "google" | "openai"; "model": string }; "manner"?: string | null | undefined } | null | undefined; "cost_cap_usd"?: number | null | undefined };

export type ReplayRequestInput = { "sessions"?: number | undefined; "filter"?: ReplayFilterInput | undefined; "stratify_by"?: "none" | "end_reason" | "channel" | "day" | "version" | undefined; "seed"?: number | undefined; "baseline"?: "recorded" | "live" | "draft" | number | null | undefined; "candidate"?: "live" | "draft" | number | undefined; "mocks"?: (TestMock)[] | undefined; "checks"?: (ReplayCheck)[] | undefined; "persona"?: { "model": { "provider": "anthropic" | "azure_openai" | "google" | "openai"; "model": string }; "manner"?: string | null | undefined } | null | undefined; "cost_cap_usd"?: number | null | undefined };

export type ReplayResponse = { "id": number; "agent_id": number; "agent": string; "baseline": string; "candidate": string; "seed": number; "status": "running" | "finished" | "cancelled"; "created_at": string; "created_by": string; "finished_at": string | null; "request": ReplayRequest; "findings": (TestFinding)[]; "summary": ReplaySummary };

export type ReplaySummary = { "results": { "total": number; "pending": number; "replayed": number; "error": number; "skipped": number }; "harness": { "same_outcome": number; "followed": number; "total": number }; "rates": (ReplayRate)[]; "means": (ReplayMean)[]; "verdict": "better" | "worse" | "different" | "can't tell"; "says": string; "cost_usd": number };

export type RequestNextStep = { "kind": "waiting" | "under-way" | "over"; "reason": string; "text": string; "until": string | null };

export type RequestRetry = { "batch_id"?: string | null | undefined; "request_status"?: RequestStatus | null | undefined; "channel_manager_status"?: ChannelManagerStatus | null | undefined; "outcome"?: "reached" | "voicemail_left" | "not_reached" | "not_tried" | "open" | null | undefined; "stage"?: "tried" | "answered" | "talked" | "goal" | null | undefined; "skip_reason"?: string | null | undefined; "before"?: string | null | undefined; "request_ids"?: (number)[] | null | undefined; "as_of"?: string | null | undefined };

export type RequestRetryCounts = { "at": string; "selected": number; "retried": number; "not_retried": ({ "reason": string; "text": string; "count": number })[]; "next": string | null };

export type RequestStatus = "PENDING" | "DUPLICATE" | "INITIATED" | "CONNECTED" | "COMPLETED" | "FAILED" | "CANCELED" | "INVALID" | "SKIPPED";

export type RequestStatusBreakdown = { "total_count": number; "counts"?: Record<string, number> | null | undefined };

export type RequestSuppression = { "batch_id"?: string | null | undefined; "request_status"?: RequestStatus | null | undefined; "channel_manager_status"?: ChannelManagerStatus | null | undefined; "outcome"?: "reached" | "voicemail_left" | "not_reached" | "not_tried" | "open" | null | undefined; "stage"?: "tried" | "answered" | "talked" | "goal" | null | undefined; "skip_reason"?: string | null | undefined; "before"?: string | null | undefined; "request_ids"?: (number)[] | null | undefined; "scope"?: "all" | "voice" | "sms" | "whatsapp" | "email" | undefined; "reason"?: "unsubscribed" | "spam-report" | "do-not-call" | "bounced" | "dropped" | undefined; "comment"?: string | null | undefined };

export type RequestSuppressionCounts = { "selected": number; "addresses": number; "suppressed": number; "next": string | null };

export type RequestTrace = { "batch_id": string; "reference_id": string; "target": string; "request_status": RequestStatus; "channel_manager_status": string; "attempt_count": number; "at": string; "next_step": RequestNextStep; "number_check": string | null; "attempts": (RequestTraceAttempt)[]; "steps": (RequestTraceStep)[] };

export type RequestTraceAttempt = { "step": number; "mode": string; "attempt_number": number; "text": string; "state": string; "channel_manager_status": string; "answerer": string | null; "provider_status": string | null; "error_code": string | null; "channel_manager_sid": string | null; "session_id": number | null; "conversation_id": number | null; "number": string; "number_choice": NumberChoice | null; "counted_on": string | null; "started_at": string; "placed_at": string | null; "ended_at": string | null; "decision": Record<string, unknown> | null };

export type RequestTraceStep = { "number": number; "mode": "voice" | "sms" | "email"; "source": string | null; "target": string | null; "state": "done" | "under-way" | "waiting" | "skipped" | "stopped" | "not-reached" | "later"; "at": string | null; "text": string | null };

export type RequestsAdded = { "batch_id": string; "accepted": number; "duplicates": number; "invalid": number };

export type RequestsCopied = { "batch_id": string; "accepted": number; "duplicates": number; "invalid": number; "present": number; "next": number | null };

export type RequestsCopy = { "batch_id": string; "request_statuses"?: (RequestStatus)[] | null | undefined; "channel_statuses"?: (ChannelManagerStatus)[] | null | undefined; "after"?: number | null | undefined };

export type RequestsCopyCount = { "people": number; "present": number };

export type RequestsCopySource = { "batch_id": string; "request_statuses"?: (RequestStatus)[] | null | undefined; "channel_statuses"?: (ChannelManagerStatus)[] | null | undefined };

export type RequestsRemoved = { "removed": (string)[]; "not_removed": (string)[] };

export type ResponseDisplayConfig = { "version": number; "type": "card-list"; "items_path": string; "mapping": DisplayMapping; "actions"?: (DisplayActionMapping)[] | undefined };

export type ResponseDisplayConfigInput = { "version"?: number | undefined; "type": "card-list"; "items_path": string; "mapping": DisplayMappingInput; "actions"?: (DisplayActionMappingInput)[] | undefined };

export type ResumedChat = { "session_id": string; "agent_name": string; "scripted": boolean; "ended": boolean; "messages": (ChatWords | ChatToolDisplay | ChatToolResult)[]; "position": number };

export type RetriedInsightWork = { "retried": number; "remaining": number };

export type RetryRule = { "outcome": "BUSY" | "NO-ANSWER" | "MACHINE" | "FAILED" | "SIP_TEMPORARILY_UNAVAILABLE" | "NO_OUTCOME" | "UNDELIVERED" | "DELIVERY_FAILED" | "UNEXPECTED_ERROR"; "wait": string | null; "max_retries": number; "another_hour": boolean };

export type RetryRuleInput = { "outcome": "BUSY" | "NO-ANSWER" | "MACHINE" | "FAILED" | "SIP_TEMPORARILY_UNAVAILABLE" | "NO_OUTCOME" | "UNDELIVERED" | "DELIVERY_FAILED" | "UNEXPECTED_ERROR"; "wait"?: string | null | undefined; "max_retries": number; "another_hour"?: boolean | undefined };

export type RoleCreateRequest = { "name": string; "description"?: string | null | undefined; "permissions": (string)[] };

export type RoleResponse = { "name": string; "description"?: string | null | undefined; "permissions": (string)[]; "id": number; "last_updated_comments"?: string | null | undefined; "is_system_role": boolean; "last_updated": string; "last_updated_by": string };

export type RoleUpdateRequest = { "name": string; "description"?: string | null | undefined; "permissions": (string)[]; "id": number; "last_updated_comments"?: string | null | undefined };

export type SafetyRulesRequest = { "calls_per_tool"?: number | null | undefined; "calls_per_session"?: number | null | undefined; "yes_words"?: (string)[] | undefined; "output_rules"?: (OutputRule)[] | undefined; "withhold_unknown_contacts"?: boolean | undefined; "withhold_prompt_words"?: number | null | undefined; "withheld_say"?: string | undefined; "opt_out_judge"?: { "provider": "anthropic" | "azure_openai" | "google" | "openai"; "model": string } | null | undefined };

export type SafetyRulesResponse = { "calls_per_tool": number | null; "calls_per_session": number | null; "yes_words": (string)[]; "output_rules": ({ "name": string; "phrases": (string)[]; "pattern": string | null; "say": string | null })[]; "withhold_unknown_contacts": boolean; "withhold_prompt_words": number | null; "withheld_say": string; "opt_out_judge": { "provider": "anthropic" | "azure_openai" | "google" | "openai"; "model": string } | null; "updated_at": string | null; "updated_by": string | null };

export type SaidByHand = { "session_id": number; "id": string; "written_by": string };

export type SaveAction = { "action": "save"; "name"?: string | null | undefined; "inputs"?: (string)[] | null | undefined; "if"?: Expression | null | undefined };

export type SaveActionInput = { "action": "save"; "name"?: string | null | undefined; "inputs"?: (string)[] | null | undefined; "if"?: ExpressionInput | null | undefined };

export type SayAction = { "action": "say"; "text": string; "role": "user" | "assistant"; "if"?: Expression | null | undefined };

export type SayActionInput = { "action": "say"; "text": string; "role"?: "user" | "assistant" | undefined; "if"?: ExpressionInput | null | undefined };

export type ScheduleOverride = { "active"?: boolean | null | undefined; "daily_start_time"?: string | null | undefined; "daily_end_time"?: string | null | undefined; "max_daily_calls"?: number | null | undefined };

export type SentMessage = { "role": "system" | "user" | "assistant" | "tool"; "text"?: string | undefined; "calls"?: (unknown)[] | undefined; "call_id"?: string | undefined; "tool_name"?: string | undefined; "result"?: unknown | undefined; "is_error"?: boolean | undefined };

export type SentTool = { "name": string; "description": string; "parameters": unknown };

export type ServiceCreateRequest = { "name": string; "description": string; "auth_type"?: ToolAuthType | null | undefined; "auth_values"?: Record<string, string | null> | null | undefined; "allowed_hosts"?: (string)[] | null | undefined; "mcp_url"?: string | null | undefined };

export type ServiceResponse = { "id": number; "name": string; "description": string; "auth_type"?: ToolAuthType | null | undefined; "auth_value_keys"?: (string)[] | null | undefined; "allowed_hosts"?: (string)[] | null | undefined; "auth_url"?: string | null | undefined; "mcp_url"?: string | null | undefined; "last_updated_comments"?: string | null | undefined; "last_updated": string; "last_updated_by": string; "tools": (string)[] };

export type ServiceUpdateRequest = { "name": string; "description": string; "auth_type"?: ToolAuthType | null | undefined; "auth_values"?: Record<string, string | null> | null | undefined; "allowed_hosts"?: (string)[] | null | undefined; "mcp_url"?: string | null | undefined; "id": number; "last_updated_comments"?: string | null | undefined };

export type Session = { "timestamp": string; "session_id"?: string | null | undefined; "conversation_id"?: string | null | undefined; "channel_manager_service"?: string | null | undefined; "channel_manager_type"?: string | null | undefined; "channel_manager_sid"?: string | null | undefined; "agent_id"?: string | null | undefined; "agent_name"?: string | null | undefined; "agent_type"?: string | null | undefined; "agent_timezone"?: string | null | undefined; "prompt_id"?: string | null | undefined; "prompt_name"?: string | null | undefined; "prompt_version"?: string | null | undefined; "prompt_version_number"?: number | null | undefined; "agent_version"?: number | null | undefined; "duration"?: number | null | undefined; "session_label_id"?: string | null | undefined; "source"?: string | null | undefined; "target"?: string | null | undefined; "is_legacy"?: boolean | null | undefined; "is_test"?: boolean | null | undefined; "is_outbound"?: boolean | null | undefined; "user_terminated"?: boolean | null | undefined; "transfer_voicemail_detected"?: boolean | null | undefined; "override_timestamp"?: string | null | undefined; "verified"?: boolean | null | undefined; "claimed_user"?: string | null | undefined; "ended_at"?: string | null | undefined; "end_reason"?: string | null | undefined; "simulated"?: boolean | null | undefined };

export type SessionAction = { "timestamp": string; "tool_name"?: string | null | undefined; "tool_request"?: string | null | undefined; "tool_result"?: string | null | undefined; "tool_error"?: string | null | undefined; "duration_ms"?: number | null | undefined };

export type SessionData = { "session_id": number; "source": string; "target": string; "is_test": boolean; "ended_at"?: string | null | undefined; "duration"?: number | null | undefined; "messages": (SessionMessage)[] };

export type SessionDetail = { "timestamp": string; "session_id"?: string | null | undefined; "conversation_id"?: string | null | undefined; "channel_manager_service"?: string | null | undefined; "channel_manager_type"?: string | null | undefined; "channel_manager_sid"?: string | null | undefined; "agent_id"?: string | null | undefined; "agent_name"?: string | null | undefined; "agent_type"?: string | null | undefined; "agent_timezone"?: string | null | undefined; "prompt_id"?: string | null | undefined; "prompt_name"?: string | null | undefined; "prompt_version"?: string | null | undefined; "prompt_version_number"?: number | null | undefined; "agent_version"?: number | null | undefined; "duration"?: number | null | undefined; "session_label_id"?: string | null | undefined; "source"?: string | null | undefined; "target"?: string | null | undefined; "is_legacy"?: boolean | null | undefined; "is_test"?: boolean | null | undefined; "is_outbound"?: boolean | null | undefined; "user_terminated"?: boolean | null | undefined; "transfer_voicemail_detected"?: boolean | null | undefined; "override_timestamp"?: string | null | undefined; "verified"?: boolean | null | undefined; "claimed_user"?: string | null | undefined; "ended_at"?: string | null | undefined; "end_reason"?: string | null | undefined; "simulated"?: boolean | null | undefined; "redaction_pending"?: boolean | undefined; "voice"?: { "hearing_seconds": number; "speaking_seconds": number; "cost_usd": number | null } | undefined };

export type SessionFork = { "session_id": number; "origin_session_id": number | null; "turn_index": number; "agent_id": number; "test_id": string; "text": string; "status": "stopped" | "running" | "finished" | "abandoned"; "breakpoints": TurnBreakpoints; "stop": ForkStop | null };

export type SessionForkRequest = { "turn_index": number; "text"?: string | null | undefined; "variables"?: Record<string, unknown> | undefined; "tool_results"?: (ForkedToolResult)[] | undefined; "network"?: "closed" | "open" | undefined; "breakpoints"?: TurnBreakpointsInput | undefined };

export type SessionLabel = { "session_id": number; "type": string; "code": string; "user_email": string; "comments"?: string | null | undefined; "issue_categories"?: (string)[] | null | undefined; "id": number; "timestamp": string };

export type SessionLabelCreate = { "session_id": number; "type": "auto-rating" | "human-rating"; "code": "GOOD" | "OK" | "BAD" | "N/A"; "user_email": string; "comments"?: string | null | undefined; "issue_categories"?: (string)[] | null | undefined };

export type SessionMessage = { "role": "agent" | "user"; "dialog": { "text": string }; "tool_calls": (DialogToolCall)[]; "timestamp": string };

export type SessionNote = { "id": number; "session_id": number; "text": string; "written_by": string };

export type SessionNoteCreate = { "text": string };

export type SessionRecordingResponse = { "session_id"?: string | null | undefined; "recordings"?: (string)[] | null | undefined };

export type SessionSearchField = "timestamp" | "session_id" | "conversation_id" | "channel_manager_service" | "channel_manager_type" | "channel_manager_sid" | "agent_type" | "agent_id" | "agent_name" | "agent_version" | "experiment_id" | "experiment_outcome" | "prompt_id" | "prompt_name" | "source" | "target" | "duration" | "is_outbound" | "is_legacy" | "is_test" | "ended_at" | "end_reason" | "is_running" | "session_id_list" | "words" | "channel" | "prompt_version" | "campaign_id" | "event" | "event_category" | "tool" | "failed_tool" | "has_error" | "has_latency" | "label" | "insight" | "insight_from" | "insight_to" | "duration_from" | "duration_to" | "cost_from" | "cost_to" | "cost_usd";

export type SessionSummaryResponse = { "summary"?: string | null | undefined; "rating"?: string | null | undefined; "scripted"?: boolean | undefined };

export type SessionTakeover = { "session_id": number; "taken_by": string; "taken_at": string; "expires_at": string };

export type SessionText = { "timestamp": string; "lang"?: string | null | undefined; "source"?: "user" | "agent" | null | undefined; "text"?: string | null | undefined; "written_by"?: string | null | undefined; "held"?: HeldMessage | null | undefined };

export type SessionTimelineResponse = { "session_id": string; "session_start"?: string | null | undefined; "events": (TimelineEvent)[] };

export type SessionToLabel = { "session_id": number | null; "judge": JudgeResponse };

export type SessionTraceResponse = { "session_id": number; "entries": (TraceEntryResponse)[] };

export type SessionTranscriptionResponse = { "session_id": string; "transcription": (SessionText)[]; "actions": (SessionAction)[] };

export type SessionView = { "id": number; "name": string; "is_shared": boolean; "is_own": boolean; "search_fields": (string)[]; "search_field_values": (string)[]; "columns": (string)[]; "order_by"?: string | null | undefined; "order_by_direction"?: "asc" | "desc" | null | undefined; "last_days"?: number | null | undefined; "last_updated": string; "last_updated_by": string };

export type SessionViewCreate = { "name": string; "is_shared"?: boolean | undefined; "search_fields"?: (SessionSearchField)[] | undefined; "search_field_values"?: (string)[] | undefined; "columns"?: (string)[] | undefined; "order_by"?: "timestamp" | "session_id" | "conversation_id" | "channel_manager_service" | "channel_manager_type" | "channel_manager_sid" | "agent_type" | "agent_id" | "agent_name" | "agent_version" | "prompt_id" | "prompt_name" | "source" | "target" | "duration" | "is_outbound" | "is_legacy" | "is_test" | "ended_at" | "end_reason" | "prompt_version" | "cost_usd" | null | undefined; "order_by_direction"?: "asc" | "desc" | null | undefined; "last_days"?: number | null | undefined };

export type SessionViewUpdate = { "name": string; "is_shared"?: boolean | undefined; "search_fields"?: (SessionSearchField)[] | undefined; "search_field_values"?: (string)[] | undefined; "columns"?: (string)[] | undefined; "order_by"?: "timestamp" | "session_id" | "conversation_id" | "channel_manager_service" | "channel_manager_type" | "channel_manager_sid" | "agent_type" | "agent_id" | "agent_name" | "agent_version" | "prompt_id" | "prompt_name" | "source" | "target" | "duration" | "is_outbound" | "is_legacy" | "is_test" | "ended_at" | "end_reason" | "prompt_version" | "cost_usd" | null | undefined; "order_by_direction"?: "asc" | "desc" | null | undefined; "last_days"?: number | null | undefined; "id": number };

export type SessionWaveformResponse = { "recordings": (Waveform | null)[] };

export type SetAsideJob = { "job_id": string; "kind": "job" | "insight-execution" | "web-chat"; "name": string; "organization_id": number | null; "organization_name": string | null; "sub_organization_id": number | null; "session_id": number | null; "interruptions": number; "set_aside_at": string; "last_error": string | null };

export type SetValueAction = { "action": "set"; "name": string; "value"?: unknown | undefined; "valueFrom"?: Expression | null | undefined; "if"?: Expression | null | undefined };

export type SetValueActionInput = { "action": "set"; "name": string; "value"?: unknown | undefined; "valueFrom"?: ExpressionInput | null | undefined; "if"?: ExpressionInput | null | undefined; "value_from"?: ExpressionInput | null | undefined };

export type SignInLinkResponse = { "sign_in_link": string; "expires_at": string };

export type SimulatedContact = { "mode": "voice"; "from": string; "to": string } | { "mode": "sms"; "from": string; "to": string; "text": string } | { "mode": "email"; "from": string; "to": string; "subject": string; "text": string };

export type SingleSignOnRequest = { "name": string; "issuer": string; "client_id": string; "client_secret"?: string | null | undefined; "domains": (string)[]; "groups_claim"?: string | undefined; "roles"?: (SingleSignOnRole)[] | undefined; "default_role_id"?: number | null | undefined; "is_enforced"?: boolean | undefined; "break_glass"?: (string)[] | undefined };

export type SingleSignOnResponse = { "is_set": boolean; "name": string | null; "issuer": string | null; "client_id": string | null; "has_client_secret": boolean; "domains": (string)[]; "groups_claim": string; "roles": (SingleSignOnRole)[]; "default_role_id": number | null; "is_enforced": boolean; "break_glass": (string)[]; "redirect_uri": string; "start_url": string | null; "updated_at": string | null; "updated_by": string | null };

export type SingleSignOnRole = { "group": string; "role_id": number };

export type SingleSignOnRoleInput = SingleSignOnRole;

export type SingleSignOnTest = { "ok": boolean; "problem": string | null };

export type SipConfiguration = { "sip_transfer_mode"?: "refer" | "invite" | null | undefined; "sip_endpoints"?: ({ "host": string; "port"?: string | null | undefined; "transport"?: "tls" | "tcp" | "udp" | null | undefined })[] | null | undefined; "call_info_placement"?: string | null | undefined };

export type SipConfigurationInput = SipConfiguration;

export type SpeechProviderInput = { "api_key"?: string | null | undefined; "base_url"?: string | null | undefined };

export type SpeechProviderResponse = { "provider": "deepgram" | "assemblyai" | "elevenlabs" | "cartesia"; "source": "organization" | "environment" | "none"; "base_url"?: string | null | undefined; "updated_at"?: string | null | undefined; "last_updated_by"?: string | null | undefined };

export type SpeechProviderTest = { "verdict": "good" | "refused" | "unclear" | "unreachable"; "message": string; "duration_ms": number; "provider": "deepgram" | "assemblyai" | "elevenlabs" | "cartesia" };

export type StaticToolParameter = { "name": string; "description"?: string | null | undefined; "required": boolean; "type": "string" | "int" | "boolean" | "data_source_list"; "default"?: unknown | undefined };

export type StaticToolParameterInput = StaticToolParameter;

export type Step = { "id": string; "goal": string; "instructions"?: (string | ConditionalText)[] | undefined; "tools"?: StepTools | undefined; "inputs"?: (InputParameter)[] | undefined; "on"?: StepEventActions | undefined; "next"?: (string | NextStep)[] | undefined };

export type StepEventActions = { "start"?: (SetValueAction | IncrementAction | GetValueAction | SaveAction | CallAction | SayAction)[] | null | undefined; "enter"?: (SetValueAction | IncrementAction | GetValueAction | SaveAction | CallAction | SayAction)[] | null | undefined; "presubmit"?: (SetValueAction | IncrementAction | GetValueAction | SaveAction | CallAction | SayAction)[] | null | undefined; "submit"?: (SetValueAction | IncrementAction | GetValueAction | SaveAction | CallAction | SayAction)[] | null | undefined };

export type StepEventActionsInput = { "start"?: (SetValueActionInput | IncrementActionInput | GetValueActionInput | SaveActionInput | CallActionInput | SayActionInput)[] | null | undefined; "enter"?: (SetValueActionInput | IncrementActionInput | GetValueActionInput | SaveActionInput | CallActionInput | SayActionInput)[] | null | undefined; "presubmit"?: (SetValueActionInput | IncrementActionInput | GetValueActionInput | SaveActionInput | CallActionInput | SayActionInput)[] | null | undefined; "submit"?: (SetValueActionInput | IncrementActionInput | GetValueActionInput | SaveActionInput | CallActionInput | SayActionInput)[] | null | undefined };

export type StepInput = { "id": string; "goal": string; "instructions"?: (string | ConditionalTextInput)[] | undefined; "tools"?: StepToolsInput | undefined; "inputs"?: (InputParameterInput)[] | undefined; "on"?: StepEventActionsInput | undefined; "next"?: (string | NextStepInput)[] | undefined };

export type StepTools = { "call"?: boolean | null | undefined; "allow"?: (string)[] | null | undefined; "allowGoToStep"?: boolean | null | undefined };

export type StepToolsInput = { "call"?: boolean | null | undefined; "allow"?: (string)[] | null | undefined; "allowGoToStep"?: boolean | null | undefined; "allow_go_to_step"?: boolean | null | undefined };

export type StepsTask = { "id"?: string | null | undefined; "config"?: Record<string, unknown> | null | undefined; "variables"?: (Variable)[] | null | undefined; "metadata"?: ContextTaskMetadata | null | undefined; "tool"?: ContextToolInfo | null | undefined; "tools"?: (string)[] | null | undefined; "version": "v1alpha"; "type": "steps"; "start": "auto" | "manual"; "steps": (Step)[] };

export type StepsTaskInput = { "id"?: string | null | undefined; "config"?: Record<string, unknown> | null | undefined; "variables"?: (VariableInput)[] | null | undefined; "metadata"?: ContextTaskMetadata | null | undefined; "tool"?: ContextToolInfo | null | undefined; "tools"?: (string)[] | null | undefined; "version"?: "v1alpha" | undefined; "type": "steps"; "start"?: "auto" | "manual" | undefined; "steps"?: (StepInput)[] | undefined };

export type StorageUse = { "used_bytes": number; "limit_bytes": number; "kinds": ({ "kind": "recordings" | "uploads" | "mail" | "data-sources" | "exports" | "requests"; "bytes": number })[] };

export type StoredAnnouncements = { "rows": (AnnouncementRow)[]; "offered": (AnnouncementRow)[]; "updated_at": string | null; "updated_by": string | null };

export type StoredOutreachRules = { "person_clock": boolean; "contact_hours": (ContactHours)[]; "holidays": (ContactHoliday)[]; "caps": (ContactCap)[]; "days_after_conversation": number | null; "updated_at": string | null; "updated_by": string | null };

export type SubscriptionEnabling = { "send_held"?: boolean | undefined };

export type SuccessRule = { "insight_key": string | null; "values": (string)[]; "tool": string | null; "end_reasons": ("user" | "agent" | "idle" | "transfer" | "max-duration")[] };

export type SuccessRuleInput = { "insight_key"?: string | null | undefined; "values"?: (string)[] | undefined; "tool"?: string | null | undefined; "end_reasons"?: ("user" | "agent" | "idle" | "transfer" | "max-duration")[] | undefined };

export type SummaryEntry = { "category": LatencyCategory; "sub_category"?: string | null | undefined; "event_count": number; "sum_ms": number; "sum_str": string; "average_ms": number; "average_str": string };

export type SupportedLlm = { "provider": PromptLlmProvider; "model": string; "display_name": string; "version"?: string | null | undefined; "api_version"?: string | null | undefined; "deprecated": boolean; "sunset_date"?: string | null | undefined; "removed": boolean; "fallback"?: string | null | undefined; "status"?: LifecycleStatus | null | undefined };

export type Suppression = { "id": number; "kind": "phone" | "email"; "address": string; "scope": "all" | "voice" | "sms" | "whatsapp" | "email"; "reason": "unsubscribed" | "spam-report" | "do-not-call" | "bounced" | "dropped"; "occurred_at": string; "through": "text" | "mail" | "link" | "speech" | "chat" | "carrier" | "operator" | "import"; "said"?: string | null | undefined; "session_id"?: string | null | undefined; "message_id"?: string | null | undefined; "comment"?: string | null | undefined; "created_at": string; "created_by"?: string | null | undefined; "lifted_at"?: string | null | undefined; "lifted_through"?: string | null | undefined; "lifted_said"?: string | null | undefined; "lifted_by"?: string | null | undefined };

export type SuppressionCreateRequest = { "address": string; "scope"?: "all" | "voice" | "sms" | "whatsapp" | "email" | undefined; "reason"?: "unsubscribed" | "spam-report" | "do-not-call" | "bounced" | "dropped" | undefined; "comment"?: string | null | undefined };

export type SuppressionFile = { "file"?: string | undefined };

export type SuppressionImport = { "added": number; "lifted": number; "known": number };

export type TakenClientToolCall = { "taken": true };

export type Takeout = { "job_id": string; "status": "pending" | "in_progress" | "completed" | "failed" | "canceled"; "updated_at": string; "file_names"?: (string)[] | null | undefined; "missing_recordings"?: number | null | undefined; "created_at": string; "created_by": string; "expires_at": string; "error"?: string | null | undefined };

export type TakeoutStatusResponse = { "job_id": string; "status": "pending" | "in_progress" | "completed" | "failed" | "canceled"; "updated_at": string; "file_names"?: (string)[] | null | undefined; "missing_recordings"?: number | null | undefined };

export type TakeoverWords = { "text": string; "id": string };

export type TargetFilterRule = { "field": string; "op": FilterOp; "values": (string)[] };

export type TargetFilterRuleInput = { "field": string; "op": FilterOp; "values"?: (string)[] | undefined };

export type TargetFilters = { "match": "all" | "any"; "on_unknown": "include" | "exclude"; "rules": (TargetFilterRule)[] };

export type TargetFiltersInput = { "match"?: "all" | "any" | undefined; "on_unknown"?: "include" | "exclude" | undefined; "rules"?: (TargetFilterRuleInput)[] | undefined };

export type TargetModes = "voice" | "chat" | "sms" | "email" | "whatsapp";

export type TaskPlayRequest = { "definition": ToolDefinitionInput; "task"?: number | undefined; "variables"?: Record<string, unknown> | undefined; "events"?: (PlayEvent)[] | undefined };

export type TaskPlayResponse = { "played": (PlayedEvent)[] };

export type TelephonyConfigurations = { "pre_input_timeout"?: number | null | undefined; "post_speech_input_timeout"?: number | null | undefined; "post_dtmf_input_timeout"?: number | null | undefined; "overall_input_timeout"?: number | null | undefined; "output_padding"?: number | null | undefined; "interruptibility"?: "none" | "dtmf_only" | "speech_only" | "all" | null | undefined; "passive_speech_input_enabled"?: boolean | null | undefined; "passive_input_start"?: number | null | undefined; "async_enabled"?: boolean | null | undefined; "transfer_leg_voicemail_detection_enabled"?: boolean | null | undefined; "sip_configuration"?: SipConfiguration | null | undefined; "audio"?: "relay" | "stream" | null | undefined };

export type TelephonyConfigurationsInput = TelephonyConfigurations;

export type TestCall = { "source"?: string | null | undefined; "variables"?: Record<string, string> | null | undefined; "language"?: string | null | undefined };

export type TestCallOpened = { "call_id": string; "token": string; "session_id": number; "language": string | null };

export type TestCase = { "name": string; "channel": "chat" | "sms" | "whatsapp" | "email" | "voice" | "voice_audio"; "clock"?: string | null | undefined; "variables": Record<string, string>; "caller": { "address": string; "verified": boolean }; "person": (string | TestPersonLine)[] | TestRecording | TestPersona; "mocks": (TestMock)[]; "network": "closed" | "open"; "expect": TestCaseExpectation };

export type TestCaseExpectation = { "called"?: ({ "tool": string; "arguments"?: Record<string, unknown> | null | undefined; "where"?: string | null | undefined; "times"?: number | null | undefined })[] | null | undefined; "not_called"?: (string)[] | null | undefined; "order"?: (string)[] | null | undefined; "steps"?: (string)[] | null | undefined; "path"?: (string)[] | null | undefined; "variables"?: Record<string, unknown> | null | undefined; "final"?: ({ "tool": string; "arguments"?: Record<string, unknown> | null | undefined; "result"?: unknown | undefined; "failed"?: boolean | null | undefined })[] | null | undefined; "said"?: (string)[] | null | undefined; "not_said"?: (string)[] | null | undefined; "language"?: string | null | undefined; "ended_by"?: "agent" | "person" | null | undefined; "within_ms"?: number | null | undefined; "max_cost_usd"?: number | null | undefined; "judges"?: (string)[] | null | undefined };

export type TestCaseInput = { "name": string; "channel"?: "chat" | "sms" | "whatsapp" | "email" | "voice" | "voice_audio" | undefined; "clock"?: string | null | undefined; "variables"?: Record<string, string> | undefined; "caller"?: { "address"?: string | undefined; "verified"?: boolean | undefined } | undefined; "person": (string | TestPersonLine)[] | TestRecording | TestPersonaInput; "mocks"?: (TestMock)[] | undefined; "network"?: "closed" | "open" | undefined; "expect"?: TestCaseExpectation | undefined };

export type TestComparison = { "pairs": number; "better": (string)[]; "worse": (string)[]; "left_out": (string)[]; "p_value": number; "verdict": "better" | "worse" | "can't tell"; "pairs_needed": number | null; "says": string };

export type TestExpectation = { "called"?: ({ "tool": string; "arguments"?: Record<string, unknown> | null | undefined; "where"?: string | null | undefined; "times"?: number | null | undefined })[] | null | undefined; "not_called"?: (string)[] | null | undefined; "order"?: (string)[] | null | undefined; "steps"?: (string)[] | null | undefined; "path"?: (string)[] | null | undefined; "variables"?: Record<string, unknown> | null | undefined; "final"?: ({ "tool": string; "arguments"?: Record<string, unknown> | null | undefined; "result"?: unknown | undefined; "failed"?: boolean | null | undefined })[] | null | undefined; "said"?: (string)[] | null | undefined; "not_said"?: (string)[] | null | undefined; "language"?: string | null | undefined; "ended_by"?: "agent" | "person" | null | undefined; "within_ms"?: number | null | undefined; "max_cost_usd"?: number | null | undefined };

export type TestFinding = { "path": string; "message": string };

export type TestMessage = { "service_name": string; "source": string; "test_id": string; "agent_id": string; "text"?: string | null | undefined; "org_name"?: string | null | undefined; "override_timestamp"?: string | null | undefined; "variables"?: Record<string, string> | null | undefined; "language"?: string | null | undefined; "channel"?: "chat" | "sms" | "whatsapp" | "email" | "voice" | null | undefined; "session_start"?: boolean | undefined; "verified"?: boolean | undefined };

export type TestMessageResponse = { "test_id": string; "agent_id": string; "text": string; "response": unknown; "response_text": string };

export type TestMock = { "tool": string; "match"?: Record<string, unknown> | null | undefined; "result"?: unknown | undefined; "error"?: string | null | undefined; "delay_ms"?: number | null | undefined };

export type TestOutreach = { "key": string; "campaign_id": number; "mode": "voice" | "sms" | "whatsapp" | "email"; "target": string; "state": "QUEUED" | "SENDING" | "SENT" | "FAILED" | "UNKNOWN"; "channel_status": ChannelManagerStatus; "problem": string | null; "session_id": number | null; "started_by": string; "started_at": string };

export type TestOutreachRequest = { "target": string; "request_variables"?: Record<string, string> | undefined };

export type TestPersonLine = { "say": string; "if"?: string | null | undefined };

export type TestPersona = { "goal": string; "manner"?: string | null | undefined; "facts": Record<string, string>; "model"?: { "provider": "anthropic" | "azure_openai" | "google" | "openai"; "model": string } | null | undefined; "max_turns": number };

export type TestPersonaInput = { "goal": string; "manner"?: string | null | undefined; "facts"?: Record<string, string> | undefined; "model"?: { "provider": "anthropic" | "azure_openai" | "google" | "openai"; "model": string } | null | undefined; "max_turns"?: number | undefined };

export type TestRate = { "passed": number; "total": number; "rate": number | null; "low": number | null; "high": number | null };

export type TestRecording = { "session": number };

export type TestResult = { "id": number; "position": number; "case_name": string; "repetition": number; "status": "pending" | "passed" | "failed" | "error" | "skipped"; "session_id": number | null; "verdicts": (TestVerdict)[]; "notes": (string)[]; "cost_usd": number | null; "finished_at": string | null };

export type TestRunListed = { "id": number; "suite_id": number; "suite": string; "agent_id": number; "agent": string; "version": number | null; "repetitions": number; "seed": number; "cost_cap_usd": number | null; "status": "running" | "finished" | "cancelled"; "created_at": string; "created_by": string; "finished_at": string | null; "is_scheduled": boolean; "passed": number; "judged": number };

export type TestRunRequest = { "agent"?: string | null | undefined; "version"?: number | null | undefined; "repetitions"?: number | undefined; "seed"?: number | undefined; "cost_cap_usd"?: number | null | undefined };

export type TestRunResponse = { "id": number; "suite_id": number; "suite": string; "agent_id": number; "agent": string; "version": number | null; "repetitions": number; "seed": number; "cost_cap_usd": number | null; "status": "running" | "finished" | "cancelled"; "created_at": string; "created_by": string; "finished_at": string | null; "is_scheduled": boolean; "passed": number; "judged": number; "summary": TestSummary; "notice": { "state": "WAITING" | "DELIVERED" | "FAILED"; "tries": number; "at": string; "reason": string | null } | null };

export type TestSchedule = { "suite_id": number; "is_active": boolean; "time": string; "timezone": string; "days": ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[]; "against": "draft" | "live"; "repetitions": number; "seed": number; "cost_cap_usd": number | null; "webhook": { "url": string; "auth_value_keys": (string)[] | null } | null; "next_at": string | null; "note": string | null; "noted_at": string | null };

export type TestScheduleRequest = { "is_active": boolean; "time"?: string | undefined; "timezone"?: string | undefined; "days"?: ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[] | undefined; "against"?: "draft" | "live" | undefined; "repetitions"?: number | undefined; "seed"?: number | undefined; "cost_cap_usd"?: number | null | undefined; "webhook"?: { "url": string; "auth_values"?: { "hmac_secret"?: string | null | undefined } | null | undefined } | null | undefined };

export type TestSuiteFile = { "text": string };

export type TestSuiteFileInput = TestSuiteFile;

export type TestSuiteInput = { "name": string; "description"?: string | undefined; "agent": string; "cases": (TestCaseInput)[] };

export type TestSuiteListed = { "id": number; "name": string; "description": string; "agent_id": number; "agent": string; "case_count": number; "last_run_id": number | null; "last_run_passed": number | null; "last_run_judged": number | null; "last_updated": string; "last_updated_by": string };

export type TestSuiteResponse = { "id": number; "name": string; "description": string; "agent_id": number; "agent": string; "case_count": number; "last_run_id": number | null; "last_run_passed": number | null; "last_run_judged": number | null; "last_updated": string; "last_updated_by": string; "cases": (TestCase)[]; "findings": (TestFinding)[] };

export type TestSuiteUpdate = { "name": string; "description"?: string | undefined; "agent": string; "cases": (TestCaseInput)[]; "id": number };

export type TestSummary = { "cases": TestRate; "results": { "total": number; "pending": number; "passed": number; "failed": number; "error": number; "skipped": number }; "cost_usd": number; "answer_p95_ms": number | null; "agent_cost_usd": number | null; "by_case": ({ "passed": number; "total": number; "rate": number | null; "low": number | null; "high": number | null; "name": string })[] };

export type TestVerdict = { "expectation": string; "passed": boolean; "why": string; "informs"?: boolean | undefined; "votes_yes"?: number | undefined; "votes"?: number | undefined; "model"?: string | null | undefined };

export type TileFigures = { "unit": "count" | "percent" | "seconds" | "milliseconds" | "usd"; "start_datetime": string; "end_datetime": string; "kept_since": string | null; "total": FigureTotal | null; "points": (FigurePoint)[]; "more_values": boolean; "versions": { "first": FigureTotal; "second": FigureTotal; "difference": { "value": number; "low": number; "high": number } | null } | null; "problem": string | null };

export type TileFiguresRequest = { "tile": BoardTileInput; "period": FigurePeriod };

export type TimelineEvent = { "kind": "transcript" | "tool" | "latency" | "note"; "timestamp": string; "offset": string; "turn_index"?: number | null | undefined; "source"?: string | null | undefined; "text"?: string | null | undefined; "lang"?: string | null | undefined; "category"?: string | null | undefined; "label"?: string | null | undefined; "metadata"?: (string)[] | null | undefined; "duration_ms"?: number | null | undefined; "tool_request"?: string | null | undefined; "tool_result"?: string | null | undefined; "tool_error"?: string | null | undefined; "written_by"?: string | null | undefined; "held"?: HeldMessage | null | undefined };

export type ToolAgentInfo = { "id": number; "name": string };

export type ToolAuthType = "basic" | "bearer" | "custom_headers" | "oauth2";

export type ToolBridgePhraseConfig = { "tool_name": string; "phrases": PhraseSet };

export type ToolBridgePhraseConfigInput = { "tool_name": string; "phrases": PhraseSetInput };

export type ToolCheckRequest = { "name": string; "definition": ToolDefinitionInput; "service_id": number; "id"?: number | null | undefined };

export type ToolCheckResponse = { "validation_issues": (ValidationIssue)[] };

export type ToolClientRun = { "timeout"?: number | null | undefined };

export type ToolClientRunInput = ToolClientRun;

export type ToolCreateRequest = { "name": string; "definition": ToolDefinitionInput; "service_id": number };

export type ToolDefinition = { "type"?: ToolType | null | undefined; "tool": InternalTool; "endpoint"?: ToolHttpEndpoint | null | undefined; "mcp"?: ToolMcpCall | null | undefined; "client"?: ToolClientRun | null | undefined; "context"?: Context | null | undefined; "defaults"?: Record<string, ToolParameterDefault | unknown> | unknown | undefined; "static_parameters"?: (StaticToolParameter)[] | null | undefined; "result"?: unknown | undefined; "options"?: ToolOptions | null | undefined; "response_display"?: ResponseDisplayConfig | null | undefined; "requires_verified"?: boolean | null | undefined; "confirm"?: boolean | null | undefined; "read_back"?: string | null | undefined; "max_calls_per_session"?: number | null | undefined };

export type ToolDefinitionInput = { "type"?: ToolType | null | undefined; "tool": InternalToolInput; "endpoint"?: ToolHttpEndpointInput | null | undefined; "mcp"?: ToolMcpCall | null | undefined; "client"?: ToolClientRun | null | undefined; "context"?: ContextInput | null | undefined; "defaults"?: Record<string, ToolParameterDefaultInput | unknown> | unknown | undefined; "static_parameters"?: (StaticToolParameter)[] | null | undefined; "result"?: unknown | undefined; "options"?: ToolOptionsInput | null | undefined; "response_display"?: ResponseDisplayConfigInput | null | undefined; "requires_verified"?: boolean | null | undefined; "confirm"?: boolean | null | undefined; "read_back"?: string | null | undefined; "max_calls_per_session"?: number | null | undefined };

export type ToolDetailResponse = { "name": string; "definition": ToolDefinition; "service_id": number; "id": number; "last_updated_comments"?: string | null | undefined; "service_name"?: string | null | undefined; "prompts_info"?: (ToolPromptInfo)[] | null | undefined; "agents_info"?: (ToolAgentInfo)[] | null | undefined; "last_updated": string; "last_updated_by": string; "version_number": number; "validation_issues"?: (ValidationIssue)[] | null | undefined; "fields": (string)[] };

export type ToolExchangeResponse = { "at": string; "duration_ms": number; "method": string; "url": string; "headers": Record<string, string>; "body": string | null; "outcome": string; "status": number | null; "answer_headers": Record<string, string> | null; "answer": string | null; "problem": string | null };

export type ToolFunction = { "name": string; "description": string; "parameters": unknown };

export type ToolFunctionInput = ToolFunction;

export type ToolHistoryResponse = { "tool_id": number; "version_number": number; "created_at": string; "updated_by": string; "comments"?: string | null | undefined; "operation": "create" | "update" | "delete"; "deleted_reason"?: string | null | undefined; "service_id": number; "service_name"?: string | null | undefined; "name": string; "description": string; "type": string; "definition": ToolDefinition };

export type ToolHttpEndpoint = { "timeout"?: number | null | undefined; "url": string; "method": "get" | "post" | "put" | "delete"; "argument_location": "body" | "form" | "path" | "query" };

export type ToolHttpEndpointInput = { "timeout"?: number | null | undefined; "url": string; "method": "get" | "post" | "put" | "delete"; "argument_location"?: "body" | "form" | "path" | "query" | undefined; "argumentLocation"?: "body" | "form" | "path" | "query" | undefined };

export type ToolMcpCall = { "timeout"?: number | null | undefined; "tool": string; "schema_hash": string; "description_hash": string };

export type ToolMcpCallInput = ToolMcpCall;

export type ToolOptions = { "propagate_tool_result": boolean };

export type ToolOptionsInput = { "propagate_tool_result"?: boolean | undefined };

export type ToolParameterDefault = { "transform": ToolParameterTransform };

export type ToolParameterDefaultInput = { "transform": ToolParameterTransformInput };

export type ToolParameterTransform = { "action": "default" | "override" | "remove"; "when"?: ToolParameterTransformCondition | null | undefined; "value"?: unknown | undefined; "format"?: string | null | undefined };

export type ToolParameterTransformCondition = { "key": string; "value": string; "operator": "eq" | null };

export type ToolParameterTransformConditionInput = { "key": string; "value": string; "operator"?: "eq" | null | undefined };

export type ToolParameterTransformInput = { "action"?: "default" | "override" | "remove" | undefined; "when"?: ToolParameterTransformConditionInput | null | undefined; "value"?: unknown | undefined; "format"?: string | null | undefined };

export type ToolPromptInfo = { "id": number; "name": string };

export type ToolRequestsResponse = { "tool_call_id": string; "requests": (ToolExchangeResponse)[] };

export type ToolResponse = { "name": string; "definition": ToolDefinition; "service_id": number; "id": number; "last_updated_comments"?: string | null | undefined; "service_name"?: string | null | undefined; "prompts_info"?: (ToolPromptInfo)[] | null | undefined; "agents_info"?: (ToolAgentInfo)[] | null | undefined; "last_updated": string; "last_updated_by": string; "version_number": number; "validation_issues"?: (ValidationIssue)[] | null | undefined };

export type ToolResultData = { "tool_name": string; "tool_result": unknown };

export type ToolTryRequest = { "definition": ToolDefinitionInput; "service_id": number; "arguments": Record<string, unknown>; "variables"?: Record<string, string> | undefined; "agent_id"?: number | null | undefined };

export type ToolTryResponse = { "given": Record<string, unknown>; "prepared": Record<string, unknown> | null; "request": unknown; "result": unknown; "error": string | null; "duration_ms": number; "trace": ({ "category": "tts" | "stt" | "llm" | "tool" | "http" | "greeting" | "turn" | "step" | "state" | "note" | "error"; "label": string; "duration_ms": number | null; "details": Record<string, unknown> | null })[] };

export type ToolType = "action" | "endpoint" | "context" | "log" | "mcp" | "client";

export type ToolUpdateRequest = { "name": string; "definition": ToolDefinitionInput; "service_id": number; "id": number; "last_updated_comments"?: string | null | undefined };

export type TraceEntryResponse = { "id": number; "turn_index": number | null; "category": "tts" | "stt" | "llm" | "tool" | "http" | "greeting" | "turn" | "step" | "state" | "note" | "error"; "label": string; "timestamp": string; "duration_ms": number | null; "metadata": (string)[] | null; "details": Record<string, unknown> | null };

export type TranscriptionProviderInput = { "api_key"?: string | null | undefined; "base_url"?: string | null | undefined };

export type TranscriptionProviderResponse = { "provider": "openai" | "deepgram" | "google"; "source": "organization" | "environment" | "llm_provider" | "none"; "base_url"?: string | null | undefined; "updated_at"?: string | null | undefined; "last_updated_by"?: string | null | undefined };

export type TtsProvider = "OpenAI" | "ElevenLabs" | "Google" | "Cartesia";

export type TurnBreakpoints = { "steps": (string)[]; "guards": (string)[]; "tools": (string)[] };

export type TurnBreakpointsInput = { "steps"?: (string)[] | undefined; "guards"?: (string)[] | undefined; "tools"?: (string)[] | undefined };

export type TwilioChannelCreateRequest = { "name": string; "config": { "account_sid": string; "auth_token": string } };

export type TwilioChannelUpdateRequest = { "id": number; "name"?: string | null | undefined; "config"?: { "account_sid"?: string | null | undefined; "auth_token"?: string | null | undefined } | null | undefined };

export type TwilioListNumbersResponse = { "phone_numbers": (TwilioPhoneNumber)[] };

export type TwilioNumberAddRequest = { "friendly_name": string; "area_code": string };

export type TwilioNumberResponse = { "phone_number": string };

export type TwilioNumberUpdateRequest = { "friendly_name": string; "phone_sid": string };

export type TwilioPhoneNumber = { "sid": string; "phone_number": string; "friendly_name": string; "trunk_sid": string };

export type UserCreateRequest = { "email": string; "first_name"?: string | null | undefined; "last_name"?: string | null | undefined; "role_id": number; "utm"?: Utm | null | undefined; "login_type"?: "google" | "username_and_password" | null | undefined; "skip_auth"?: boolean | undefined };

export type UserDeleteRequest = { "email": string; "reason": string };

export type UserResponse = { "email": string; "first_name"?: string | null | undefined; "last_name"?: string | null | undefined; "role_id": number; "utm"?: Utm | null | undefined; "last_updated_comments"?: string | null | undefined; "id": number; "role_name": string; "email_sent": boolean; "activity_status": "not_invited" | "invited" | "active"; "last_updated": string; "last_updated_by"?: string | null | undefined; "last_session_at"?: string | null | undefined; "role_until"?: string | null | undefined; "role_until_token"?: string | null | undefined; "role_after"?: string | null | undefined };

export type UserUpdateRequest = { "email": string; "first_name"?: string | null | undefined; "last_name"?: string | null | undefined; "role_id": number; "utm"?: Utm | null | undefined; "last_updated_comments"?: string | null | undefined };

export type Utm = { "utm_source"?: string | null | undefined; "utm_medium"?: string | null | undefined; "utm_campaign"?: string | null | undefined; "utm_term"?: string | null | undefined; "utm_content"?: string | null | undefined };

export type UtmInput = Utm;

export type ValidationIssue = { "id": string; "severity": "info" | "warning" | "error"; "message": string; "path"?: string | null | undefined; "value"?: string | null | undefined };

export type Variable = { "name": string; "type"?: "string" | "number" | "integer" | "boolean" | "object" | "array" | "null" | null | undefined; "description"?: string | null | undefined; "title"?: string | null | undefined; "format"?: string | null | undefined; "pattern"?: string | null | undefined; "enum"?: (string)[] | null | undefined; "examples"?: (unknown)[] | null | undefined; "value"?: unknown | undefined; "valueFrom"?: Expression | null | undefined; "if"?: Expression | null | undefined };

export type VariableInput = { "name": string; "type"?: "string" | "number" | "integer" | "boolean" | "object" | "array" | "null" | null | undefined; "description"?: string | null | undefined; "title"?: string | null | undefined; "format"?: string | null | undefined; "pattern"?: string | null | undefined; "enum"?: (string)[] | null | undefined; "examples"?: (unknown)[] | null | undefined; "value"?: unknown | undefined; "valueFrom"?: ExpressionInput | null | undefined; "if"?: ExpressionInput | null | undefined; "value_from"?: ExpressionInput | null | undefined };

export type VoiceDisplayInfo = { "display_name": string; "provider": string };

export type VoiceGroupCreateRequest = { "name": string; "description"?: string | null | undefined; "language_configs": (LanguageConfigInput)[]; "skip_current_language_in_message"?: boolean | undefined };

export type VoiceGroupUpdateRequest = { "name": string; "description"?: string | null | undefined; "language_configs": (LanguageConfigInput)[]; "skip_current_language_in_message"?: boolean | undefined; "id": number; "edit_comments"?: string | null | undefined };

export type VoiceSampleCreateRequest = { "language_code": LanguageCode; "voice_provider": TtsProvider; "voice_display_name": string; "voice_speed"?: number | null | undefined; "voice_pitch"?: number | null | undefined; "text"?: string | undefined; "apply_pronunciation_overrides"?: boolean | undefined };

export type VoicemailDetectionConfig = { "mode"?: "v1" | "v2" | null | undefined; "voicemail_detection_overall_timeout"?: number | null | undefined; "voicemail_detection_pre_speech_timeout"?: number | null | undefined; "voicemail_detection_post_speech_timeout"?: number | null | undefined; "voicemail_detection_speech_threshold"?: number | null | undefined; "voicemail_detection_v2_pre_speech_timeout"?: number | null | undefined };

export type Waveform = { "began_at": string | null; "duration_ms": number; "caller": (number)[]; "agent": (number)[] };

export type WebhookDelivery = { "id": string; "campaign_id": number; "webhook_id": number; "batch_id"?: string | null | undefined; "request_id"?: number | null | undefined; "reference_id"?: string | null | undefined; "attempt_count": number; "channel_manager_status": ChannelManagerStatus; "is_test": boolean; "state": WebhookDeliveryState; "reason"?: string | null | undefined; "tries": number; "next_try_at"?: string | null | undefined; "created_at": string; "ended_at"?: string | null | undefined };

export type WebhookDeliveryCommand = { "command": string };

export type WebhookDeliveryDetails = { "id": string; "campaign_id": number; "webhook_id": number; "batch_id"?: string | null | undefined; "request_id"?: number | null | undefined; "reference_id"?: string | null | undefined; "attempt_count": number; "channel_manager_status": ChannelManagerStatus; "is_test": boolean; "state": WebhookDeliveryState; "reason"?: string | null | undefined; "tries": number; "next_try_at"?: string | null | undefined; "created_at": string; "ended_at"?: string | null | undefined; "body": string; "attempts": (WebhookTry)[] };

export type WebhookDeliveryState = "WAITING" | "DELIVERED" | "FAILED" | "HELD" | "CANCELED";

export type WebhookEnabling = { "send_held"?: boolean | undefined };

export type WebhookEventDelivery = { "id": string; "webhook_id": number; "event": WebhookEventName; "session_id": string | null; "is_test": boolean; "state": WebhookDeliveryState; "reason": string | null; "tries": number; "next_try_at": string | null; "created_at": string; "ended_at": string | null };

export type WebhookEventDeliveryDetails = { "id": string; "webhook_id": number; "event": WebhookEventName; "session_id": string | null; "is_test": boolean; "state": WebhookDeliveryState; "reason": string | null; "tries": number; "next_try_at": string | null; "created_at": string; "ended_at": string | null; "body": string; "attempts": (WebhookTry)[] };

export type WebhookEventName = "session.ended" | "insight.found" | "alert";

export type WebhookEventTest = { "event": WebhookEventName };

export type WebhookInbox = { "name": string; "url": string; "public_url": string; "auth_value_keys"?: (string)[] | null | undefined; "fail_next": number; "fail_status": number; "message_count": number; "created_at": string; "updated_at": string; "last_updated_by": string };

export type WebhookInboxCreate = { "auth_values"?: { "hmac_secret"?: string | null | undefined } | null | undefined; "fail_next"?: number | undefined; "fail_status"?: number | undefined; "name": string };

export type WebhookInboxMessage = { "id": number; "received_at": string; "method": string; "headers": Record<string, string>; "body": string; "message_id"?: string | null | undefined; "signature"?: "VALID" | "INVALID" | "UNSIGNED" | null | undefined; "answered_status": number };

export type WebhookInboxUpdate = { "auth_values"?: { "hmac_secret"?: string | null | undefined } | null | undefined; "fail_next"?: number | undefined; "fail_status"?: number | undefined };

export type WebhookReplay = { "ids"?: (string)[] | undefined; "campaign_id"?: number | undefined; "webhook_id"?: number | undefined; "states"?: (WebhookDeliveryState)[] | undefined; "start_datetime"?: string | undefined; "end_datetime"?: string | undefined };

export type WebhookReplayed = { "replayed": number; "more": boolean };

export type WebhookState = { "id": number; "campaign_id": number; "campaign_name": string; "url": string; "request_method": string; "trigger_statuses": (ChannelManagerStatus)[]; "auth_value_keys"?: (string)[] | null | undefined; "overlap_until"?: string | null | undefined; "disabled_at"?: string | null | undefined; "disabled_reason"?: string | null | undefined; "failing_since"?: string | null | undefined; "failed_tries": number; "waiting": number };

export type WebhookSubscription = { "id": number; "name": string; "url": string; "events": (WebhookEventName)[]; "auth_value_keys": (string)[] | null; "overlap_until": string | null; "disabled_at": string | null; "disabled_reason": string | null; "failing_since": string | null; "failed_tries": number; "last_updated": string; "last_updated_by": string };

export type WebhookSubscriptionCreate = { "name": string; "url": string; "events": (WebhookEventName)[]; "auth_values"?: { "hmac_secret"?: string | null | undefined } | null | undefined };

export type WebhookSubscriptionUpdate = { "name": string; "url": string; "events": (WebhookEventName)[]; "auth_values"?: { "hmac_secret"?: string | null | undefined } | null | undefined; "id": number };

export type WebhookTest = { "status": ChannelManagerStatus };

export type WebhookTry = { "at": string; "duration_ms": number; "request": { "method": string; "url": string; "headers": Record<string, string> }; "response"?: { "status": number; "headers"?: Record<string, string> | null | undefined; "body"?: string | null | undefined } | null | undefined; "failure"?: string | null | undefined };

export type Page = { "page": number; "page_size": number; "total_pages"?: number | null | undefined; "total_count"?: number | null | undefined };

export type Operations = {
  list_permissions: { input: Record<never, never>; answer: (PermissionGroupResponse)[] };
  list_roles: { input: { "query"?: { "page"?: number | null | undefined; "limit"?: number | undefined; "search_fields"?: ("name" | "description" | "updated_at" | "last_updated_by")[] | undefined; "search_field_values"?: (string)[] | undefined; "order_by"?: "name" | "description" | "updated_at" | "last_updated_by" | null | undefined; "order_by_direction"?: "asc" | "desc" | null | undefined; "fields"?: ("name" | "description" | "updated_at" | "last_updated_by")[] | undefined; "start_datetime"?: string | null | undefined; "end_datetime"?: string | null | undefined } | undefined }; answer: { "page": number; "page_size": number; "total_pages"?: number | null | undefined; "total_count"?: number | null | undefined; "items": (RoleResponse)[] } };
  create_role: { input: { "body": RoleCreateRequest }; answer: RoleResponse };
  update_role: { input: { "body": RoleUpdateRequest }; answer: RoleResponse };
  get_role: { input: { "path": { "role_id": number } }; answer: RoleResponse };
  delete_role: { input: { "path": { "role_id": number }; "query": { "reason": string; "new_role_id"?: number | null | undefined } }; answer: Deleted };
  list_api_tokens: { input: { "query"?: { "page"?: number | null | undefined; "limit"?: number | undefined; "search_fields"?: ("name" | "created_by" | "created_at" | "expires_at")[] | undefined; "search_field_values"?: (string)[] | undefined; "order_by"?: "name" | "created_by" | "created_at" | "expires_at" | null | undefined; "order_by_direction"?: "asc" | "desc" | null | undefined; "fields"?: ("name" | "created_by" | "created_at" | "expires_at")[] | undefined; "start_datetime"?: string | null | undefined; "end_datetime"?: string | null | undefined } | undefined }; answer: { "page": number; "page_size": number; "total_pages"?: number | null | undefined; "total_count"?: number | null | undefined; "items": (ApiTokenResponse)[] } };
  create_api_token: { input: { "body": ApiTokenCreateRequest }; answer: ApiTokenCreated };
  revoke_api_token: { input: { "path": { "id": number } }; answer: ApiTokenResponse };
  list_users: { input: { "query"?: { "page"?: number | null | undefined; "limit"?: number | undefined; "search_fields"?: ("email" | "first_name" | "last_name" | "role_id" | "role_name" | "email_first_name_last_name" | "activity_status" | "last_updated")[] | undefined; "search_field_values"?: (string)[] | undefined; "order_by"?: "email" | "first_name" | "last_name" | "role_id" | "role_name" | "email_first_name_last_name" | "activity_status" | "last_updated" | null | undefined; "order_by_direction"?: "asc" | "desc" | null | undefined; "fields"?: ("email" | "first_name" | "last_name" | "role_id" | "role_name" | "email_first_name_last_name" | "activity_status" | "last_updated")[] | undefined; "start_datetime"?: string | null | undefined; "end_datetime"?: string | null | undefined } | undefined }; answer: { "page": number; "page_size": number; "total_pages"?: number | null | undefined; "total_count"?: number | null | undefined; "items": (UserResponse)[] } };
  create_user: { input: { "body": UserCreateRequest }; answer: UserResponse };
  update_user: { input: { "body": UserUpdateRequest }; answer: UserResponse };
  delete_user: { input: { "body": UserDeleteRequest }; answer: Deleted };
  get_user: { input: { "path": { "user_email": string } }; answer: UserResponse };
  delete_own_account: { input: Record<never, never>; answer: Deleted };
  send_welcome_email: { input: { "path": { "user_email": string }; "query"?: { "skip_auth"?: boolean | undefined } | undefined }; answer: MailSent };
  create_sign_in_link: { input: { "path": { "user_email": string } }; answer: SignInLinkResponse };
  get_organization: { input: Record<never, never>; answer: OrganizationResponse };
  update_organization: { input: { "body": FormData }; answer: OrganizationResponse };
  create_organization: { input: { "body": FormData }; answer: OrganizationCreated };
  delete_organization: { input: { "body": URLSearchParams }; answer: Deleted };
  restore_organization: { input: { "path": { "organization_id": number } }; answer: OrganizationRestored };
  get_organization_access_rules: { input: Record<never, never>; answer: AccessRulesResponse };
  update_organization_access_rules: { input: { "body": AccessRulesRequest }; answer: AccessRulesResponse };
  get_organization_single_sign_on: { input: Record<never, never>; answer: SingleSignOnResponse };
  update_organization_single_sign_on: { input: { "body": SingleSignOnRequest }; answer: SingleSignOnResponse };
  delete_organization_single_sign_on: { input: Record<never, never>; answer: SingleSignOnResponse };
  test_organization_single_sign_on: { input: Record<never, never>; answer: SingleSignOnTest };
  get_organization_safety_rules: { input: Record<never, never>; answer: SafetyRulesResponse };
  update_organization_safety_rules: { input: { "body": SafetyRulesRequest }; answer: SafetyRulesResponse };
  get_organization_storage: { input: Record<never, never>; answer: StorageUse };
  list_organization_sip_ip_ranges: { input: Record<never, never>; answer: (OrganizationSipIpRange)[] };
  create_organization_sip_ip_range: { input: { "body": OrganizationSipIpRangeCreate }; answer: OrganizationSipIpRange };
  update_organization_sip_ip_range: { input: { "path": { "sip_ip_range_id": number }; "body": OrganizationSipIpRangeUpdate }; answer: OrganizationSipIpRange };
  delete_organization_sip_ip_range: { input: { "path": { "sip_ip_range_id": number } }; answer: null };
  verify_organization_sip_ip_range: { input: { "path": { "sip_ip_range_id": number }; "body": { "verified": boolean } }; answer: OrganizationSipIpRange };
  list_audit_entries: { input: { "query"?: { "page"?: number | null | undefined; "limit"?: number | undefined; "search_fields"?: ("id" | "at" | "actor" | "user_id" | "api_token_id" | "address" | "request_id" | "action" | "resource" | "resource_id" | "before" | "after")[] | undefined; "search_field_values"?: (string)[] | undefined; "order_by"?: "id" | "at" | "actor" | "user_id" | "api_token_id" | "address" | "request_id" | "action" | "resource" | "resource_id" | "before" | "after" | null | undefined; "order_by_direction"?: "asc" | "desc" | null | undefined; "fields"?: ("id" | "at" | "actor" | "user_id" | "api_token_id" | "address" | "request_id" | "action" | "resource" | "resource_id" | "before" | "after")[] | undefined; "start_datetime"?: string | null | undefined; "end_datetime"?: string | null | undefined } | undefined }; answer: { "page": number; "page_size": number; "total_pages"?: number | null | undefined; "total_count"?: number | null | undefined; "items": (AuditEntryResponse)[] } };
  get_audit_entry_verification: { input: { "query"?: { "from_position"?: number | undefined } | undefined }; answer: AuditVerification };
  list_llm_providers: { input: Record<never, never>; answer: (LlmProviderResponse)[] };
  update_llm_provider: { input: { "path": { "provider": "anthropic" | "azure_openai" | "google" | "openai" }; "body": LlmProviderInput }; answer: LlmProviderResponse };
  delete_llm_provider: { input: { "path": { "provider": "anthropic" | "azure_openai" | "google" | "openai" } }; answer: Deleted };
  test_llm_provider: { input: { "path": { "provider": "anthropic" | "azure_openai" | "google" | "openai" } }; answer: LlmProviderTest };
  list_services: { input: { "query"?: { "page"?: number | null | undefined; "limit"?: number | undefined; "search_fields"?: ("id" | "name" | "description" | "last_updated" | "last_updated_by")[] | undefined; "search_field_values"?: (string)[] | undefined; "order_by"?: "id" | "name" | "description" | "last_updated" | "last_updated_by" | null | undefined; "order_by_direction"?: "asc" | "desc" | null | undefined; "fields"?: ("id" | "name" | "description" | "last_updated" | "last_updated_by")[] | undefined; "start_datetime"?: string | null | undefined; "end_datetime"?: string | null | undefined } | undefined }; answer: { "page": number; "page_size": number; "total_pages"?: number | null | undefined; "total_count"?: number | null | undefined; "items": (ServiceResponse)[] } };
  create_service: { input: { "body": ServiceCreateRequest }; answer: ServiceResponse };
  update_service: { input: { "body": ServiceUpdateRequest }; answer: ServiceResponse };
  get_service: { input: { "path": { "service_id": number } }; answer: ServiceResponse };
  delete_service: { input: { "path": { "service_id": number }; "query": { "reason": string } }; answer: Deleted };
  list_tools: { input: { "query"?: { "page"?: number | null | undefined; "limit"?: number | undefined; "search_fields"?: ("id" | "name" | "service_name" | "definition" | "service_id" | "last_updated" | "last_updated_by")[] | undefined; "search_field_values"?: (string)[] | undefined; "order_by"?: "id" | "name" | "service_name" | "definition" | "service_id" | "last_updated" | "last_updated_by" | null | undefined; "order_by_direction"?: "asc" | "desc" | null | undefined; "fields"?: ("id" | "name" | "service_name" | "definition" | "service_id" | "last_updated" | "last_updated_by")[] | undefined; "start_datetime"?: string | null | undefined; "end_datetime"?: string | null | undefined } | undefined }; answer: { "page": number; "page_size": number; "total_pages"?: number | null | undefined; "total_count"?: number | null | undefined; "items": (ToolResponse)[] } };
  create_tool: { input: { "body": ToolCreateRequest }; answer: ToolResponse };
  update_tool: { input: { "body": ToolUpdateRequest }; answer: ToolResponse };
  check_tool: { input: { "body": ToolCheckRequest }; answer: ToolCheckResponse };
  get_tool: { input: { "path": { "tool_name": string } }; answer: ToolDetailResponse };
  delete_tool: { input: { "path": { "tool_name": string }; "query": { "reason": string } }; answer: Deleted };
  list_tool_versions: { input: { "path": { "tool_id": number }; "query"?: { "page"?: number | undefined; "limit"?: number | undefined; "order_by_direction"?: "asc" | "desc" | undefined } | undefined }; answer: { "page": number; "page_size": number; "total_pages"?: number | null | undefined; "total_count"?: number | null | undefined; "items": (ToolHistoryResponse)[] } };
  list_mcp_server_tools: { input: { "path": { "service_id": number } }; answer: McpServerResponse };
  refresh_mcp_server_tools: { input: { "path": { "service_id": number } }; answer: McpServerResponse };
  add_mcp_server_tools: { input: { "path": { "service_id": number }; "body": McpToolsRequest }; answer: McpToolsResponse };
  list_prompts: { input: { "query"?: { "page"?: number | null | undefined; "limit"?: number | undefined; "search_fields"?: ("id" | "name" | "name_exact" | "description" | "name_description" | "context" | "tools" | "llm_config" | "last_updated" | "last_updated_by" | "agent_count" | "session_end_enabled")[] | undefined; "search_field_values"?: (string)[] | undefined; "order_by"?: "id" | "name" | "name_exact" | "description" | "name_description" | "context" | "tools" | "llm_config" | "last_updated" | "last_updated_by" | "agent_count" | "session_end_enabled" | null | undefined; "order_by_direction"?: "asc" | "desc" | null | undefined; "fields"?: ("id" | "name" | "name_exact" | "description" | "name_description" | "context" | "tools" | "llm_config" | "last_updated" | "last_updated_by" | "agent_count" | "session_end_enabled")[] | undefined; "start_datetime"?: string | null | undefined; "end_datetime"?: string | null | undefined } | undefined }; answer: { "page": number; "page_size": number; "total_pages"?: number | null | undefined; "total_count"?: number | null | undefined; "items": (PromptResponse)[] } };
  create_prompt: { input: { "body": PromptCreateRequest }; answer: PromptResponse };
  update_prompt: { input: { "body": PromptUpdateRequest }; answer: PromptResponse };
  get_prompt: { input: { "path": { "prompt_id": number } }; answer: PromptResponse };
  delete_prompt: { input: { "path": { "prompt_id": number }; "query": { "reason": string } }; answer: Deleted };
  list_prompt_versions: { input: { "path": { "prompt_id": number } }; answer: (PromptHistory)[] };
  list_supported_llms: { input: { "query"?: { "selected_model"?: string | null | undefined } | undefined }; answer: (SupportedLlm)[] };
  list_custom_messages: { input: { "query"?: { "page"?: number | null | undefined; "limit"?: number | undefined; "search_fields"?: ("id" | "name" | "name_exact" | "text" | "label" | "type" | "updated_at" | "agent_id")[] | undefined; "search_field_values"?: (string)[] | undefined; "order_by"?: "id" | "name" | "name_exact" | "text" | "label" | "type" | "updated_at" | "agent_id" | null | undefined; "order_by_direction"?: "asc" | "desc" | null | undefined; "fields"?: ("id" | "name" | "name_exact" | "text" | "label" | "type" | "updated_at" | "agent_id")[] | undefined; "start_datetime"?: string | null | undefined; "end_datetime"?: string | null | undefined } | undefined }; answer: { "page": number; "page_size": number; "total_pages"?: number | null | undefined; "total_count"?: number | null | undefined; "items": (CustomMessageResponse)[] } };
  create_custom_message: { input: { "body": CustomMessageCreateRequest }; answer: CustomMessageResponse };
  update_custom_message: { input: { "body": CustomMessageUpdateRequest }; answer: CustomMessageResponse };
  get_custom_message: { input: { "path": { "custom_message_id": number } }; answer: CustomMessageResponse };
  delete_custom_message: { input: { "path": { "custom_message_id": number }; "query": { "reason": string } }; answer: Deleted };
  list_voice_groups: { input: { "query"?: { "page"?: number | null | undefined; "limit"?: number | undefined; "search_fields"?: ("name" | "description" | "skip_current_language_in_message" | "updated_at" | "last_updated_by")[] | undefined; "search_field_values"?: (string)[] | undefined; "order_by"?: "name" | "description" | "skip_current_language_in_message" | "updated_at" | "last_updated_by" | null | undefined; "order_by_direction"?: "asc" | "desc" | null | undefined; "fields"?: ("name" | "description" | "skip_current_language_in_message" | "updated_at" | "last_updated_by")[] | undefined; "start_datetime"?: string | null | undefined; "end_datetime"?: string | null | undefined } | undefined }; answer: { "page": number; "page_size": number; "total_pages"?: number | null | undefined; "total_count"?: number | null | undefined; "items": (LanguageGroupResponse)[] } };
  create_voice_group: { input: { "body": VoiceGroupCreateRequest }; answer: LanguageGroupResponse };
  update_voice_group: { input: { "body": VoiceGroupUpdateRequest }; answer: LanguageGroupResponse };
  get_voice_group: { input: { "path": { "voice_group_id": number } }; answer: LanguageGroupResponse };
  delete_voice_group: { input: { "path": { "voice_group_id": number }; "query": { "reason": string } }; answer: Deleted };
  list_language_groups: { input: { "query"?: { "page"?: number | null | undefined; "limit"?: number | undefined; "search_fields"?: ("name" | "description" | "skip_current_language_in_message" | "updated_at" | "last_updated_by")[] | undefined; "search_field_values"?: (string)[] | undefined; "order_by"?: "name" | "description" | "skip_current_language_in_message" | "updated_at" | "last_updated_by" | null | undefined; "order_by_direction"?: "asc" | "desc" | null | undefined; "fields"?: ("name" | "description" | "skip_current_language_in_message" | "updated_at" | "last_updated_by")[] | undefined; "start_datetime"?: string | null | undefined; "end_datetime"?: string | null | undefined } | undefined }; answer: { "page": number; "page_size": number; "total_pages"?: number | null | undefined; "total_count"?: number | null | undefined; "items": (LanguageGroupResponse)[] } };
  create_language_group: { input: { "body": VoiceGroupCreateRequest }; answer: LanguageGroupResponse };
  update_language_group: { input: { "body": VoiceGroupUpdateRequest }; answer: LanguageGroupResponse };
  get_language_group: { input: { "path": { "language_group_id": number } }; answer: LanguageGroupResponse };
  delete_language_group: { input: { "path": { "language_group_id": number }; "query": { "reason": string } }; answer: Deleted };
  list_bridge_phrases: { input: { "query"?: { "page"?: number | null | undefined; "limit"?: number | undefined; "search_fields"?: ("name" | "description" | "updated_at" | "last_updated_by")[] | undefined; "search_field_values"?: (string)[] | undefined; "order_by"?: "name" | "description" | "updated_at" | "last_updated_by" | null | undefined; "order_by_direction"?: "asc" | "desc" | null | undefined; "fields"?: ("name" | "description" | "updated_at" | "last_updated_by")[] | undefined; "start_datetime"?: string | null | undefined; "end_datetime"?: string | null | undefined } | undefined }; answer: { "page": number; "page_size": number; "total_pages"?: number | null | undefined; "total_count"?: number | null | undefined; "items": (BridgePhrasesResponse)[] } };
  create_bridge_phrase: { input: { "body": BridgePhrasesCreateRequest }; answer: BridgePhrasesResponse };
  update_bridge_phrase: { input: { "body": BridgePhrasesUpdateRequest }; answer: BridgePhrasesResponse };
  get_bridge_phrase: { input: { "path": { "bridge_phrases_id": number } }; answer: BridgePhrasesResponse };
  delete_bridge_phrase: { input: { "path": { "bridge_phrases_id": number }; "query": { "reason": string } }; answer: Deleted };
  list_agents: { input: { "query"?: { "page"?: number | null | undefined; "limit"?: number | undefined; "search_fields"?: ("id" | "name" | "name_exact" | "description" | "label" | "labels" | "name_description" | "type" | "timezone" | "prompt_id" | "prompt_id_list" | "custom_message_id" | "languages" | "variables" | "prompt_tool_defaults" | "tool_headers" | "updated_at" | "last_updated_by")[] | undefined; "search_field_values"?: (string)[] | undefined; "order_by"?: "id" | "name" | "name_exact" | "description" | "label" | "labels" | "name_description" | "type" | "timezone" | "prompt_id" | "prompt_id_list" | "custom_message_id" | "languages" | "variables" | "prompt_tool_defaults" | "tool_headers" | "updated_at" | "last_updated_by" | null | undefined; "order_by_direction"?: "asc" | "desc" | null | undefined; "fields"?: ("id" | "name" | "name_exact" | "description" | "label" | "labels" | "name_description" | "type" | "timezone" | "prompt_id" | "prompt_id_list" | "custom_message_id" | "languages" | "variables" | "prompt_tool_defaults" | "tool_headers" | "updated_at" | "last_updated_by")[] | undefined; "start_datetime"?: string | null | undefined; "end_datetime"?: string | null | undefined } | undefined }; answer: { "page": number; "page_size": number; "total_pages"?: number | null | undefined; "total_count"?: number | null | undefined; "items": (AgentResponse)[] } };
  create_agent: { input: { "body": AgentCreate }; answer: AgentResponse };
  update_agent: { input: { "body": AgentUpdate }; answer: AgentResponse };
  get_agent: { input: { "path": { "agent_id": number } }; answer: AgentResponse };
  delete_agent: { input: { "path": { "agent_id": number }; "query": { "reason": string } }; answer: Deleted };
  list_agent_labels: { input: Record<never, never>; answer: (string)[] };
  preview_custom_message_calendar: { input: { "body": MessageCalendarRequest }; answer: MessageCalendarResponse };
  get_conversation_bridges: { input: { "query"?: { "agent_id"?: number | null | undefined; "tool_name"?: string | null | undefined } | undefined }; answer: BridgePhrasesConfig };
  update_conversation_bridges: { input: { "query"?: { "agent_id"?: number | null | undefined; "tool_name"?: string | null | undefined } | undefined; "body": BridgePhrasesConfigInput }; answer: BridgePhrasesConfig };
  list_incident_organizations: { input: Record<never, never>; answer: (IncidentOrganizationResponse)[] };
  list_incidents: { input: { "query"?: { "page"?: number | null | undefined; "limit"?: number | undefined; "search_fields"?: ("id" | "description" | "impact_category" | "sessions_impacted" | "markdown" | "created_at" | "updated_at" | "organization_id" | "sub_organization_id" | "start_datetime" | "end_datetime" | "resolution_datetime")[] | undefined; "search_field_values"?: (string)[] | undefined; "order_by"?: "id" | "description" | "impact_category" | "sessions_impacted" | "markdown" | "created_at" | "updated_at" | "organization_id" | "sub_organization_id" | "start_datetime" | "end_datetime" | "resolution_datetime" | null | undefined; "order_by_direction"?: "asc" | "desc" | null | undefined; "fields"?: ("id" | "description" | "impact_category" | "sessions_impacted" | "markdown" | "created_at" | "updated_at" | "organization_id" | "sub_organization_id" | "start_datetime" | "end_datetime" | "resolution_datetime")[] | undefined; "start_datetime"?: string | null | undefined; "end_datetime"?: string | null | undefined } | undefined }; answer: { "page": number; "page_size": number; "total_pages"?: number | null | undefined; "total_count"?: number | null | undefined; "items": (IncidentResponse)[] } };
  create_incident: { input: { "body": IncidentCreateRequest }; answer: IncidentResponse };
  update_incident: { input: { "body": IncidentUpdateRequest }; answer: IncidentResponse };
  get_incident: { input: { "path": { "incident_id": number } }; answer: IncidentResponse };
  delete_incident: { input: { "path": { "incident_id": number }; "query": { "reason": string } }; answer: Deleted };
  list_agent_templates: { input: Record<never, never>; answer: (AgentTemplate)[] };
  create_agent_from_template: { input: { "body": AgentFromTemplate }; answer: ImportedAgent };
  import_agent: { input: { "body": AgentImport }; answer: ImportedAgent };
  export_agent: { input: { "path": { "agent_id": number } }; answer: AgentFileText };
  duplicate_agent: { input: { "path": { "agent_id": number }; "body": AgentDuplicate }; answer: ImportedAgent };
  list_available_voices: { input: Record<never, never>; answer: (AgentVoice)[] };
  sample_voice_group_voice: { input: { "body": VoiceSampleCreateRequest }; answer: Uint8Array };
  sample_language_group_voice: { input: { "body": VoiceSampleCreateRequest }; answer: Uint8Array };
  get_pronunciations: { input: Record<never, never>; answer: PronunciationOverridesDictionary };
  get_pronunciation_metadata: { input: Record<never, never>; answer: DictionaryMetadata };
  export_pronunciations: { input: Record<never, never>; answer: string };
  import_pronunciations: { input: { "body": FormData }; answer: PronunciationsCsvUploadResponse };
  delete_pronunciations: { input: Record<never, never>; answer: null };
  list_speech_providers: { input: Record<never, never>; answer: (SpeechProviderResponse)[] };
  update_speech_provider: { input: { "path": { "provider": "deepgram" | "assemblyai" | "elevenlabs" | "cartesia" }; "body": SpeechProviderInput }; answer: SpeechProviderResponse };
  delete_speech_provider: { input: { "path": { "provider": "deepgram" | "assemblyai" | "elevenlabs" | "cartesia" } }; answer: Deleted };
  test_speech_provider: { input: { "path": { "provider": "deepgram" | "assemblyai" | "elevenlabs" | "cartesia" } }; answer: SpeechProviderTest };
  list_data_sources: { input: { "query"?: { "page"?: number | null | undefined; "limit"?: number | undefined; "search_fields"?: ("name" | "description" | "labels" | "chunk" | "chunk_delimiter" | "updated_at" | "last_updated_by")[] | undefined; "search_field_values"?: (string)[] | undefined; "order_by"?: "name" | "description" | "labels" | "chunk" | "chunk_delimiter" | "updated_at" | "last_updated_by" | null | undefined; "order_by_direction"?: "asc" | "desc" | null | undefined; "fields"?: ("name" | "description" | "labels" | "chunk" | "chunk_delimiter" | "updated_at" | "last_updated_by")[] | undefined; "start_datetime"?: string | null | undefined; "end_datetime"?: string | null | undefined } | undefined }; answer: { "page": number; "page_size": number; "total_pages"?: number | null | undefined; "total_count"?: number | null | undefined; "items": (DataSourceMetadataResponse)[] } };
  create_data_source: { input: { "body": DataSourceCreateRequest }; answer: DataSourceDetailResponse };
  update_data_source: { input: { "body": DataSourceUpdateRequest }; answer: DataSourceDetailResponse };
  get_data_source: { input: { "path": { "data_source_id": number } }; answer: DataSourceDetailResponse };
  delete_data_source: { input: { "path": { "data_source_id": number }; "query": { "reason": string } }; answer: Deleted };
  list_data_source_documents: { input: { "path": { "data_source_id": number }; "query"?: { "page"?: number | null | undefined; "limit"?: number | undefined; "search_fields"?: ("kind" | "name" | "title" | "format" | "characters" | "size_bytes" | "created_at" | "updated_at")[] | undefined; "search_field_values"?: (string)[] | undefined; "order_by"?: "kind" | "name" | "title" | "format" | "characters" | "size_bytes" | "created_at" | "updated_at" | null | undefined; "order_by_direction"?: "asc" | "desc" | null | undefined; "fields"?: ("kind" | "name" | "title" | "format" | "characters" | "size_bytes" | "created_at" | "updated_at")[] | undefined; "start_datetime"?: string | null | undefined; "end_datetime"?: string | null | undefined } | undefined }; answer: { "page": number; "page_size": number; "total_pages"?: number | null | undefined; "total_count"?: number | null | undefined; "items": (DataSourceDocument)[] } };
  create_data_source_document: { input: { "path": { "data_source_id": number }; "body": FormData }; answer: DataSourceDocument };
  get_data_source_document: { input: { "path": { "data_source_id": number; "document_id": number } }; answer: DataSourceDocumentText };
  delete_data_source_document: { input: { "path": { "data_source_id": number; "document_id": number } }; answer: Deleted };
  get_data_source_crawl: { input: { "path": { "data_source_id": number } }; answer: DataSourceCrawl };
  update_data_source_crawl: { input: { "path": { "data_source_id": number }; "body": DataSourceCrawlUpdateRequest }; answer: DataSourceCrawl };
  delete_data_source_crawl: { input: { "path": { "data_source_id": number } }; answer: Deleted };
  run_data_source_crawl: { input: { "path": { "data_source_id": number } }; answer: DataSourceCrawl };
  stop_data_source_crawl: { input: { "path": { "data_source_id": number } }; answer: DataSourceCrawl };
  list_data_source_crawl_pages: { input: { "path": { "data_source_id": number }; "query"?: { "page"?: number | null | undefined; "limit"?: number | undefined; "search_fields"?: ("url" | "depth" | "status" | "read_at")[] | undefined; "search_field_values"?: (string)[] | undefined; "order_by"?: "url" | "depth" | "status" | "read_at" | null | undefined; "order_by_direction"?: "asc" | "desc" | null | undefined; "fields"?: ("url" | "depth" | "status" | "read_at")[] | undefined; "start_datetime"?: string | null | undefined; "end_datetime"?: string | null | undefined } | undefined }; answer: { "page": number; "page_size": number; "total_pages"?: number | null | undefined; "total_count"?: number | null | undefined; "items": (DataSourceCrawlPage)[] } };
  search_data_source: { input: { "path": { "data_source_id": number }; "body": DataSourceQuestion }; answer: DataSourceFindings };
  list_directory_members: { input: { "query"?: { "page"?: number | null | undefined; "limit"?: number | undefined; "search_fields"?: ("id" | "name" | "name_exact" | "type" | "extensions" | "contact_tags" | "created_at" | "updated_at" | "deleted_at" | "created_by")[] | undefined; "search_field_values"?: (string)[] | undefined; "order_by"?: "id" | "name" | "name_exact" | "type" | "extensions" | "contact_tags" | "created_at" | "updated_at" | "deleted_at" | "created_by" | null | undefined; "order_by_direction"?: "asc" | "desc" | null | undefined; "fields"?: ("id" | "name" | "name_exact" | "type" | "extensions" | "contact_tags" | "created_at" | "updated_at" | "deleted_at" | "created_by")[] | undefined; "start_datetime"?: string | null | undefined; "end_datetime"?: string | null | undefined; "include_deleted"?: boolean | undefined; "response_format"?: "normalized" | "raw" | undefined } | undefined }; answer: { "page": number; "page_size": number; "total_pages"?: number | null | undefined; "total_count"?: number | null | undefined; "items": (DirectoryMember)[] } };
  create_directory_member: { input: { "query"?: { "response_format"?: "normalized" | "raw" | undefined } | undefined; "body": DirectoryMemberCreate }; answer: DirectoryMember };
  import_directory_members: { input: { "body": FormData }; answer: { "success": true; "created": number; "updated": number } };
  export_directory_members: { input: { "query"?: { "response_format"?: "normalized" | "raw" | undefined } | undefined }; answer: (DirectoryMember)[] };
  get_directory_member: { input: { "path": { "member_id": number }; "query"?: { "response_format"?: "normalized" | "raw" | undefined } | undefined }; answer: DirectoryMember };
  update_directory_member: { input: { "path": { "member_id": number }; "query"?: { "response_format"?: "normalized" | "raw" | undefined } | undefined; "body": DirectoryMemberUpdate }; answer: DirectoryMember };
  delete_directory_member: { input: { "path": { "member_id": number }; "query": { "comment": string } }; answer: Deleted };
  restore_directory_member: { input: { "path": { "member_id": number }; "query"?: { "response_format"?: "normalized" | "raw" | undefined } | undefined; "body": DirectoryMemberRestore }; answer: DirectoryMember };
  list_directory_member_versions: { input: { "path": { "member_id": number }; "query"?: { "page"?: number | undefined; "limit"?: number | undefined; "order_by_direction"?: "asc" | "desc" | undefined; "response_format"?: "normalized" | "raw" | undefined } | undefined }; answer: { "page": number; "page_size": number; "total_pages"?: number | null | undefined; "total_count"?: number | null | undefined; "items": (DirectoryMemberHistoryResponse)[] } };
  test_directory_member: { input: { "path": { "member_id": number }; "query": { "timestamp": string; "language_code"?: LanguageCode | null | undefined } }; answer: DirectoryMemberTestResponse };
  list_channels: { input: { "query"?: { "page"?: number | null | undefined; "limit"?: number | undefined; "search_fields"?: ("id" | "name" | "name_exact" | "channel_service" | "supported_modes" | "config")[] | undefined; "search_field_values"?: (string)[] | undefined; "order_by"?: "id" | "name" | "name_exact" | "channel_service" | "supported_modes" | "config" | null | undefined; "order_by_direction"?: "asc" | "desc" | null | undefined; "fields"?: ("id" | "name" | "name_exact" | "channel_service" | "supported_modes" | "config")[] | undefined; "start_datetime"?: string | null | undefined; "end_datetime"?: string | null | undefined } | undefined }; answer: { "page": number; "page_size": number; "total_pages"?: number | null | undefined; "total_count"?: number | null | undefined; "items": (Channel)[] } };
  create_channel: { input: { "body": OrganizationChannelCreateRequest }; answer: Channel };
  update_channel: { input: { "body": OrganizationChannelUpdateRequest }; answer: Channel };
  get_channel_carrier: { input: { "path": { "channel_id": number } }; answer: ChannelCarrier };
  test_channel_carrier: { input: { "path": { "channel_id": number } }; answer: ChannelCarrierTest };
  create_channel_target_identity_key: { input: { "path": { "channel_id": number; "target_id": number } }; answer: IdentityKey };
  delete_channel_target_identity_key: { input: { "path": { "channel_id": number; "target_id": number } }; answer: Deleted };
  update_channel_target_browser_calls: { input: { "path": { "channel_id": number; "target_id": number }; "body": BrowserCalls }; answer: BrowserCalls };
  list_channel_targets: { input: { "query"?: { "page"?: number | null | undefined; "limit"?: number | undefined; "search_fields"?: ("id" | "channel_id" | "channel_name" | "agent_id" | "target" | "target_mode" | "target_mode_list" | "fallback_target" | "is_test" | "updated_at" | "a2p_verified")[] | undefined; "search_field_values"?: (string)[] | undefined; "order_by"?: "id" | "channel_id" | "channel_name" | "agent_id" | "target" | "target_mode" | "fallback_target" | "is_test" | "updated_at" | "a2p_verified" | null | undefined; "order_by_direction"?: "asc" | "desc" | null | undefined; "fields"?: ("id" | "channel_id" | "channel_name" | "agent_id" | "target" | "target_mode" | "target_mode_list" | "fallback_target" | "is_test" | "updated_at" | "a2p_verified")[] | undefined; "start_datetime"?: string | null | undefined; "end_datetime"?: string | null | undefined } | undefined }; answer: { "page": number; "page_size": number; "total_pages"?: number | null | undefined; "total_count"?: number | null | undefined; "items": (ChannelTargetResponse)[] } };
  list_available_targets: { input: { "query"?: { "page"?: number | null | undefined; "limit"?: number | undefined; "search_fields"?: ("channel_id" | "channel_name" | "target")[] | undefined; "search_field_values"?: (string)[] | undefined; "order_by"?: "channel_id" | "channel_name" | "target" | null | undefined; "order_by_direction"?: "asc" | "desc" | null | undefined; "fields"?: ("channel_id" | "channel_name" | "target")[] | undefined; "start_datetime"?: string | null | undefined; "end_datetime"?: string | null | undefined } | undefined }; answer: { "page": number; "page_size": number; "total_pages"?: number | null | undefined; "total_count"?: number | null | undefined; "items": (AvailableTarget)[] } };
  get_channel_target: { input: { "path": { "channel_id": number; "target_id": number } }; answer: ChannelTargetResponse };
  update_channel_target: { input: { "path": { "channel_id": number; "target_id": number }; "body": ChannelTargetUpdateRequest }; answer: ChannelTargetResponse };
  create_channel_target: { input: { "path": { "channel_id": number }; "body": ChannelTargetCreateRequest }; answer: ChannelTargetResponse };
  delete_channel_target: { input: { "path": { "channel_id": number }; "query": { "target_id": number } }; answer: Deleted };
  list_number_owners: { input: { "query"?: { "page"?: number | null | undefined; "limit"?: number | undefined; "search_fields"?: ("number" | "organization_id" | "organization" | "assigned_at" | "assigned_by")[] | undefined; "search_field_values"?: (string)[] | undefined; "order_by"?: "number" | "organization_id" | "organization" | "assigned_at" | "assigned_by" | null | undefined; "order_by_direction"?: "asc" | "desc" | null | undefined; "fields"?: ("number" | "organization_id" | "organization" | "assigned_at" | "assigned_by")[] | undefined; "start_datetime"?: string | null | undefined; "end_datetime"?: string | null | undefined } | undefined }; answer: { "page": number; "page_size": number; "total_pages"?: number | null | undefined; "total_count"?: number | null | undefined; "items": (NumberOwner)[] } };
  update_number_owner: { input: { "path": { "number": string }; "body": { "organization_id": number } }; answer: NumberOwner };
  delete_number_owner: { input: { "path": { "number": string } }; answer: Deleted };
  create_channel_simulated_contact: { input: { "path": { "channel_id": number }; "body": SimulatedContact }; answer: BegunContact };
  list_mail_domains: { input: { "query"?: { "page"?: number | null | undefined; "limit"?: number | undefined; "search_fields"?: ("id" | "organization_id" | "domain" | "proven_by" | "created_by")[] | undefined; "search_field_values"?: (string)[] | undefined; "order_by"?: "id" | "organization_id" | "domain" | "proven_by" | "created_by" | null | undefined; "order_by_direction"?: "asc" | "desc" | null | undefined; "fields"?: ("id" | "organization_id" | "domain" | "proven_by" | "created_by")[] | undefined; "start_datetime"?: string | null | undefined; "end_datetime"?: string | null | undefined } | undefined }; answer: { "page": number; "page_size": number; "total_pages"?: number | null | undefined; "total_count"?: number | null | undefined; "items": (MailDomain)[] } };
  create_mail_domain: { input: { "body": MailDomainClaim }; answer: MailDomain };
  verify_mail_domain: { input: { "path": { "mail_domain_id": number } }; answer: MailDomain };
  delete_mail_domain: { input: { "path": { "mail_domain_id": number } }; answer: Deleted };
  list_mail_domain_claims: { input: { "query"?: { "page"?: number | null | undefined; "limit"?: number | undefined; "search_fields"?: ("id" | "organization_id" | "domain" | "proven_by" | "created_by")[] | undefined; "search_field_values"?: (string)[] | undefined; "order_by"?: "id" | "organization_id" | "domain" | "proven_by" | "created_by" | null | undefined; "order_by_direction"?: "asc" | "desc" | null | undefined; "fields"?: ("id" | "organization_id" | "domain" | "proven_by" | "created_by")[] | undefined; "start_datetime"?: string | null | undefined; "end_datetime"?: string | null | undefined } | undefined }; answer: { "page": number; "page_size": number; "total_pages"?: number | null | undefined; "total_count"?: number | null | undefined; "items": (MailDomain)[] } };
  update_mail_domain_claim: { input: { "path": { "mail_domain_id": number } }; answer: MailDomain };
  delete_mail_domain_claim: { input: { "path": { "mail_domain_id": number } }; answer: Deleted };
  get_twilio_channel: { input: { "path": { "channel_id": number } }; answer: Channel };
  create_twilio_channel: { input: { "body": TwilioChannelCreateRequest }; answer: Channel };
  update_twilio_channel: { input: { "body": TwilioChannelUpdateRequest }; answer: Channel };
  list_twilio_numbers: { input: { "path": { "channel_id": number } }; answer: TwilioListNumbersResponse };
  buy_twilio_number: { input: { "path": { "channel_id": number }; "body": TwilioNumberAddRequest }; answer: TwilioNumberResponse };
  reattach_twilio_number: { input: { "path": { "channel_id": number }; "body": TwilioNumberUpdateRequest }; answer: TwilioNumberResponse };
  release_twilio_number: { input: { "path": { "channel_id": number; "number": string } }; answer: Deleted };
  verify_twilio_number_a2p: { input: { "path": { "channel_id": number }; "body": A2pMessagingPathCheckRequest }; answer: A2pMessagingPathCheckResponse };
  list_suppressions: { input: { "query"?: { "page"?: number | null | undefined; "limit"?: number | undefined; "search_fields"?: ("id" | "kind" | "address" | "address_exact" | "scope" | "reason" | "through" | "said" | "session_id" | "comment" | "occurred_at" | "created_at" | "created_by" | "lifted_at" | "lifted")[] | undefined; "search_field_values"?: (string)[] | undefined; "order_by"?: "id" | "kind" | "address" | "address_exact" | "scope" | "reason" | "through" | "said" | "session_id" | "comment" | "occurred_at" | "created_at" | "created_by" | "lifted_at" | "lifted" | null | undefined; "order_by_direction"?: "asc" | "desc" | null | undefined; "fields"?: ("id" | "kind" | "address" | "address_exact" | "scope" | "reason" | "through" | "said" | "session_id" | "comment" | "occurred_at" | "created_at" | "created_by" | "lifted_at" | "lifted")[] | undefined; "start_datetime"?: string | null | undefined; "end_datetime"?: string | null | undefined } | undefined }; answer: { "page": number; "page_size": number; "total_pages"?: number | null | undefined; "total_count"?: number | null | undefined; "items": (Suppression)[] } };
  create_suppression: { input: { "body": SuppressionCreateRequest }; answer: Suppression };
  export_suppressions: { input: Record<never, never>; answer: string };
  import_suppressions: { input: { "query"?: { "calling_code"?: string | null | undefined } | undefined; "body": FormData }; answer: SuppressionImport };
  get_suppression: { input: { "path": { "id": number } }; answer: Suppression };
  lift_suppression: { input: { "path": { "id": number }; "query": { "reason": string } }; answer: Deleted };
  get_organization_announcements: { input: Record<never, never>; answer: StoredAnnouncements };
  update_organization_announcements: { input: { "body": Announcements }; answer: StoredAnnouncements };
  list_consents: { input: { "query"?: { "page"?: number | null | undefined; "limit"?: number | undefined; "search_fields"?: ("id" | "address" | "purpose" | "channel" | "given_through" | "wording" | "valid_from" | "created_at" | "created_by" | "revoked_at" | "revoked")[] | undefined; "search_field_values"?: (string)[] | undefined; "order_by"?: "id" | "address" | "purpose" | "channel" | "given_through" | "wording" | "valid_from" | "created_at" | "created_by" | "revoked_at" | "revoked" | null | undefined; "order_by_direction"?: "asc" | "desc" | null | undefined; "fields"?: ("id" | "address" | "purpose" | "channel" | "given_through" | "wording" | "valid_from" | "created_at" | "created_by" | "revoked_at" | "revoked")[] | undefined; "start_datetime"?: string | null | undefined; "end_datetime"?: string | null | undefined } | undefined }; answer: { "page": number; "page_size": number; "total_pages"?: number | null | undefined; "total_count"?: number | null | undefined; "items": (Consent)[] } };
  create_consent: { input: { "body": ConsentCreateRequest }; answer: Consent };
  export_consents: { input: Record<never, never>; answer: string };
  import_consents: { input: { "query"?: { "calling_code"?: string | null | undefined } | undefined; "body": FormData }; answer: ConsentImport };
  get_consent: { input: { "path": { "id": number } }; answer: Consent };
  revoke_consent: { input: { "path": { "id": number }; "query": { "reason": string } }; answer: Deleted };
  list_do_not_call_lists: { input: { "query"?: { "page"?: number | null | undefined; "limit"?: number | undefined; "search_fields"?: ("id" | "name" | "kind" | "numbers" | "as_of" | "is_outdated" | "last_updated")[] | undefined; "search_field_values"?: (string)[] | undefined; "order_by"?: "id" | "name" | "kind" | "numbers" | "as_of" | "is_outdated" | "last_updated" | null | undefined; "order_by_direction"?: "asc" | "desc" | null | undefined; "fields"?: ("id" | "name" | "kind" | "numbers" | "as_of" | "is_outdated" | "last_updated")[] | undefined; "start_datetime"?: string | null | undefined; "end_datetime"?: string | null | undefined } | undefined }; answer: { "page": number; "page_size": number; "total_pages"?: number | null | undefined; "total_count"?: number | null | undefined; "items": (DoNotCallList)[] } };
  create_do_not_call_list: { input: { "body": DoNotCallListSettings }; answer: DoNotCallList };
  update_do_not_call_list: { input: { "path": { "id": number }; "body": DoNotCallListSettings }; answer: DoNotCallList };
  delete_do_not_call_list: { input: { "path": { "id": number }; "query": { "reason": string } }; answer: Deleted };
  import_do_not_call_list: { input: { "path": { "id": number }; "query"?: { "as_of"?: string | null | undefined; "calling_code"?: string | null | undefined } | undefined; "body": FormData }; answer: DoNotCallList };
  check_do_not_call_lists: { input: { "path": { "address": string } }; answer: DoNotCallCheck };
  list_events: { input: { "query"?: { "page"?: number | null | undefined; "limit"?: number | undefined; "search_fields"?: ("timestamp" | "session_id" | "conversation_id" | "source" | "source_id" | "category" | "type" | "user_id" | "description" | "attributes")[] | undefined; "search_field_values"?: (string)[] | undefined; "order_by"?: "timestamp" | "session_id" | "conversation_id" | "source" | "source_id" | "category" | "type" | "user_id" | "description" | "attributes" | null | undefined; "order_by_direction"?: "asc" | "desc" | null | undefined; "fields"?: ("timestamp" | "session_id" | "conversation_id" | "source" | "source_id" | "category" | "type" | "user_id" | "description" | "attributes")[] | undefined; "start_datetime"?: string | null | undefined; "end_datetime"?: string | null | undefined } | undefined }; answer: { "page": number; "page_size": number; "total_pages"?: number | null | undefined; "total_count"?: number | null | undefined; "items": (Event)[] } };
  list_running_sessions: { input: { "query"?: { "is_test"?: string | undefined; "session_id"?: number | undefined } | undefined }; answer: LiveSessions };
  list_sessions: { input: { "query"?: { "page"?: number | null | undefined; "limit"?: number | undefined; "search_fields"?: ("timestamp" | "session_id" | "conversation_id" | "channel_manager_service" | "channel_manager_type" | "channel_manager_sid" | "agent_type" | "agent_id" | "agent_name" | "agent_version" | "experiment_id" | "experiment_outcome" | "prompt_id" | "prompt_name" | "source" | "target" | "duration" | "is_outbound" | "is_legacy" | "is_test" | "ended_at" | "end_reason" | "is_running")[] | undefined; "search_field_values"?: (string)[] | undefined; "order_by"?: "timestamp" | "session_id" | "conversation_id" | "channel_manager_service" | "channel_manager_type" | "channel_manager_sid" | "agent_type" | "agent_id" | "agent_name" | "agent_version" | "prompt_id" | "prompt_name" | "source" | "target" | "duration" | "is_outbound" | "is_legacy" | "is_test" | "ended_at" | "end_reason" | null | undefined; "order_by_direction"?: "asc" | "desc" | null | undefined; "fields"?: ("timestamp" | "session_id" | "conversation_id" | "channel_manager_service" | "channel_manager_type" | "channel_manager_sid" | "agent_type" | "agent_id" | "agent_name" | "agent_version" | "experiment_id" | "experiment_outcome" | "prompt_id" | "prompt_name" | "source" | "target" | "duration" | "is_outbound" | "is_legacy" | "is_test" | "ended_at" | "end_reason" | "is_running")[] | undefined; "start_datetime"?: string | null | undefined; "end_datetime"?: string | null | undefined } | undefined }; answer: { "page": number; "page_size": number; "total_pages"?: number | null | undefined; "total_count"?: number | null | undefined; "items": (Session)[] } };
  get_session: { input: { "path": { "session_id": string } }; answer: SessionDetail };
  delete_session: { input: { "path": { "session_id": string } }; answer: Deleted };
  get_recording_links: { input: { "path": { "session_id": string } }; answer: SessionRecordingResponse };
  stream_recording: { input: { "query": { "token": string } }; answer: Uint8Array };
  get_session_waveform: { input: { "path": { "session_id": number } }; answer: SessionWaveformResponse };
  list_session_labels: { input: { "query"?: { "page"?: number | null | undefined; "limit"?: number | undefined; "search_fields"?: ("timestamp" | "session_id" | "type" | "code" | "user_email" | "issue_categories" | "session_id_list")[] | undefined; "search_field_values"?: (string)[] | undefined; "order_by"?: "timestamp" | "session_id" | "type" | "code" | "user_email" | "issue_categories" | "session_id_list" | null | undefined; "order_by_direction"?: "asc" | "desc" | null | undefined; "fields"?: ("timestamp" | "session_id" | "type" | "code" | "user_email" | "issue_categories" | "session_id_list")[] | undefined; "start_datetime"?: string | null | undefined; "end_datetime"?: string | null | undefined } | undefined }; answer: { "page": number; "page_size": number; "total_pages"?: number | null | undefined; "total_count"?: number | null | undefined; "items": (SessionLabel)[] } };
  create_session_label: { input: { "body": SessionLabelCreate }; answer: SessionLabel };
  get_session_label: { input: { "path": { "session_label_id": number } }; answer: SessionLabel };
  list_conversations: { input: { "query"?: { "page"?: number | null | undefined; "limit"?: number | undefined; "search_fields"?: ("timestamp" | "agent_type" | "agent_id" | "agent_name" | "prompt_id" | "prompt_name" | "llm_provider" | "llm_model" | "llm_version" | "is_legacy")[] | undefined; "search_field_values"?: (string)[] | undefined; "order_by"?: "timestamp" | "agent_type" | "agent_id" | "agent_name" | "prompt_id" | "prompt_name" | "llm_provider" | "llm_model" | "llm_version" | "is_legacy" | null | undefined; "order_by_direction"?: "asc" | "desc" | null | undefined; "fields"?: ("timestamp" | "agent_type" | "agent_id" | "agent_name" | "prompt_id" | "prompt_name" | "llm_provider" | "llm_model" | "llm_version" | "is_legacy")[] | undefined; "start_datetime"?: string | null | undefined; "end_datetime"?: string | null | undefined } | undefined }; answer: { "page": number; "page_size": number; "total_pages"?: number | null | undefined; "total_count"?: number | null | undefined; "items": (Conversation)[] } };
  get_session_transcript: { input: { "path": { "session_id": string } }; answer: SessionTranscriptionResponse };
  get_session_latency: { input: { "path": { "session_id": string } }; answer: InspectLatencyResponse };
  get_session_timeline: { input: { "path": { "session_id": string } }; answer: SessionTimelineResponse };
  take_over_session: { input: { "path": { "session_id": number } }; answer: SessionTakeover };
  hand_back_session: { input: { "path": { "session_id": number } }; answer: null };
  whisper_to_agent: { input: { "path": { "session_id": number }; "body": SessionNoteCreate }; answer: SessionNote };
  get_session_trace: { input: { "path": { "session_id": number }; "query"?: { "after"?: number | undefined; "limit"?: number | undefined } | undefined }; answer: SessionTraceResponse };
  list_session_model_rounds: { input: { "path": { "session_id": number }; "query": { "turn_index": number } }; answer: (ModelRoundResponse)[] };
  list_session_tool_requests: { input: { "path": { "session_id": number }; "query": { "turn_index": number } }; answer: (ToolRequestsResponse)[] };
  get_session_debug_by_sid: { input: { "path": { "channel_manager_service": string; "channel_manager_sid": string } }; answer: SessionData };
  get_session_debug: { input: { "path": { "session_id": number } }; answer: SessionData };
  get_tool_result: { input: { "path": { "session_id": number; "tool_call_id": string } }; answer: ToolResultData };
  release_held_message: { input: { "path": { "session_id": string; "message_id": string } }; answer: ReleasedMessage };
  answer_held_message: { input: { "path": { "session_id": string; "message_id": string }; "body": HeldMessageAnswer }; answer: ReleasedMessage };
  write_in_session: { input: { "path": { "session_id": number }; "body": TakeoverWords }; answer: SaidByHand };
  send_test_message: { input: { "body": TestMessage }; answer: TestMessageResponse };
  try_tool: { input: { "body": ToolTryRequest }; answer: ToolTryResponse };
  play_tool: { input: { "body": TaskPlayRequest }; answer: TaskPlayResponse };
  list_test_suites: { input: { "query"?: { "page"?: number | null | undefined; "limit"?: number | undefined; "search_fields"?: ("id" | "name" | "name_exact" | "agent" | "agent_id" | "last_updated" | "last_updated_by")[] | undefined; "search_field_values"?: (string)[] | undefined; "order_by"?: "id" | "name" | "name_exact" | "agent" | "agent_id" | "last_updated" | "last_updated_by" | null | undefined; "order_by_direction"?: "asc" | "desc" | null | undefined; "fields"?: ("id" | "name" | "name_exact" | "agent" | "agent_id" | "last_updated" | "last_updated_by")[] | undefined; "start_datetime"?: string | null | undefined; "end_datetime"?: string | null | undefined } | undefined }; answer: { "page": number; "page_size": number; "total_pages"?: number | null | undefined; "total_count"?: number | null | undefined; "items": (TestSuiteListed)[] } };
  create_test_suite: { input: { "body": TestSuiteInput }; answer: TestSuiteResponse };
  update_test_suite: { input: { "body": TestSuiteUpdate }; answer: TestSuiteResponse };
  get_test_suite: { input: { "path": { "suite_id": number } }; answer: TestSuiteResponse };
  delete_test_suite: { input: { "path": { "suite_id": number }; "query": { "reason": string } }; answer: Deleted };
  import_test_suite: { input: { "body": TestSuiteFile }; answer: TestSuiteResponse };
  export_test_suite: { input: { "path": { "suite_id": number } }; answer: TestSuiteFile };
  run_test_suite: { input: { "path": { "suite_id": number }; "body": TestRunRequest }; answer: TestRunResponse };
  list_test_runs: { input: { "query"?: { "page"?: number | null | undefined; "limit"?: number | undefined; "search_fields"?: ("id" | "suite_id" | "suite" | "agent" | "agent_id" | "version" | "status" | "created_at" | "created_by")[] | undefined; "search_field_values"?: (string)[] | undefined; "order_by"?: "id" | "suite_id" | "suite" | "agent" | "agent_id" | "version" | "status" | "created_at" | "created_by" | null | undefined; "order_by_direction"?: "asc" | "desc" | null | undefined; "fields"?: ("id" | "suite_id" | "suite" | "agent" | "agent_id" | "version" | "status" | "created_at" | "created_by")[] | undefined; "start_datetime"?: string | null | undefined; "end_datetime"?: string | null | undefined } | undefined }; answer: { "page": number; "page_size": number; "total_pages"?: number | null | undefined; "total_count"?: number | null | undefined; "items": (TestRunListed)[] } };
  get_test_run: { input: { "path": { "run_id": number } }; answer: TestRunResponse };
  list_test_run_results: { input: { "path": { "run_id": number }; "query"?: { "page"?: number | null | undefined; "limit"?: number | undefined; "search_fields"?: ("id" | "case_name" | "repetition" | "status")[] | undefined; "search_field_values"?: (string)[] | undefined; "order_by"?: "id" | "case_name" | "repetition" | "status" | null | undefined; "order_by_direction"?: "asc" | "desc" | null | undefined; "fields"?: ("id" | "case_name" | "repetition" | "status")[] | undefined; "start_datetime"?: string | null | undefined; "end_datetime"?: string | null | undefined } | undefined }; answer: { "page": number; "page_size": number; "total_pages"?: number | null | undefined; "total_count"?: number | null | undefined; "items": (TestResult)[] } };
  cancel_test_run: { input: { "path": { "run_id": number } }; answer: TestRunResponse };
  compare_test_runs: { input: { "path": { "run_id": number }; "query": { "before": number } }; answer: TestComparison };
  get_test_schedule: { input: { "path": { "suite_id": number } }; answer: TestSchedule };
  set_test_schedule: { input: { "path": { "suite_id": number }; "body": TestScheduleRequest }; answer: TestSchedule };
  get_test_case_of_session: { input: { "path": { "session_id": number }; "query"?: { "person"?: "lines" | "recording" | undefined } | undefined }; answer: TestCase };
  replay_sessions: { input: { "path": { "agent_id": number }; "body": ReplayRequestInput }; answer: ReplayResponse };
  list_replays: { input: { "query"?: { "page"?: number | null | undefined; "limit"?: number | undefined; "search_fields"?: ("id" | "agent" | "agent_id" | "status" | "created_at" | "created_by")[] | undefined; "search_field_values"?: (string)[] | undefined; "order_by"?: "id" | "agent" | "agent_id" | "status" | "created_at" | "created_by" | null | undefined; "order_by_direction"?: "asc" | "desc" | null | undefined; "fields"?: ("id" | "agent" | "agent_id" | "status" | "created_at" | "created_by")[] | undefined; "start_datetime"?: string | null | undefined; "end_datetime"?: string | null | undefined } | undefined }; answer: { "page": number; "page_size": number; "total_pages"?: number | null | undefined; "total_count"?: number | null | undefined; "items": (ReplayListed)[] } };
  get_replay: { input: { "path": { "replay_id": number } }; answer: ReplayResponse };
  list_replay_pairs: { input: { "path": { "replay_id": number }; "query"?: { "page"?: number | null | undefined; "limit"?: number | undefined; "search_fields"?: ("id" | "position" | "status" | "stratum" | "session_id")[] | undefined; "search_field_values"?: (string)[] | undefined; "order_by"?: "id" | "position" | "status" | "stratum" | "session_id" | null | undefined; "order_by_direction"?: "asc" | "desc" | null | undefined; "fields"?: ("id" | "position" | "status" | "stratum" | "session_id")[] | undefined; "start_datetime"?: string | null | undefined; "end_datetime"?: string | null | undefined } | undefined }; answer: { "page": number; "page_size": number; "total_pages"?: number | null | undefined; "total_count"?: number | null | undefined; "items": (ReplayPair)[] } };
  cancel_replay: { input: { "path": { "replay_id": number } }; answer: ReplayResponse };
  get_session_debug_turn: { input: { "path": { "session_id": number }; "query": { "turn_index": number } }; answer: DebugTurn };
  create_session_fork: { input: { "path": { "session_id": number }; "body": SessionForkRequest }; answer: SessionFork };
  get_session_fork: { input: { "path": { "session_id": number } }; answer: SessionFork };
  continue_session_fork: { input: { "path": { "session_id": number }; "body": ForkContinuation }; answer: SessionFork };
  get_agent_versioning: { input: { "path": { "agent_id": number } }; answer: AgentVersioning };
  update_agent_versioning: { input: { "path": { "agent_id": number }; "body": AgentVersioningUpdate }; answer: AgentVersioning };
  list_agent_versions: { input: { "path": { "agent_id": number }; "query"?: { "page"?: number | null | undefined; "limit"?: number | undefined; "search_fields"?: ("version_number" | "note" | "published_at" | "published_by")[] | undefined; "search_field_values"?: (string)[] | undefined; "order_by"?: "version_number" | "note" | "published_at" | "published_by" | null | undefined; "order_by_direction"?: "asc" | "desc" | null | undefined; "fields"?: ("version_number" | "note" | "published_at" | "published_by")[] | undefined; "start_datetime"?: string | null | undefined; "end_datetime"?: string | null | undefined } | undefined }; answer: { "page": number; "page_size": number; "total_pages"?: number | null | undefined; "total_count"?: number | null | undefined; "items": (AgentVersion)[] } };
  publish_agent: { input: { "path": { "agent_id": number }; "body": PublishRequest }; answer: AgentVersion };
  get_agent_version: { input: { "path": { "agent_id": number; "version_number": number } }; answer: AgentVersionContent };
  compare_agent_version: { input: { "path": { "agent_id": number; "version_number": number }; "query"?: { "with"?: number | null | undefined } | undefined }; answer: (AgentChange)[] };
  create_chat_session: { input: { "body": { "client_id": string; "user_id"?: string | null | undefined; "identity_token"?: string | null | undefined; "variables"?: Record<string, string> | null | undefined } }; answer: OpenedChat };
  read_chat_session: { input: { "path": { "session_id": string }; "query": { "token": string } }; answer: ResumedChat };
  send_chat_message: { input: { "path": { "session_id": string }; "query": { "token": string }; "body": { "text": string; "id"?: string | null | undefined } }; answer: ChatAnswers };
  end_chat_session: { input: { "path": { "session_id": string }; "query": { "token": string }; "body": unknown }; answer: EndedChat };
  get_chat_session_client_calls: { input: { "path": { "session_id": string }; "query": { "token": string } }; answer: ClientToolCalls };
  create_chat_session_client_call: { input: { "path": { "session_id": string; "key": string }; "query": { "token": string }; "body": ClientToolCallAnswer }; answer: TakenClientToolCall };
  list_campaigns: { input: { "query"?: { "page"?: number | null | undefined; "limit"?: number | undefined; "search_fields"?: ("id" | "agent_id" | "campaign_name" | "campaign_variables" | "daily_start_time" | "daily_end_time" | "source" | "mode" | "caller_id" | "updated_at" | "label" | "labels" | "voicemail_detection")[] | undefined; "search_field_values"?: (string)[] | undefined; "order_by"?: "id" | "campaign_name" | "campaign_variables" | "daily_start_time" | "daily_end_time" | "source" | "mode" | "caller_id" | "updated_at" | "label" | "labels" | "voicemail_detection" | null | undefined; "order_by_direction"?: "asc" | "desc" | null | undefined; "fields"?: ("id" | "agent_id" | "campaign_name" | "campaign_variables" | "daily_start_time" | "daily_end_time" | "source" | "mode" | "caller_id" | "updated_at" | "label" | "labels" | "voicemail_detection")[] | undefined; "start_datetime"?: string | null | undefined; "end_datetime"?: string | null | undefined } | undefined }; answer: { "page": number; "page_size": number; "total_pages"?: number | null | undefined; "total_count"?: number | null | undefined; "items": (OutboundCampaignResponse)[] } };
  create_campaign: { input: { "body": OutboundCampaign }; answer: OutboundCampaignResponse };
  get_campaign: { input: { "path": { "campaign_id": number } }; answer: OutboundCampaignResponse };
  update_campaign: { input: { "path": { "campaign_id": number }; "body": OutboundCampaign }; answer: OutboundCampaignResponse };
  delete_campaign: { input: { "path": { "campaign_id": number } }; answer: Deleted };
  get_campaign_reach_rules: { input: { "path": { "campaign_id": number } }; answer: CampaignReachRules };
  update_campaign_reach_rules: { input: { "path": { "campaign_id": number }; "body": CampaignReachRulesChange }; answer: CampaignReachRules };
  get_campaign_retry_rules: { input: { "path": { "campaign_id": number } }; answer: CampaignRetryRules };
  update_campaign_retry_rules: { input: { "path": { "campaign_id": number }; "body": CampaignRetryRulesInput }; answer: CampaignRetryRules };
  get_campaign_cadence: { input: { "path": { "campaign_id": number } }; answer: CampaignCadence };
  update_campaign_cadence: { input: { "path": { "campaign_id": number }; "body": CampaignCadenceInput }; answer: CampaignCadence };
  get_campaign_spending: { input: { "path": { "campaign_id": number } }; answer: CampaignSpending };
  update_campaign_spending: { input: { "path": { "campaign_id": number }; "body": CampaignSpendCap }; answer: CampaignSpending };
  get_campaign_number_group: { input: { "path": { "campaign_id": number } }; answer: CampaignNumberGroup };
  update_campaign_number_group: { input: { "path": { "campaign_id": number }; "body": CampaignNumberGroupInput }; answer: CampaignNumberGroup };
  list_number_groups: { input: { "query"?: { "page"?: number | null | undefined; "limit"?: number | undefined; "search_fields"?: ("id" | "name" | "mode" | "numbers" | "resting" | "updated_at" | "last_updated_by")[] | undefined; "search_field_values"?: (string)[] | undefined; "order_by"?: "id" | "name" | "mode" | "numbers" | "resting" | "updated_at" | "last_updated_by" | null | undefined; "order_by_direction"?: "asc" | "desc" | null | undefined; "fields"?: ("id" | "name" | "mode" | "numbers" | "resting" | "updated_at" | "last_updated_by")[] | undefined; "start_datetime"?: string | null | undefined; "end_datetime"?: string | null | undefined } | undefined }; answer: { "page": number; "page_size": number; "total_pages"?: number | null | undefined; "total_count"?: number | null | undefined; "items": (NumberGroup)[] } };
  create_number_group: { input: { "body": NumberGroupCreateRequest }; answer: NumberGroup };
  update_number_group: { input: { "body": NumberGroupUpdateRequest }; answer: NumberGroup };
  get_number_group: { input: { "path": { "number_group_id": number } }; answer: NumberGroup };
  delete_number_group: { input: { "path": { "number_group_id": number }; "query": { "reason": string } }; answer: Deleted };
  update_number_group_number_rest: { input: { "path": { "number_group_id": number; "channel_target_id": number }; "body": NumberRestRequest }; answer: NumberRest };
  get_outreach_rules: { input: Record<never, never>; answer: StoredOutreachRules };
  update_outreach_rules: { input: { "body": OutreachRules }; answer: StoredOutreachRules };
  list_batches: { input: { "query"?: { "page"?: number | null | undefined; "limit"?: number | undefined; "search_fields"?: ("batch_id" | "campaign_id" | "status" | "expires_on" | "last_updated_at")[] | undefined; "search_field_values"?: (string)[] | undefined; "order_by"?: "batch_id" | "campaign_id" | "status" | "expires_on" | "last_updated_at" | null | undefined; "order_by_direction"?: "asc" | "desc" | null | undefined; "fields"?: ("batch_id" | "campaign_id" | "status" | "expires_on" | "last_updated_at")[] | undefined; "start_datetime"?: string | null | undefined; "end_datetime"?: string | null | undefined } | undefined }; answer: { "page": number; "page_size": number; "total_pages"?: number | null | undefined; "total_count"?: number | null | undefined; "items": (CommunicationBatch)[] } };
  create_batch: { input: { "body": CommunicationBatchCreate }; answer: CommunicationBatch };
  get_batch: { input: { "path": { "batch_id": string } }; answer: BatchDetails };
  update_batch: { input: { "path": { "batch_id": string }; "body": CommunicationBatchUpdate }; answer: CommunicationBatch };
  delete_batch: { input: { "path": { "batch_id": string }; "body": URLSearchParams }; answer: Deleted };
  upload_batch: { input: { "path": { "batch_id": string }; "body": FormData }; answer: RequestsAdded };
  add_batch_requests: { input: { "path": { "batch_id": string }; "body": CommunicationRequest | (CommunicationRequest)[] }; answer: RequestsAdded };
  remove_batch_requests: { input: { "path": { "batch_id": string }; "body": (string)[] }; answer: RequestsRemoved };
  list_batch_results: { input: { "path": { "batch_id": string }; "query"?: { "reference_id"?: string | null | undefined; "status"?: RequestStatus | null | undefined; "insights_status"?: "PENDING" | "PROCESSING" | "COMPLETED" | "FAILED" | null | undefined; "limit"?: number | null | undefined; "page"?: number | null | undefined } | undefined }; answer: (CommunicationRequestResult)[] | string };
  count_copied_requests: { input: { "path": { "batch_id": string }; "body": RequestsCopySource }; answer: RequestsCopyCount };
  copy_batch_requests: { input: { "path": { "batch_id": string }; "body": RequestsCopy }; answer: RequestsCopied };
  pause_campaign: { input: { "path": { "campaign_id": number } }; answer: CampaignHeldBatches };
  start_campaign: { input: { "path": { "campaign_id": number } }; answer: CampaignHeldBatches };
  list_campaign_requests: { input: { "path": { "campaign_id": number }; "query"?: { "batch_id"?: string | null | undefined; "request_status"?: RequestStatus | null | undefined; "channel_manager_status"?: ChannelManagerStatus | null | undefined; "outcome"?: "reached" | "voicemail_left" | "not_reached" | "not_tried" | "open" | null | undefined; "stage"?: "tried" | "answered" | "talked" | "goal" | null | undefined; "skip_reason"?: string | null | undefined; "before"?: string | null | undefined; "limit"?: number | undefined } | undefined }; answer: CampaignRequests | string };
  count_campaign_matches: { input: { "path": { "campaign_id": number }; "body": FilterCountQuery }; answer: FilterCount };
  get_confirmation: { input: Record<never, never>; answer: ConfirmationRule };
  update_confirmation: { input: { "body": ConfirmationRuleInput }; answer: ConfirmationRule };
  get_batch_confirmation: { input: { "path": { "batch_id": string } }; answer: BatchConfirmation };
  confirmation_batch: { input: { "path": { "batch_id": string }; "body": BatchConfirmationRequest }; answer: BatchConfirmation };
  explain_batch_request: { input: { "path": { "batch_id": string; "reference_id": string } }; answer: RequestTrace };
  preflight_campaign: { input: { "path": { "campaign_id": number }; "body": PreflightQuestion }; answer: CampaignPreflight };
  forecast_campaign: { input: { "path": { "campaign_id": number }; "body": ForecastQuestion }; answer: CampaignForecast };
  get_campaign_board: { input: { "path": { "campaign_id": number } }; answer: CampaignBoard };
  get_organization_limits: { input: Record<never, never>; answer: OrganizationLimits };
  update_organization_limits: { input: { "body": OrganizationOwnLimits }; answer: OrganizationLimits };
  get_campaign_answer_times: { input: { "path": { "campaign_id": number }; "query"?: { "days"?: number | undefined } | undefined }; answer: CampaignAnswerTimes };
  get_campaign_retry_hours: { input: { "path": { "campaign_id": number } }; answer: CampaignRetryHoursState };
  update_campaign_retry_hours: { input: { "path": { "campaign_id": number }; "body": CampaignRetryHours }; answer: CampaignRetryHoursState };
  get_number_group_report: { input: { "path": { "number_group_id": number }; "query"?: { "days"?: number | undefined } | undefined }; answer: NumberGroupReport };
  get_campaign_dialing_settings: { input: { "path": { "campaign_id": number } }; answer: CampaignDialingState };
  update_campaign_dialing_settings: { input: { "path": { "campaign_id": number }; "body": CampaignDialingSettings }; answer: CampaignDialingState };
  get_agent_dialing_settings: { input: { "path": { "agent_id": number } }; answer: AgentDialingState };
  update_agent_dialing_settings: { input: { "path": { "agent_id": number }; "body": AgentDialingSettings }; answer: AgentDialingState };
  get_outreach_stop: { input: Record<never, never>; answer: OutreachState };
  stop_outreach: { input: Record<never, never>; answer: OutreachState };
  resume_outreach: { input: Record<never, never>; answer: OutreachState };
  preview_campaign_request_retry: { input: { "path": { "campaign_id": number }; "body": RequestRetry }; answer: RequestRetryCounts };
  retry_campaign_requests: { input: { "path": { "campaign_id": number }; "body": RequestRetry }; answer: RequestRetryCounts };
  preview_campaign_request_suppression: { input: { "path": { "campaign_id": number }; "body": RequestSuppression }; answer: RequestSuppressionCounts };
  suppress_campaign_requests: { input: { "path": { "campaign_id": number }; "body": RequestSuppression }; answer: RequestSuppressionCounts };
  list_call_backs: { input: { "query"?: { "page"?: number | null | undefined; "limit"?: number | undefined; "search_fields"?: ("id" | "campaign_id" | "target" | "state" | "due_at" | "session_id")[] | undefined; "search_field_values"?: (string)[] | undefined; "order_by"?: "id" | "campaign_id" | "target" | "state" | "due_at" | "session_id" | null | undefined; "order_by_direction"?: "asc" | "desc" | null | undefined; "fields"?: ("id" | "campaign_id" | "target" | "state" | "due_at" | "session_id")[] | undefined; "start_datetime"?: string | null | undefined; "end_datetime"?: string | null | undefined } | undefined }; answer: { "page": number; "page_size": number; "total_pages"?: number | null | undefined; "total_count"?: number | null | undefined; "items": (CallBack)[] } };
  cancel_call_back: { input: { "path": { "id": number } }; answer: Deleted };
  list_campaign_tests: { input: { "path": { "campaign_id": number } }; answer: (TestOutreach)[] };
  create_campaign_test: { input: { "path": { "campaign_id": number }; "body": TestOutreachRequest }; answer: TestOutreach };
  get_campaign_goal: { input: { "path": { "campaign_id": number } }; answer: CampaignGoalSetting };
  update_campaign_goal: { input: { "path": { "campaign_id": number }; "body": CampaignGoalSettingInput }; answer: CampaignGoalSetting };
  list_event_deliveries: { input: { "query"?: { "page"?: number | null | undefined; "limit"?: number | undefined; "search_fields"?: ("id" | "webhook_id" | "event" | "session_id" | "state" | "is_test" | "created_at")[] | undefined; "search_field_values"?: (string)[] | undefined; "order_by"?: "id" | "webhook_id" | "event" | "session_id" | "state" | "is_test" | "created_at" | null | undefined; "order_by_direction"?: "asc" | "desc" | null | undefined; "fields"?: ("id" | "webhook_id" | "event" | "session_id" | "state" | "is_test" | "created_at")[] | undefined; "start_datetime"?: string | null | undefined; "end_datetime"?: string | null | undefined } | undefined }; answer: { "page": number; "page_size": number; "total_pages"?: number | null | undefined; "total_count"?: number | null | undefined; "items": (WebhookEventDelivery)[] } };
  get_event_delivery: { input: { "path": { "delivery_id": string } }; answer: WebhookEventDeliveryDetails };
  resend_event_delivery: { input: { "path": { "delivery_id": string } }; answer: WebhookEventDelivery };
  enable_webhook_subscription: { input: { "path": { "webhook_id": number }; "body": SubscriptionEnabling }; answer: WebhookSubscription };
  disable_webhook_subscription: { input: { "path": { "webhook_id": number } }; answer: WebhookSubscription };
  test_webhook_subscription: { input: { "path": { "webhook_id": number }; "body": WebhookEventTest }; answer: WebhookEventDelivery };
  list_webhook_subscriptions: { input: { "query"?: { "page"?: number | null | undefined; "limit"?: number | undefined; "search_fields"?: ("id" | "name" | "url" | "event" | "is_disabled" | "last_updated")[] | undefined; "search_field_values"?: (string)[] | undefined; "order_by"?: "id" | "name" | "url" | "last_updated" | null | undefined; "order_by_direction"?: "asc" | "desc" | null | undefined; "fields"?: ("id" | "name" | "url" | "event" | "is_disabled" | "last_updated")[] | undefined; "start_datetime"?: string | null | undefined; "end_datetime"?: string | null | undefined } | undefined }; answer: { "page": number; "page_size": number; "total_pages"?: number | null | undefined; "total_count"?: number | null | undefined; "items": (WebhookSubscription)[] } };
  create_webhook_subscription: { input: { "body": WebhookSubscriptionCreate }; answer: WebhookSubscription };
  update_webhook_subscription: { input: { "body": WebhookSubscriptionUpdate }; answer: WebhookSubscription };
  get_webhook_subscription: { input: { "path": { "webhook_id": number } }; answer: WebhookSubscription };
  delete_webhook_subscription: { input: { "path": { "webhook_id": number }; "query": { "reason": string } }; answer: Deleted };
  list_webhooks: { input: { "query"?: { "page"?: number | null | undefined; "limit"?: number | undefined; "search_fields"?: ("id" | "campaign_id" | "campaign_name" | "url" | "is_disabled" | "disabled_at" | "failing_since")[] | undefined; "search_field_values"?: (string)[] | undefined; "order_by"?: "id" | "campaign_id" | "campaign_name" | "url" | "disabled_at" | "failing_since" | null | undefined; "order_by_direction"?: "asc" | "desc" | null | undefined; "fields"?: ("id" | "campaign_id" | "campaign_name" | "url" | "is_disabled" | "disabled_at" | "failing_since")[] | undefined; "start_datetime"?: string | null | undefined; "end_datetime"?: string | null | undefined } | undefined }; answer: { "page": number; "page_size": number; "total_pages"?: number | null | undefined; "total_count"?: number | null | undefined; "items": (WebhookState)[] } };
  enable_webhook: { input: { "path": { "webhook_id": number }; "body": WebhookEnabling }; answer: WebhookState };
  disable_webhook: { input: { "path": { "webhook_id": number } }; answer: WebhookState };
  test_webhook: { input: { "path": { "webhook_id": number }; "body": WebhookTest }; answer: WebhookDelivery };
  list_webhook_deliveries: { input: { "query"?: { "page"?: number | null | undefined; "limit"?: number | undefined; "search_fields"?: ("id" | "campaign_id" | "webhook_id" | "batch_id" | "request_id" | "reference_id" | "channel_manager_status" | "is_test" | "state" | "created_at")[] | undefined; "search_field_values"?: (string)[] | undefined; "order_by"?: "id" | "campaign_id" | "webhook_id" | "batch_id" | "request_id" | "reference_id" | "channel_manager_status" | "is_test" | "state" | "created_at" | null | undefined; "order_by_direction"?: "asc" | "desc" | null | undefined; "fields"?: ("id" | "campaign_id" | "webhook_id" | "batch_id" | "request_id" | "reference_id" | "channel_manager_status" | "is_test" | "state" | "created_at")[] | undefined; "start_datetime"?: string | null | undefined; "end_datetime"?: string | null | undefined } | undefined }; answer: { "page": number; "page_size": number; "total_pages"?: number | null | undefined; "total_count"?: number | null | undefined; "items": (WebhookDelivery)[] } };
  get_webhook_delivery: { input: { "path": { "delivery_id": string } }; answer: WebhookDeliveryDetails };
  get_webhook_delivery_curl: { input: { "path": { "delivery_id": string } }; answer: WebhookDeliveryCommand };
  replay_webhook_delivery: { input: { "body": WebhookReplay }; answer: WebhookReplayed };
  list_webhook_inboxes: { input: { "query"?: { "page"?: number | null | undefined; "limit"?: number | undefined; "search_fields"?: ("name" | "updated_at")[] | undefined; "search_field_values"?: (string)[] | undefined; "order_by"?: "name" | "updated_at" | null | undefined; "order_by_direction"?: "asc" | "desc" | null | undefined; "fields"?: ("name" | "updated_at")[] | undefined; "start_datetime"?: string | null | undefined; "end_datetime"?: string | null | undefined } | undefined }; answer: { "page": number; "page_size": number; "total_pages"?: number | null | undefined; "total_count"?: number | null | undefined; "items": (WebhookInbox)[] } };
  create_webhook_inbox: { input: { "body": WebhookInboxCreate }; answer: WebhookInbox };
  update_webhook_inbox: { input: { "path": { "name": string }; "body": WebhookInboxUpdate }; answer: WebhookInbox };
  delete_webhook_inbox: { input: { "path": { "name": string } }; answer: Deleted };
  list_webhook_inbox_messages: { input: { "path": { "name": string }; "query"?: { "page"?: number | null | undefined; "limit"?: number | undefined; "search_fields"?: ("id" | "received_at" | "method" | "message_id" | "signature" | "answered_status" | "body")[] | undefined; "search_field_values"?: (string)[] | undefined; "order_by"?: "id" | "received_at" | "method" | "message_id" | "signature" | "answered_status" | "body" | null | undefined; "order_by_direction"?: "asc" | "desc" | null | undefined; "fields"?: ("id" | "received_at" | "method" | "message_id" | "signature" | "answered_status" | "body")[] | undefined; "start_datetime"?: string | null | undefined; "end_datetime"?: string | null | undefined } | undefined }; answer: { "page": number; "page_size": number; "total_pages"?: number | null | undefined; "total_count"?: number | null | undefined; "items": (WebhookInboxMessage)[] } };
  list_insights: { input: { "query"?: { "page"?: number | null | undefined; "limit"?: number | undefined; "search_fields"?: ("id" | "session_id" | "upload_file_id" | "workflow_id" | "upload_folder_id" | "insight_key" | "insight_tool_id" | "model")[] | undefined; "search_field_values"?: (string)[] | undefined; "order_by"?: "id" | "session_id" | "upload_file_id" | "workflow_id" | "upload_folder_id" | "insight_key" | "insight_tool_id" | "model" | null | undefined; "order_by_direction"?: "asc" | "desc" | null | undefined; "fields"?: ("id" | "session_id" | "upload_file_id" | "workflow_id" | "upload_folder_id" | "insight_key" | "insight_tool_id" | "model")[] | undefined; "start_datetime"?: string | null | undefined; "end_datetime"?: string | null | undefined } | undefined }; answer: { "page": number; "page_size": number; "total_pages"?: number | null | undefined; "total_count"?: number | null | undefined; "items": (InsightsOutput)[] } };
  get_session_full_summary: { input: { "path": { "session_id": string } }; answer: SessionSummaryResponse };
  list_insight_tool_definitions: { input: Record<never, never>; answer: (InsightToolDefinition)[] };
  list_insight_tool_configurations: { input: { "query"?: { "page"?: number | null | undefined; "limit"?: number | undefined; "search_fields"?: ("id" | "name" | "name_exact" | "description" | "tool_arguments" | "insight_tool_definition_id" | "updated_at")[] | undefined; "search_field_values"?: (string)[] | undefined; "order_by"?: "id" | "name" | "name_exact" | "description" | "tool_arguments" | "insight_tool_definition_id" | "updated_at" | null | undefined; "order_by_direction"?: "asc" | "desc" | null | undefined; "fields"?: ("id" | "name" | "name_exact" | "description" | "tool_arguments" | "insight_tool_definition_id" | "updated_at")[] | undefined; "start_datetime"?: string | null | undefined; "end_datetime"?: string | null | undefined } | undefined }; answer: { "page": number; "page_size": number; "total_pages"?: number | null | undefined; "total_count"?: number | null | undefined; "items": (InsightToolOutput)[] } };
  create_insight_tool_configuration: { input: { "body": InsightToolInput }; answer: InsightToolResponse };
  get_insight_tool_configuration: { input: { "path": { "tool_id": string } }; answer: InsightToolResponse };
  update_insight_tool_configuration: { input: { "path": { "tool_id": number }; "body": InsightToolInput }; answer: InsightToolResponse };
  delete_insight_tool_configuration: { input: { "path": { "tool_id": number } }; answer: Deleted };
  test_insight_tool: { input: { "body": InsightToolTestInput }; answer: Record<string, unknown> };
  list_insight_workflows: { input: { "query"?: { "page"?: number | null | undefined; "limit"?: number | undefined; "search_fields"?: ("id" | "name" | "name_exact" | "description" | "status" | "conditions" | "insight_tool_ids" | "updated_at")[] | undefined; "search_field_values"?: (string)[] | undefined; "order_by"?: "id" | "name" | "name_exact" | "description" | "status" | "conditions" | "insight_tool_ids" | "updated_at" | null | undefined; "order_by_direction"?: "asc" | "desc" | null | undefined; "fields"?: ("id" | "name" | "name_exact" | "description" | "status" | "conditions" | "insight_tool_ids" | "updated_at")[] | undefined; "start_datetime"?: string | null | undefined; "end_datetime"?: string | null | undefined } | undefined }; answer: { "page": number; "page_size": number; "total_pages"?: number | null | undefined; "total_count"?: number | null | undefined; "items": (InsightWorkflowOutput)[] } };
  create_insight_workflow: { input: { "body": InsightWorkflowInput }; answer: InsightWorkflowOutput };
  get_insight_workflow: { input: { "path": { "workflow_id": number } }; answer: InsightWorkflowOutput };
  update_insight_workflow: { input: { "path": { "workflow_id": number }; "body": InsightWorkflowInput }; answer: InsightWorkflowOutput };
  delete_insight_workflow: { input: { "path": { "workflow_id": number } }; answer: Deleted };
  activate_insight_workflow: { input: { "path": { "workflow_id": number }; "body": InsightWorkflowActivate }; answer: InsightWorkflowOutput };
  inactivate_insight_workflow: { input: { "path": { "workflow_id": number } }; answer: InsightWorkflowOutput };
  queue_insight_work: { input: { "body": InsightsWorkflowQueueSession }; answer: QueuedInsightWork };
  get_insight_workflow_backfill: { input: { "path": { "workflow_id": number } }; answer: InsightBackfill };
  update_insight_workflow_backfill: { input: { "path": { "workflow_id": number }; "body": InsightBackfillRate }; answer: InsightBackfill };
  pause_insight_workflow_backfill: { input: { "path": { "workflow_id": number } }; answer: InsightBackfill };
  resume_insight_workflow_backfill: { input: { "path": { "workflow_id": number } }; answer: InsightBackfill };
  get_insight_workflow_spending: { input: { "path": { "workflow_id": number } }; answer: InsightSpending };
  list_insight_executions: { input: { "query"?: { "page"?: number | null | undefined; "limit"?: number | undefined; "search_fields"?: ("id" | "workflow_id" | "session_id" | "upload_file_id" | "upload_folder_id" | "backfill_id" | "status" | "cause" | "error_message" | "created_at")[] | undefined; "search_field_values"?: (string)[] | undefined; "order_by"?: "id" | "workflow_id" | "session_id" | "upload_file_id" | "upload_folder_id" | "backfill_id" | "status" | "cause" | "error_message" | "created_at" | null | undefined; "order_by_direction"?: "asc" | "desc" | null | undefined; "fields"?: ("id" | "workflow_id" | "session_id" | "upload_file_id" | "upload_folder_id" | "backfill_id" | "status" | "cause" | "error_message" | "created_at")[] | undefined; "start_datetime"?: string | null | undefined; "end_datetime"?: string | null | undefined } | undefined }; answer: { "page": number; "page_size": number; "total_pages"?: number | null | undefined; "total_count"?: number | null | undefined; "items": (InsightExecution)[] } };
  retry_failed_insight_work: { input: { "path": { "workflow_id": number } }; answer: RetriedInsightWork };
  list_judges: { input: { "query"?: { "page"?: number | null | undefined; "limit"?: number | undefined; "search_fields"?: ("id" | "name" | "name_exact" | "description" | "insight_tool_id" | "last_updated" | "last_updated_by")[] | undefined; "search_field_values"?: (string)[] | undefined; "order_by"?: "id" | "name" | "name_exact" | "description" | "insight_tool_id" | "last_updated" | "last_updated_by" | null | undefined; "order_by_direction"?: "asc" | "desc" | null | undefined; "fields"?: ("id" | "name" | "name_exact" | "description" | "insight_tool_id" | "last_updated" | "last_updated_by")[] | undefined; "start_datetime"?: string | null | undefined; "end_datetime"?: string | null | undefined } | undefined }; answer: { "page": number; "page_size": number; "total_pages"?: number | null | undefined; "total_count"?: number | null | undefined; "items": (JudgeListed)[] } };
  create_judge: { input: { "body": JudgeInput }; answer: JudgeResponse };
  update_judge: { input: { "body": JudgeUpdate }; answer: JudgeResponse };
  get_judge: { input: { "path": { "judge_id": number } }; answer: JudgeResponse };
  delete_judge: { input: { "path": { "judge_id": number }; "query": { "reason": string } }; answer: Deleted };
  get_session_to_label: { input: { "path": { "judge_id": number }; "query"?: { "after"?: number | null | undefined } | undefined }; answer: SessionToLabel };
  list_judge_labels: { input: { "path": { "judge_id": number }; "query"?: { "page"?: number | null | undefined; "limit"?: number | undefined; "search_fields"?: ("session_id" | "label" | "answer" | "labelled_by" | "differs")[] | undefined; "search_field_values"?: (string)[] | undefined; "order_by"?: "session_id" | "label" | "answer" | "labelled_by" | "differs" | null | undefined; "order_by_direction"?: "asc" | "desc" | null | undefined; "fields"?: ("session_id" | "label" | "answer" | "labelled_by" | "differs")[] | undefined; "start_datetime"?: string | null | undefined; "end_datetime"?: string | null | undefined } | undefined }; answer: { "page": number; "page_size": number; "total_pages"?: number | null | undefined; "total_count"?: number | null | undefined; "items": (JudgeLabel)[] } };
  label_session_for_judge: { input: { "path": { "judge_id": number; "session_id": number }; "body": JudgeLabelRequest }; answer: JudgeLabel };
  ask_judge_again: { input: { "path": { "judge_id": number } }; answer: JudgeResponse };
  list_insight_folders: { input: { "query"?: { "page"?: number | null | undefined; "limit"?: number | undefined; "search_fields"?: ("id" | "name" | "name_exact" | "label" | "updated_at")[] | undefined; "search_field_values"?: (string)[] | undefined; "order_by"?: "id" | "name" | "name_exact" | "label" | "updated_at" | null | undefined; "order_by_direction"?: "asc" | "desc" | null | undefined; "fields"?: ("id" | "name" | "name_exact" | "label" | "updated_at")[] | undefined; "start_datetime"?: string | null | undefined; "end_datetime"?: string | null | undefined } | undefined }; answer: { "page": number; "page_size": number; "total_pages"?: number | null | undefined; "total_count"?: number | null | undefined; "items": (InsightsFolder)[] } };
  create_insight_folder: { input: { "body": InsightsFolderRequest }; answer: InsightsFolder };
  get_insight_folder: { input: { "path": { "folder_id": number } }; answer: FolderDetails };
  update_insight_folder: { input: { "path": { "folder_id": number }; "body": InsightsFolderRequest }; answer: InsightsFolder };
  delete_insight_folder: { input: { "path": { "folder_id": number } }; answer: boolean };
  upload_insight_folder_file: { input: { "path": { "folder_id": number }; "query": { "call_id": string; "agent_number"?: string | null | undefined; "customer_number"?: string | null | undefined; "start_time"?: string | null | undefined; "end_time"?: string | null | undefined; "duration"?: number | null | undefined; "metadata"?: string | null | undefined }; "body": FormData }; answer: InsightsUploadFile };
  list_insight_folder_files: { input: { "path": { "folder_id": number }; "query"?: { "page"?: number | null | undefined; "limit"?: number | undefined; "search_fields"?: ("filename" | "filename_exact" | "call_id" | "agent_number" | "customer_number" | "duration" | "start_time" | "end_time" | "created_at")[] | undefined; "search_field_values"?: (string)[] | undefined; "order_by"?: "filename" | "filename_exact" | "call_id" | "agent_number" | "customer_number" | "duration" | "start_time" | "end_time" | "created_at" | null | undefined; "order_by_direction"?: "asc" | "desc" | null | undefined; "fields"?: ("filename" | "filename_exact" | "call_id" | "agent_number" | "customer_number" | "duration" | "start_time" | "end_time" | "created_at")[] | undefined; "start_datetime"?: string | null | undefined; "end_datetime"?: string | null | undefined } | undefined }; answer: { "page": number; "page_size": number; "total_pages"?: number | null | undefined; "total_count"?: number | null | undefined; "items": (InsightsUploadFile)[] } };
  move_insight_folder_files: { input: { "path": { "folder_id": number }; "body": InsightsFolderFileMove }; answer: (InsightsUploadFile)[] };
  delete_insight_folder_file: { input: { "path": { "folder_id": number; "file_id": number } }; answer: Deleted };
  list_experiments: { input: { "query"?: { "page"?: number | null | undefined; "limit"?: number | undefined; "search_fields"?: ("id" | "name" | "agent_id" | "agent" | "status" | "started_at" | "ended_at" | "created_at" | "last_updated" | "last_updated_by")[] | undefined; "search_field_values"?: (string)[] | undefined; "order_by"?: "id" | "name" | "agent_id" | "agent" | "status" | "started_at" | "ended_at" | "created_at" | "last_updated" | "last_updated_by" | null | undefined; "order_by_direction"?: "asc" | "desc" | null | undefined; "fields"?: ("id" | "name" | "agent_id" | "agent" | "status" | "started_at" | "ended_at" | "created_at" | "last_updated" | "last_updated_by")[] | undefined; "start_datetime"?: string | null | undefined; "end_datetime"?: string | null | undefined } | undefined }; answer: { "page": number; "page_size": number; "total_pages"?: number | null | undefined; "total_count"?: number | null | undefined; "items": (Experiment)[] } };
  create_experiment: { input: { "body": NewExperiment }; answer: Experiment };
  update_experiment: { input: { "body": ExperimentUpdate }; answer: Experiment };
  get_experiment: { input: { "path": { "experiment_id": number } }; answer: Experiment };
  delete_experiment: { input: { "path": { "experiment_id": number }; "query": { "reason": string } }; answer: Deleted };
  start_experiment: { input: { "path": { "experiment_id": number } }; answer: Experiment };
  update_experiment_weights: { input: { "path": { "experiment_id": number }; "body": ExperimentWeights }; answer: Experiment };
  stop_experiment: { input: { "path": { "experiment_id": number }; "body": ExperimentStop }; answer: Experiment };
  adopt_experiment: { input: { "path": { "experiment_id": number }; "body": ExperimentAdoption }; answer: Experiment };
  get_experiment_comparison: { input: { "path": { "experiment_id": number }; "query"?: { "stage"?: number | null | undefined } | undefined }; answer: ExperimentComparison };
  list_transcription_providers: { input: Record<never, never>; answer: (TranscriptionProviderResponse)[] };
  update_transcription_provider: { input: { "path": { "provider": "openai" | "deepgram" | "google" }; "body": TranscriptionProviderInput }; answer: TranscriptionProviderResponse };
  delete_transcription_provider: { input: { "path": { "provider": "openai" | "deepgram" | "google" } }; answer: Deleted };
  search_sessions: { input: { "query"?: { "page"?: number | null | undefined; "limit"?: number | undefined; "search_fields"?: ("timestamp" | "session_id" | "conversation_id" | "channel_manager_service" | "channel_manager_type" | "channel_manager_sid" | "agent_type" | "agent_id" | "agent_name" | "agent_version" | "experiment_id" | "experiment_outcome" | "prompt_id" | "prompt_name" | "source" | "target" | "duration" | "is_outbound" | "is_legacy" | "is_test" | "ended_at" | "end_reason" | "is_running" | "session_id_list" | "words" | "channel" | "prompt_version" | "campaign_id" | "event" | "event_category" | "tool" | "failed_tool" | "has_error" | "has_latency" | "label" | "insight" | "insight_from" | "insight_to" | "duration_from" | "duration_to" | "cost_from" | "cost_to" | "cost_usd")[] | undefined; "search_field_values"?: (string)[] | undefined; "order_by"?: "timestamp" | "session_id" | "conversation_id" | "channel_manager_service" | "channel_manager_type" | "channel_manager_sid" | "agent_type" | "agent_id" | "agent_name" | "agent_version" | "prompt_id" | "prompt_name" | "source" | "target" | "duration" | "is_outbound" | "is_legacy" | "is_test" | "ended_at" | "end_reason" | "prompt_version" | "cost_usd" | null | undefined; "order_by_direction"?: "asc" | "desc" | null | undefined; "fields"?: ("timestamp" | "session_id" | "conversation_id" | "channel_manager_service" | "channel_manager_type" | "channel_manager_sid" | "agent_type" | "agent_id" | "agent_name" | "agent_version" | "experiment_id" | "experiment_outcome" | "prompt_id" | "prompt_name" | "source" | "target" | "duration" | "is_outbound" | "is_legacy" | "is_test" | "ended_at" | "end_reason" | "is_running" | "session_id_list" | "words" | "channel" | "prompt_version" | "campaign_id" | "event" | "event_category" | "tool" | "failed_tool" | "has_error" | "has_latency" | "label" | "insight" | "insight_from" | "insight_to" | "duration_from" | "duration_to" | "cost_from" | "cost_to" | "cost_usd")[] | undefined; "start_datetime"?: string | null | undefined; "end_datetime"?: string | null | undefined } | undefined }; answer: { "page": number; "page_size": number; "total_pages"?: number | null | undefined; "total_count"?: number | null | undefined; "items": (FoundSession)[] } };
  export_found_sessions: { input: { "query"?: { "page"?: number | null | undefined; "limit"?: number | undefined; "search_fields"?: ("timestamp" | "session_id" | "conversation_id" | "channel_manager_service" | "channel_manager_type" | "channel_manager_sid" | "agent_type" | "agent_id" | "agent_name" | "agent_version" | "experiment_id" | "experiment_outcome" | "prompt_id" | "prompt_name" | "source" | "target" | "duration" | "is_outbound" | "is_legacy" | "is_test" | "ended_at" | "end_reason" | "is_running" | "session_id_list" | "words" | "channel" | "prompt_version" | "campaign_id" | "event" | "event_category" | "tool" | "failed_tool" | "has_error" | "has_latency" | "label" | "insight" | "insight_from" | "insight_to" | "duration_from" | "duration_to" | "cost_from" | "cost_to" | "cost_usd")[] | undefined; "search_field_values"?: (string)[] | undefined; "order_by"?: "timestamp" | "session_id" | "conversation_id" | "channel_manager_service" | "channel_manager_type" | "channel_manager_sid" | "agent_type" | "agent_id" | "agent_name" | "agent_version" | "prompt_id" | "prompt_name" | "source" | "target" | "duration" | "is_outbound" | "is_legacy" | "is_test" | "ended_at" | "end_reason" | "prompt_version" | "cost_usd" | null | undefined; "order_by_direction"?: "asc" | "desc" | null | undefined; "fields"?: ("timestamp" | "session_id" | "conversation_id" | "channel_manager_service" | "channel_manager_type" | "channel_manager_sid" | "agent_type" | "agent_id" | "agent_name" | "agent_version" | "experiment_id" | "experiment_outcome" | "prompt_id" | "prompt_name" | "source" | "target" | "duration" | "is_outbound" | "is_legacy" | "is_test" | "ended_at" | "end_reason" | "is_running" | "session_id_list" | "words" | "channel" | "prompt_version" | "campaign_id" | "event" | "event_category" | "tool" | "failed_tool" | "has_error" | "has_latency" | "label" | "insight" | "insight_from" | "insight_to" | "duration_from" | "duration_to" | "cost_from" | "cost_to" | "cost_usd")[] | undefined; "start_datetime"?: string | null | undefined; "end_datetime"?: string | null | undefined; "format"?: "csv" | "json" | undefined } | undefined }; answer: string | (FoundSession)[] };
  list_session_views: { input: { "query"?: { "page"?: number | null | undefined; "limit"?: number | undefined; "search_fields"?: ("id" | "name" | "is_shared" | "last_updated")[] | undefined; "search_field_values"?: (string)[] | undefined; "order_by"?: "id" | "name" | "is_shared" | "last_updated" | null | undefined; "order_by_direction"?: "asc" | "desc" | null | undefined; "fields"?: ("id" | "name" | "is_shared" | "last_updated")[] | undefined; "start_datetime"?: string | null | undefined; "end_datetime"?: string | null | undefined } | undefined }; answer: { "page": number; "page_size": number; "total_pages"?: number | null | undefined; "total_count"?: number | null | undefined; "items": (SessionView)[] } };
  create_session_view: { input: { "body": SessionViewCreate }; answer: SessionView };
  update_session_view: { input: { "body": SessionViewUpdate }; answer: SessionView };
  get_session_view: { input: { "path": { "session_view_id": number } }; answer: SessionView };
  delete_session_view: { input: { "path": { "session_view_id": number }; "query": { "reason": string } }; answer: Deleted };
  list_boards: { input: { "query"?: { "page"?: number | null | undefined; "limit"?: number | undefined; "search_fields"?: ("id" | "name" | "description" | "last_updated" | "last_updated_by")[] | undefined; "search_field_values"?: (string)[] | undefined; "order_by"?: "id" | "name" | "description" | "last_updated" | "last_updated_by" | null | undefined; "order_by_direction"?: "asc" | "desc" | null | undefined; "fields"?: ("id" | "name" | "description" | "last_updated" | "last_updated_by")[] | undefined; "start_datetime"?: string | null | undefined; "end_datetime"?: string | null | undefined } | undefined }; answer: { "page": number; "page_size": number; "total_pages"?: number | null | undefined; "total_count"?: number | null | undefined; "items": (Board)[] } };
  create_board: { input: { "body": BoardCreate }; answer: Board };
  update_board: { input: { "body": BoardUpdate }; answer: Board };
  get_board: { input: { "path": { "board_id": number } }; answer: Board };
  delete_board: { input: { "path": { "board_id": number }; "query": { "reason": string } }; answer: Deleted };
  get_overview: { input: { "query"?: { "timezone"?: string | undefined } | undefined }; answer: Overview };
  get_board_figures: { input: { "path": { "board_id": number }; "query"?: { "last_days"?: number | null | undefined; "start_datetime"?: string | null | undefined; "end_datetime"?: string | null | undefined; "timezone"?: string | undefined } | undefined }; answer: BoardFigures };
  count_tile: { input: { "body": TileFiguresRequest }; answer: TileFigures };
  list_alerts: { input: { "query"?: { "page"?: number | null | undefined; "limit"?: number | undefined; "search_fields"?: ("id" | "name" | "is_active" | "state" | "state_since" | "last_updated")[] | undefined; "search_field_values"?: (string)[] | undefined; "order_by"?: "id" | "name" | "is_active" | "state" | "state_since" | "last_updated" | null | undefined; "order_by_direction"?: "asc" | "desc" | null | undefined; "fields"?: ("id" | "name" | "is_active" | "state" | "state_since" | "last_updated")[] | undefined; "start_datetime"?: string | null | undefined; "end_datetime"?: string | null | undefined } | undefined }; answer: { "page": number; "page_size": number; "total_pages"?: number | null | undefined; "total_count"?: number | null | undefined; "items": (AlertRule)[] } };
  create_alert: { input: { "body": AlertRuleCreate }; answer: AlertRule };
  update_alert: { input: { "body": AlertRuleUpdate }; answer: AlertRule };
  get_alert: { input: { "path": { "alert_rule_id": number } }; answer: AlertRule };
  delete_alert: { input: { "path": { "alert_rule_id": number }; "query": { "reason": string } }; answer: Deleted };
  list_alert_changes: { input: { "query"?: { "page"?: number | null | undefined; "limit"?: number | undefined; "search_fields"?: ("id" | "alert_rule_id" | "name" | "at" | "state")[] | undefined; "search_field_values"?: (string)[] | undefined; "order_by"?: "id" | "alert_rule_id" | "name" | "at" | "state" | null | undefined; "order_by_direction"?: "asc" | "desc" | null | undefined; "fields"?: ("id" | "alert_rule_id" | "name" | "at" | "state")[] | undefined; "start_datetime"?: string | null | undefined; "end_datetime"?: string | null | undefined } | undefined }; answer: { "page": number; "page_size": number; "total_pages"?: number | null | undefined; "total_count"?: number | null | undefined; "items": (AlertChange)[] } };
  preview_alert_rule: { input: { "body": AlertPreviewRequest }; answer: AlertPreview };
  list_takeouts: { input: { "query"?: { "page"?: number | null | undefined; "limit"?: number | undefined; "search_fields"?: ("job_id" | "status" | "created_at" | "created_by")[] | undefined; "search_field_values"?: (string)[] | undefined; "order_by"?: "job_id" | "status" | "created_at" | "created_by" | null | undefined; "order_by_direction"?: "asc" | "desc" | null | undefined; "fields"?: ("job_id" | "status" | "created_at" | "created_by")[] | undefined; "start_datetime"?: string | null | undefined; "end_datetime"?: string | null | undefined } | undefined }; answer: { "page": number; "page_size": number; "total_pages"?: number | null | undefined; "total_count"?: number | null | undefined; "items": (Takeout)[] } };
  create_takeout: { input: Record<never, never>; answer: CreateTakeoutResponse };
  get_takeout: { input: { "path": { "job_id": string } }; answer: TakeoutStatusResponse };
  get_takeout_file: { input: { "path": { "job_id": string; "file_name": string } }; answer: Uint8Array };
  get_queues: { input: Record<never, never>; answer: JobQueues };
  list_set_aside_work: { input: Record<never, never>; answer: (SetAsideJob)[] };
  retry_set_aside_work: { input: { "path": { "job_id": string } }; answer: SetAsideJob };
  drop_set_aside_work: { input: { "path": { "job_id": string } }; answer: SetAsideJob };
  list_dashboards: { input: { "query"?: { "page"?: number | null | undefined; "limit"?: number | undefined; "search_fields"?: ("id" | "name" | "display_name" | "rank" | "label")[] | undefined; "search_field_values"?: (string)[] | undefined; "order_by"?: "id" | "name" | "display_name" | "rank" | "label" | null | undefined; "order_by_direction"?: "asc" | "desc" | null | undefined; "fields"?: ("id" | "name" | "display_name" | "rank" | "label")[] | undefined; "start_datetime"?: string | null | undefined; "end_datetime"?: string | null | undefined } | undefined }; answer: { "page": number; "page_size": number; "total_pages"?: number | null | undefined; "total_count"?: number | null | undefined; "items": (DashboardResponse)[] } };
  get_dashboard: { input: { "query": { "dashboard_name": string } }; answer: DashboardTokenResponse };
  get_session_events_dashboard: { input: Record<never, never>; answer: Dashboard };
  get_session_summary_dashboard: { input: Record<never, never>; answer: Dashboard };
  get_session_transfers_dashboard: { input: Record<never, never>; answer: Dashboard };
  get_sessions_dashboard: { input: Record<never, never>; answer: Dashboard };
  get_report_data: { input: { "path": { "name": string }; "query": { "token": string; "days"?: number | undefined; "with_scripted"?: string | undefined; "timezone"?: string | undefined } }; answer: DashboardData };
  get_session_legal_hold: { input: { "path": { "session_id": string } }; answer: LegalHold };
  update_session_legal_hold: { input: { "path": { "session_id": string }; "body": LegalHoldRequest }; answer: LegalHold };
  list_erasures: { input: { "query"?: { "page"?: number | null | undefined; "limit"?: number | undefined; "search_fields"?: ("id" | "status" | "address_hash" | "requested_by" | "requested_at" | "finished_at")[] | undefined; "search_field_values"?: (string)[] | undefined; "order_by"?: "id" | "status" | "address_hash" | "requested_by" | "requested_at" | "finished_at" | null | undefined; "order_by_direction"?: "asc" | "desc" | null | undefined; "fields"?: ("id" | "status" | "address_hash" | "requested_by" | "requested_at" | "finished_at")[] | undefined; "start_datetime"?: string | null | undefined; "end_datetime"?: string | null | undefined } | undefined }; answer: { "page": number; "page_size": number; "total_pages"?: number | null | undefined; "total_count"?: number | null | undefined; "items": (Erasure)[] } };
  create_erasure: { input: { "body": ErasureRequest }; answer: Erasure };
  preview_erasure: { input: { "body": ErasureRequest }; answer: ErasurePreview };
  get_erasure: { input: { "path": { "erasure_id": number } }; answer: Erasure };
  get_organization_privacy: { input: Record<never, never>; answer: PrivacySettings };
  update_organization_privacy: { input: { "body": PrivacySettingsRequest }; answer: PrivacySettings };
  get_agent_retention: { input: { "path": { "agent_id": number } }; answer: AgentRetention };
  update_agent_retention: { input: { "path": { "agent_id": number }; "body": AgentRetentionRequest }; answer: AgentRetention };
  delete_agent_retention: { input: { "path": { "agent_id": number } }; answer: Deleted };
  get_organization_redaction: { input: Record<never, never>; answer: RedactionPolicy };
  update_organization_redaction: { input: { "body": RedactionPolicyRequest }; answer: RedactionPolicy };
  preview_redaction: { input: { "body": RedactionPreviewRequest }; answer: RedactionPreview };
  get_agent_redaction: { input: { "path": { "agent_id": number } }; answer: RedactionPolicy };
  update_agent_redaction: { input: { "path": { "agent_id": number }; "body": RedactionPolicyRequest }; answer: RedactionPolicy };
  delete_agent_redaction: { input: { "path": { "agent_id": number } }; answer: Deleted };
  open_redacted_values: { input: { "path": { "session_id": string }; "body": OpenRedactedValuesRequest }; answer: RedactedValues };
  get_contact: { input: { "path": { "address": string }; "query"?: { "before"?: string | null | undefined; "limit"?: number | undefined } | undefined }; answer: Contact };
  update_contact: { input: { "path": { "address": string }; "body": ContactUpdateRequest }; answer: ContactRecord };
  delete_contact: { input: { "path": { "address": string } }; answer: Deleted };
  export_contact: { input: { "path": { "address": string } }; answer: ContactFile };
  list_contacts: { input: { "query"?: { "page"?: number | null | undefined; "limit"?: number | undefined; "search_fields"?: ("name" | "key" | "timezone" | "notes" | "updated_at" | "last_updated_by" | "address")[] | undefined; "search_field_values"?: (string)[] | undefined; "order_by"?: "name" | "key" | "timezone" | "notes" | "updated_at" | "last_updated_by" | null | undefined; "order_by_direction"?: "asc" | "desc" | null | undefined; "fields"?: ("name" | "key" | "timezone" | "notes" | "updated_at" | "last_updated_by" | "address")[] | undefined; "start_datetime"?: string | null | undefined; "end_datetime"?: string | null | undefined } | undefined }; answer: { "page": number; "page_size": number; "total_pages"?: number | null | undefined; "total_count"?: number | null | undefined; "items": (ContactRecord)[] } };
  create_contact: { input: { "body": ContactCreateRequest }; answer: ContactRecord };
  create_contact_address: { input: { "path": { "address": string }; "body": ContactLinkRequest }; answer: ContactRecord };
  delete_contact_address: { input: { "path": { "address": string; "linked": string } }; answer: ContactRecord };
  get_contact_key: { input: Record<never, never>; answer: ContactKey };
  update_contact_key: { input: { "body": ContactKey }; answer: ContactKey };
  get_organization_contact_sources: { input: Record<never, never>; answer: ContactSources };
  update_organization_contact_sources: { input: { "body": ContactSourcesUpdate }; answer: ContactSources };
  create_chat_call: { input: { "body": { "client_id": string; "user_id"?: string | null | undefined; "identity_token"?: string | null | undefined; "variables"?: Record<string, string> | null | undefined } }; answer: OpenedChatCall };
  call_agent_draft: { input: { "path": { "agent_id": number }; "body": TestCall }; answer: TestCallOpened };
  end_session: { input: { "path": { "session_id": number } }; answer: EndedConversation };
};

export const PLACES: Record<keyof Operations, readonly [method: string, path: string]> = {
  list_permissions: ["GET", "/api/v1/permissions/"],
  list_roles: ["GET", "/api/v1/roles/"],
  create_role: ["POST", "/api/v1/roles/"],
  update_role: ["PUT", "/api/v1/roles/"],
  get_role: ["GET", "/api/v1/roles/{role_id}"],
  delete_role: ["DELETE", "/api/v1/roles/{role_id}"],
  list_api_tokens: ["GET", "/api/v1/api_tokens/"],
  create_api_token: ["POST", "/api/v1/api_tokens/"],
  revoke_api_token: ["DELETE", "/api/v1/api_tokens/{id}"],
  list_users: ["GET", "/api/v1/users/"],
  create_user: ["POST", "/api/v1/users/"],
  update_user: ["PUT", "/api/v1/users/"],
  delete_user: ["DELETE", "/api/v1/users/"],
  get_user: ["GET", "/api/v1/users/{user_email}"],
  delete_own_account: ["DELETE", "/api/v1/users/delete_account"],
  send_welcome_email: ["POST", "/api/v1/users/{user_email}/send_email"],
  create_sign_in_link: ["POST", "/api/v1/users/{user_email}/sign_in_link"],
  get_organization: ["GET", "/api/v1/organizations/"],
  update_organization: ["PUT", "/api/v1/organizations/"],
  create_organization: ["POST", "/api/v1/organizations/"],
  delete_organization: ["DELETE", "/api/v1/organizations/"],
  restore_organization: ["POST", "/api/v1/organizations/{organization_id}/restore"],
  get_organization_access_rules: ["GET", "/api/v1/organizations/access_rules"],
  update_organization_access_rules: ["PUT", "/api/v1/organizations/access_rules"],
  get_organization_single_sign_on: ["GET", "/api/v1/organizations/single_sign_on"],
  update_organization_single_sign_on: ["PUT", "/api/v1/organizations/single_sign_on"],
  delete_organization_single_sign_on: ["DELETE", "/api/v1/organizations/single_sign_on"],
  test_organization_single_sign_on: ["POST", "/api/v1/organizations/single_sign_on/test"],
  get_organization_safety_rules: ["GET", "/api/v1/organizations/safety_rules"],
  update_organization_safety_rules: ["PUT", "/api/v1/organizations/safety_rules"],
  get_organization_storage: ["GET", "/api/v1/organizations/storage"],
  list_organization_sip_ip_ranges: ["GET", "/api/v1/organizations/sip_ip_ranges/"],
  create_organization_sip_ip_range: ["POST", "/api/v1/organizations/sip_ip_ranges/"],
  update_organization_sip_ip_range: ["PUT", "/api/v1/organizations/sip_ip_ranges/{sip_ip_range_id}"],
  delete_organization_sip_ip_range: ["DELETE", "/api/v1/organizations/sip_ip_ranges/{sip_ip_range_id}"],
  verify_organization_sip_ip_range: ["PUT", "/api/v1/organizations/sip_ip_ranges/{sip_ip_range_id}/verified"],
  list_audit_entries: ["GET", "/api/v1/audit_entries/"],
  get_audit_entry_verification: ["GET", "/api/v1/audit_entries/verification"],
  list_llm_providers: ["GET", "/api/v1/llm_providers/"],
  update_llm_provider: ["PUT", "/api/v1/llm_providers/{provider}"],
  delete_llm_provider: ["DELETE", "/api/v1/llm_providers/{provider}"],
  test_llm_provider: ["POST", "/api/v1/llm_providers/{provider}/test"],
  list_services: ["GET", "/api/v1/services/"],
  create_service: ["POST", "/api/v1/services/"],
  update_service: ["PUT", "/api/v1/services/"],
  get_service: ["GET", "/api/v1/services/{service_id}"],
  delete_service: ["DELETE", "/api/v1/services/{service_id}"],
  list_tools: ["GET", "/api/v1/tools/"],
  create_tool: ["POST", "/api/v1/tools/"],
  update_tool: ["PUT", "/api/v1/tools/"],
  check_tool: ["POST", "/api/v1/tools/check"],
  get_tool: ["GET", "/api/v1/tools/{tool_name}"],
  delete_tool: ["DELETE", "/api/v1/tools/{tool_name}"],
  list_tool_versions: ["GET", "/api/v1/tools/{tool_id}/history"],
  list_mcp_server_tools: ["GET", "/api/v1/services/{service_id}/mcp"],
  refresh_mcp_server_tools: ["POST", "/api/v1/services/{service_id}/mcp/refresh"],
  add_mcp_server_tools: ["POST", "/api/v1/services/{service_id}/mcp/tools"],
  list_prompts: ["GET", "/api/v1/prompts/"],
  create_prompt: ["POST", "/api/v1/prompts/"],
  update_prompt: ["PUT", "/api/v1/prompts/"],
  get_prompt: ["GET", "/api/v1/prompts/{prompt_id}"],
  delete_prompt: ["DELETE", "/api/v1/prompts/{prompt_id}"],
  list_prompt_versions: ["GET", "/api/v1/prompts/{prompt_id}/history"],
  list_supported_llms: ["GET", "/api/v1/prompts/llms/supported"],
  list_custom_messages: ["GET", "/api/v1/custom_messages/"],
  create_custom_message: ["POST", "/api/v1/custom_messages/"],
  update_custom_message: ["PUT", "/api/v1/custom_messages/"],
  get_custom_message: ["GET", "/api/v1/custom_messages/{custom_message_id}"],
  delete_custom_message: ["DELETE", "/api/v1/custom_messages/{custom_message_id}"],
  list_voice_groups: ["GET", "/api/v1/voice_groups/"],
  create_voice_group: ["POST", "/api/v1/voice_groups/"],
  update_voice_group: ["PUT", "/api/v1/voice_groups/"],
  get_voice_group: ["GET", "/api/v1/voice_groups/{voice_group_id}"],
  delete_voice_group: ["DELETE", "/api/v1/voice_groups/{voice_group_id}"],
  list_language_groups: ["GET", "/api/v1/language_groups/"],
  create_language_group: ["POST", "/api/v1/language_groups/"],
  update_language_group: ["PUT", "/api/v1/language_groups/"],
  get_language_group: ["GET", "/api/v1/language_groups/{language_group_id}"],
  delete_language_group: ["DELETE", "/api/v1/language_groups/{language_group_id}"],
  list_bridge_phrases: ["GET", "/api/v1/bridge_phrases/"],
  create_bridge_phrase: ["POST", "/api/v1/bridge_phrases/"],
  update_bridge_phrase: ["PUT", "/api/v1/bridge_phrases/"],
  get_bridge_phrase: ["GET", "/api/v1/bridge_phrases/{bridge_phrases_id}"],
  delete_bridge_phrase: ["DELETE", "/api/v1/bridge_phrases/{bridge_phrases_id}"],
  list_agents: ["GET", "/api/v1/agents/"],
  create_agent: ["POST", "/api/v1/agents/"],
  update_agent: ["PUT", "/api/v1/agents/"],
  get_agent: ["GET", "/api/v1/agents/{agent_id}"],
  delete_agent: ["DELETE", "/api/v1/agents/{agent_id}"],
  list_agent_labels: ["GET", "/api/v1/agents/labels"],
  preview_custom_message_calendar: ["POST", "/api/v1/custom_messages/calendar"],
  get_conversation_bridges: ["GET", "/api/v1/conversation-config/bridges"],
  update_conversation_bridges: ["PUT", "/api/v1/conversation-config/bridges"],
  list_incident_organizations: ["GET", "/api/v1/incidents/organizations"],
  list_incidents: ["GET", "/api/v1/incidents/"],
  create_incident: ["POST", "/api/v1/incidents/"],
  update_incident: ["PUT", "/api/v1/incidents/"],
  get_incident: ["GET", "/api/v1/incidents/{incident_id}"],
  delete_incident: ["DELETE", "/api/v1/incidents/{incident_id}"],
  list_agent_templates: ["GET", "/api/v1/agents/templates"],
  create_agent_from_template: ["POST", "/api/v1/agents/from_template"],
  import_agent: ["POST", "/api/v1/agents/import"],
  export_agent: ["GET", "/api/v1/agents/{agent_id}/export"],
  duplicate_agent: ["POST", "/api/v1/agents/{agent_id}/duplicate"],
  list_available_voices: ["GET", "/api/v1/agents/voices/available"],
  sample_voice_group_voice: ["POST", "/api/v1/voice_groups/voices/sample"],
  sample_language_group_voice: ["POST", "/api/v1/language_groups/voices/sample"],
  get_pronunciations: ["GET", "/api/v1/pronunciations"],
  get_pronunciation_metadata: ["GET", "/api/v1/pronunciations/metadata"],
  export_pronunciations: ["GET", "/api/v1/pronunciations/csv"],
  import_pronunciations: ["POST", "/api/v1/pronunciations/csv"],
  delete_pronunciations: ["DELETE", "/api/v1/pronunciations/csv"],
  list_speech_providers: ["GET", "/api/v1/speech_providers/"],
  update_speech_provider: ["PUT", "/api/v1/speech_providers/{provider}"],
  delete_speech_provider: ["DELETE", "/api/v1/speech_providers/{provider}"],
  test_speech_provider: ["POST", "/api/v1/speech_providers/{provider}/test"],
  list_data_sources: ["GET", "/api/v1/data_sources/"],
  create_data_source: ["POST", "/api/v1/data_sources/"],
  update_data_source: ["PUT", "/api/v1/data_sources/"],
  get_data_source: ["GET", "/api/v1/data_sources/{data_source_id}"],
  delete_data_source: ["DELETE", "/api/v1/data_sources/{data_source_id}"],
  list_data_source_documents: ["GET", "/api/v1/data_sources/{data_source_id}/documents/"],
  create_data_source_document: ["POST", "/api/v1/data_sources/{data_source_id}/documents/"],
  get_data_source_document: ["GET", "/api/v1/data_sources/{data_source_id}/documents/{document_id}"],
  delete_data_source_document: ["DELETE", "/api/v1/data_sources/{data_source_id}/documents/{document_id}"],
  get_data_source_crawl: ["GET", "/api/v1/data_sources/{data_source_id}/crawl"],
  update_data_source_crawl: ["PUT", "/api/v1/data_sources/{data_source_id}/crawl"],
  delete_data_source_crawl: ["DELETE", "/api/v1/data_sources/{data_source_id}/crawl"],
  run_data_source_crawl: ["POST", "/api/v1/data_sources/{data_source_id}/crawl/run"],
  stop_data_source_crawl: ["POST", "/api/v1/data_sources/{data_source_id}/crawl/stop"],
  list_data_source_crawl_pages: ["GET", "/api/v1/data_sources/{data_source_id}/crawl/pages/"],
  search_data_source: ["POST", "/api/v1/data_sources/{data_source_id}/search"],
  list_directory_members: ["GET", "/api/v1/directory_members/"],
  create_directory_member: ["POST", "/api/v1/directory_members/"],
  import_directory_members: ["PUT", "/api/v1/directory_members/upload/"],
  export_directory_members: ["GET", "/api/v1/directory_members/download/"],
  get_directory_member: ["GET", "/api/v1/directory_members/{member_id}"],
  update_directory_member: ["PUT", "/api/v1/directory_members/{member_id}"],
  delete_directory_member: ["DELETE", "/api/v1/directory_members/{member_id}"],
  restore_directory_member: ["PUT", "/api/v1/directory_members/{member_id}/restore"],
  list_directory_member_versions: ["GET", "/api/v1/directory_members/{member_id}/history"],
  test_directory_member: ["GET", "/api/v1/directory_members/{member_id}/test"],
  list_channels: ["GET", "/api/v1/channels/"],
  create_channel: ["POST", "/api/v1/channels/"],
  update_channel: ["PUT", "/api/v1/channels/"],
  get_channel_carrier: ["GET", "/api/v1/channels/{channel_id}/carrier"],
  test_channel_carrier: ["POST", "/api/v1/channels/{channel_id}/carrier/test"],
  create_channel_target_identity_key: ["POST", "/api/v1/channels/{channel_id}/targets/{target_id}/identity_key"],
  delete_channel_target_identity_key: ["DELETE", "/api/v1/channels/{channel_id}/targets/{target_id}/identity_key"],
  update_channel_target_browser_calls: ["PUT", "/api/v1/channels/{channel_id}/targets/{target_id}/browser_calls"],
  list_channel_targets: ["GET", "/api/v1/channels/targets"],
  list_available_targets: ["GET", "/api/v1/channels/available-targets"],
  get_channel_target: ["GET", "/api/v1/channels/{channel_id}/targets/{target_id}"],
  update_channel_target: ["PUT", "/api/v1/channels/{channel_id}/targets/{target_id}"],
  create_channel_target: ["POST", "/api/v1/channels/{channel_id}/targets"],
  delete_channel_target: ["DELETE", "/api/v1/channels/{channel_id}"],
  list_number_owners: ["GET", "/api/v1/number_owners/"],
  update_number_owner: ["PUT", "/api/v1/number_owners/{number}"],
  delete_number_owner: ["DELETE", "/api/v1/number_owners/{number}"],
  create_channel_simulated_contact: ["POST", "/api/v1/channels/{channel_id}/simulated_contacts"],
  list_mail_domains: ["GET", "/api/v1/mail_domains/"],
  create_mail_domain: ["POST", "/api/v1/mail_domains/"],
  verify_mail_domain: ["POST", "/api/v1/mail_domains/{mail_domain_id}/verify"],
  delete_mail_domain: ["DELETE", "/api/v1/mail_domains/{mail_domain_id}"],
  list_mail_domain_claims: ["GET", "/api/v1/mail_domains/claims"],
  update_mail_domain_claim: ["PUT", "/api/v1/mail_domains/claims/{mail_domain_id}"],
  delete_mail_domain_claim: ["DELETE", "/api/v1/mail_domains/claims/{mail_domain_id}"],
  get_twilio_channel: ["GET", "/api/v1/channels/twilio/{channel_id}"],
  create_twilio_channel: ["POST", "/api/v1/channels/twilio/"],
  update_twilio_channel: ["PUT", "/api/v1/channels/twilio/"],
  list_twilio_numbers: ["GET", "/api/v1/channels/twilio/{channel_id}/numbers"],
  buy_twilio_number: ["POST", "/api/v1/channels/twilio/{channel_id}/numbers"],
  reattach_twilio_number: ["PUT", "/api/v1/channels/twilio/{channel_id}/numbers"],
  release_twilio_number: ["DELETE", "/api/v1/channels/twilio/{channel_id}/numbers/{number}"],
  verify_twilio_number_a2p: ["POST", "/api/v1/channels/twilio/{channel_id}/numbers/verify-a2p-compliance"],
  list_suppressions: ["GET", "/api/v1/suppressions/"],
  create_suppression: ["POST", "/api/v1/suppressions/"],
  export_suppressions: ["GET", "/api/v1/suppressions/csv"],
  import_suppressions: ["POST", "/api/v1/suppressions/csv"],
  get_suppression: ["GET", "/api/v1/suppressions/{id}"],
  lift_suppression: ["DELETE", "/api/v1/suppressions/{id}"],
  get_organization_announcements: ["GET", "/api/v1/organizations/announcements"],
  update_organization_announcements: ["PUT", "/api/v1/organizations/announcements"],
  list_consents: ["GET", "/api/v1/consents/"],
  create_consent: ["POST", "/api/v1/consents/"],
  export_consents: ["GET", "/api/v1/consents/csv"],
  import_consents: ["POST", "/api/v1/consents/csv"],
  get_consent: ["GET", "/api/v1/consents/{id}"],
  revoke_consent: ["DELETE", "/api/v1/consents/{id}"],
  list_do_not_call_lists: ["GET", "/api/v1/do-not-call-lists/"],
  create_do_not_call_list: ["POST", "/api/v1/do-not-call-lists/"],
  update_do_not_call_list: ["PUT", "/api/v1/do-not-call-lists/{id}"],
  delete_do_not_call_list: ["DELETE", "/api/v1/do-not-call-lists/{id}"],
  import_do_not_call_list: ["POST", "/api/v1/do-not-call-lists/{id}/csv"],
  check_do_not_call_lists: ["GET", "/api/v1/do-not-call-lists/check/{address}"],
  list_events: ["GET", "/api/v1/events/"],
  list_running_sessions: ["GET", "/api/v1/sessions/live"],
  list_sessions: ["GET", "/api/v1/sessions/"],
  get_session: ["GET", "/api/v1/sessions/{session_id}"],
  delete_session: ["DELETE", "/api/v1/sessions/{session_id}"],
  get_recording_links: ["POST", "/api/v1/sessions/recording/{session_id}"],
  stream_recording: ["GET", "/api/v1/sessions/recording/stream"],
  get_session_waveform: ["GET", "/api/v1/sessions/{session_id}/waveform"],
  list_session_labels: ["GET", "/api/v1/session_labels/"],
  create_session_label: ["POST", "/api/v1/session_labels/"],
  get_session_label: ["GET", "/api/v1/session_labels/{session_label_id}"],
  list_conversations: ["GET", "/api/v1/conversations/"],
  get_session_transcript: ["GET", "/api/v1/sessions/transcript/{session_id}"],
  get_session_latency: ["GET", "/api/v1/sessions/latency/{session_id}"],
  get_session_timeline: ["GET", "/api/v1/sessions/timeline/{session_id}"],
  take_over_session: ["POST", "/api/v1/sessions/{session_id}/takeover"],
  hand_back_session: ["DELETE", "/api/v1/sessions/{session_id}/takeover"],
  whisper_to_agent: ["POST", "/api/v1/sessions/{session_id}/notes"],
  get_session_trace: ["GET", "/api/v1/sessions/{session_id}/trace"],
  list_session_model_rounds: ["GET", "/api/v1/sessions/{session_id}/model_rounds"],
  list_session_tool_requests: ["GET", "/api/v1/sessions/{session_id}/tool_requests"],
  get_session_debug_by_sid: ["GET", "/api/v1/session_debug/sid/{channel_manager_service}/{channel_manager_sid}"],
  get_session_debug: ["GET", "/api/v1/session_debug/session_id/{session_id}"],
  get_tool_result: ["GET", "/api/v1/session_debug/tool_result/{session_id}/{tool_call_id}"],
  release_held_message: ["POST", "/api/v1/sessions/{session_id}/held_messages/{message_id}/release"],
  answer_held_message: ["POST", "/api/v1/sessions/{session_id}/held_messages/{message_id}/answer"],
  write_in_session: ["POST", "/api/v1/sessions/{session_id}/takeover/messages"],
  send_test_message: ["POST", "/api/v1/agents/test/messages"],
  try_tool: ["POST", "/api/v1/tools/try"],
  play_tool: ["POST", "/api/v1/tools/play"],
  list_test_suites: ["GET", "/api/v1/test_suites/"],
  create_test_suite: ["POST", "/api/v1/test_suites/"],
  update_test_suite: ["PUT", "/api/v1/test_suites/"],
  get_test_suite: ["GET", "/api/v1/test_suites/{suite_id}"],
  delete_test_suite: ["DELETE", "/api/v1/test_suites/{suite_id}"],
  import_test_suite: ["POST", "/api/v1/test_suites/import"],
  export_test_suite: ["GET", "/api/v1/test_suites/{suite_id}/export"],
  run_test_suite: ["POST", "/api/v1/test_suites/{suite_id}/runs"],
  list_test_runs: ["GET", "/api/v1/test_runs/"],
  get_test_run: ["GET", "/api/v1/test_runs/{run_id}"],
  list_test_run_results: ["GET", "/api/v1/test_runs/{run_id}/results"],
  cancel_test_run: ["POST", "/api/v1/test_runs/{run_id}/cancel"],
  compare_test_runs: ["GET", "/api/v1/test_runs/{run_id}/comparison"],
  get_test_schedule: ["GET", "/api/v1/test_suites/{suite_id}/schedule"],
  set_test_schedule: ["PUT", "/api/v1/test_suites/{suite_id}/schedule"],
  get_test_case_of_session: ["GET", "/api/v1/sessions/{session_id}/test_case"],
  replay_sessions: ["POST", "/api/v1/agents/{agent_id}/replays"],
  list_replays: ["GET", "/api/v1/replays/"],
  get_replay: ["GET", "/api/v1/replays/{replay_id}"],
  list_replay_pairs: ["GET", "/api/v1/replays/{replay_id}/pairs"],
  cancel_replay: ["POST", "/api/v1/replays/{replay_id}/cancel"],
  get_session_debug_turn: ["GET", "/api/v1/sessions/{session_id}/debug_turn"],
  create_session_fork: ["POST", "/api/v1/sessions/{session_id}/forks"],
  get_session_fork: ["GET", "/api/v1/sessions/{session_id}/fork"],
  continue_session_fork: ["POST", "/api/v1/sessions/{session_id}/continue"],
  get_agent_versioning: ["GET", "/api/v1/agents/{agent_id}/versioning"],
  update_agent_versioning: ["PUT", "/api/v1/agents/{agent_id}/versioning"],
  list_agent_versions: ["GET", "/api/v1/agents/{agent_id}/versions"],
  publish_agent: ["POST", "/api/v1/agents/{agent_id}/versions"],
  get_agent_version: ["GET", "/api/v1/agents/{agent_id}/versions/{version_number}"],
  compare_agent_version: ["GET", "/api/v1/agents/{agent_id}/versions/{version_number}/changes"],
  create_chat_session: ["POST", "/chat/v1/sessions"],
  read_chat_session: ["GET", "/chat/v1/sessions/{session_id}"],
  send_chat_message: ["POST", "/chat/v1/sessions/{session_id}/messages"],
  end_chat_session: ["POST", "/chat/v1/sessions/{session_id}/end"],
  get_chat_session_client_calls: ["GET", "/chat/v1/sessions/{session_id}/client_calls"],
  create_chat_session_client_call: ["POST", "/chat/v1/sessions/{session_id}/client_calls/{key}"],
  list_campaigns: ["GET", "/api/v1/outbound/campaigns"],
  create_campaign: ["POST", "/api/v1/outbound/campaigns"],
  get_campaign: ["GET", "/api/v1/outbound/campaigns/{campaign_id}"],
  update_campaign: ["PUT", "/api/v1/outbound/campaigns/{campaign_id}"],
  delete_campaign: ["DELETE", "/api/v1/outbound/campaigns/{campaign_id}"],
  get_campaign_reach_rules: ["GET", "/api/v1/outbound/campaigns/{campaign_id}/reach-rules"],
  update_campaign_reach_rules: ["PUT", "/api/v1/outbound/campaigns/{campaign_id}/reach-rules"],
  get_campaign_retry_rules: ["GET", "/api/v1/outbound/campaigns/{campaign_id}/retry-rules"],
  update_campaign_retry_rules: ["PUT", "/api/v1/outbound/campaigns/{campaign_id}/retry-rules"],
  get_campaign_cadence: ["GET", "/api/v1/outbound/campaigns/{campaign_id}/cadence"],
  update_campaign_cadence: ["PUT", "/api/v1/outbound/campaigns/{campaign_id}/cadence"],
  get_campaign_spending: ["GET", "/api/v1/outbound/campaigns/{campaign_id}/spending"],
  update_campaign_spending: ["PUT", "/api/v1/outbound/campaigns/{campaign_id}/spending"],
  get_campaign_number_group: ["GET", "/api/v1/outbound/campaigns/{campaign_id}/number-group"],
  update_campaign_number_group: ["PUT", "/api/v1/outbound/campaigns/{campaign_id}/number-group"],
  list_number_groups: ["GET", "/api/v1/outbound/number-groups/"],
  create_number_group: ["POST", "/api/v1/outbound/number-groups/"],
  update_number_group: ["PUT", "/api/v1/outbound/number-groups/"],
  get_number_group: ["GET", "/api/v1/outbound/number-groups/{number_group_id}"],
  delete_number_group: ["DELETE", "/api/v1/outbound/number-groups/{number_group_id}"],
  update_number_group_number_rest: ["PUT", "/api/v1/outbound/number-groups/{number_group_id}/numbers/{channel_target_id}/rest"],
  get_outreach_rules: ["GET", "/api/v1/outbound/rules"],
  update_outreach_rules: ["PUT", "/api/v1/outbound/rules"],
  list_batches: ["GET", "/api/v1/outbound/batches"],
  create_batch: ["POST", "/api/v1/outbound/batches"],
  get_batch: ["GET", "/api/v1/outbound/batches/{batch_id}"],
  update_batch: ["PUT", "/api/v1/outbound/batches/{batch_id}"],
  delete_batch: ["DELETE", "/api/v1/outbound/batches/{batch_id}"],
  upload_batch: ["POST", "/api/v1/outbound/batches/{batch_id}/upload_batch"],
  add_batch_requests: ["POST", "/api/v1/outbound/batches/{batch_id}/requests"],
  remove_batch_requests: ["POST", "/api/v1/outbound/batches/{batch_id}/remove-requests"],
  list_batch_results: ["GET", "/api/v1/outbound/batches/{batch_id}/results"],
  count_copied_requests: ["POST", "/api/v1/outbound/batches/{batch_id}/requests/from/preview"],
  copy_batch_requests: ["POST", "/api/v1/outbound/batches/{batch_id}/requests/from"],
  pause_campaign: ["POST", "/api/v1/outbound/campaigns/{campaign_id}/pause"],
  start_campaign: ["POST", "/api/v1/outbound/campaigns/{campaign_id}/start"],
  list_campaign_requests: ["GET", "/api/v1/outbound/campaigns/{campaign_id}/requests"],
  count_campaign_matches: ["POST", "/api/v1/outbound/campaigns/{campaign_id}/count_matches"],
  get_confirmation: ["GET", "/api/v1/outbound/confirmation"],
  update_confirmation: ["PUT", "/api/v1/outbound/confirmation"],
  get_batch_confirmation: ["GET", "/api/v1/outbound/batches/{batch_id}/confirmation"],
  confirmation_batch: ["POST", "/api/v1/outbound/batches/{batch_id}/confirmation"],
  explain_batch_request: ["GET", "/api/v1/outbound/batches/{batch_id}/requests/{reference_id}/trace"],
  preflight_campaign: ["POST", "/api/v1/outbound/campaigns/{campaign_id}/preflight"],
  forecast_campaign: ["POST", "/api/v1/outbound/campaigns/{campaign_id}/forecast"],
  get_campaign_board: ["GET", "/api/v1/outbound/campaigns/{campaign_id}/board"],
  get_organization_limits: ["GET", "/api/v1/organizations/limits"],
  update_organization_limits: ["PUT", "/api/v1/organizations/limits"],
  get_campaign_answer_times: ["GET", "/api/v1/outbound/campaigns/{campaign_id}/answer-times"],
  get_campaign_retry_hours: ["GET", "/api/v1/outbound/campaigns/{campaign_id}/retry-hours"],
  update_campaign_retry_hours: ["PUT", "/api/v1/outbound/campaigns/{campaign_id}/retry-hours"],
  get_number_group_report: ["GET", "/api/v1/outbound/number-groups/{number_group_id}/report"],
  get_campaign_dialing_settings: ["GET", "/api/v1/outbound/campaigns/{campaign_id}/dialing-settings"],
  update_campaign_dialing_settings: ["PUT", "/api/v1/outbound/campaigns/{campaign_id}/dialing-settings"],
  get_agent_dialing_settings: ["GET", "/api/v1/agents/{agent_id}/dialing-settings"],
  update_agent_dialing_settings: ["PUT", "/api/v1/agents/{agent_id}/dialing-settings"],
  get_outreach_stop: ["GET", "/api/v1/outbound/stop"],
  stop_outreach: ["POST", "/api/v1/outbound/stop"],
  resume_outreach: ["POST", "/api/v1/outbound/resume"],
  preview_campaign_request_retry: ["POST", "/api/v1/outbound/campaigns/{campaign_id}/requests/retry/preview"],
  retry_campaign_requests: ["POST", "/api/v1/outbound/campaigns/{campaign_id}/requests/retry"],
  preview_campaign_request_suppression: ["POST", "/api/v1/outbound/campaigns/{campaign_id}/requests/suppress/preview"],
  suppress_campaign_requests: ["POST", "/api/v1/outbound/campaigns/{campaign_id}/requests/suppress"],
  list_call_backs: ["GET", "/api/v1/outbound/call-backs/"],
  cancel_call_back: ["DELETE", "/api/v1/outbound/call-backs/{id}"],
  list_campaign_tests: ["GET", "/api/v1/outbound/campaigns/{campaign_id}/tests"],
  create_campaign_test: ["POST", "/api/v1/outbound/campaigns/{campaign_id}/tests"],
  get_campaign_goal: ["GET", "/api/v1/outbound/campaigns/{campaign_id}/goal"],
  update_campaign_goal: ["PUT", "/api/v1/outbound/campaigns/{campaign_id}/goal"],
  list_event_deliveries: ["GET", "/api/v1/webhooks/deliveries"],
  get_event_delivery: ["GET", "/api/v1/webhooks/deliveries/{delivery_id}"],
  resend_event_delivery: ["POST", "/api/v1/webhooks/deliveries/{delivery_id}/resend"],
  enable_webhook_subscription: ["POST", "/api/v1/webhooks/{webhook_id}/enable"],
  disable_webhook_subscription: ["POST", "/api/v1/webhooks/{webhook_id}/disable"],
  test_webhook_subscription: ["POST", "/api/v1/webhooks/{webhook_id}/test"],
  list_webhook_subscriptions: ["GET", "/api/v1/webhooks/"],
  create_webhook_subscription: ["POST", "/api/v1/webhooks/"],
  update_webhook_subscription: ["PUT", "/api/v1/webhooks/"],
  get_webhook_subscription: ["GET", "/api/v1/webhooks/{webhook_id}"],
  delete_webhook_subscription: ["DELETE", "/api/v1/webhooks/{webhook_id}"],
  list_webhooks: ["GET", "/api/v1/outbound/webhooks"],
  enable_webhook: ["POST", "/api/v1/outbound/webhooks/{webhook_id}/enable"],
  disable_webhook: ["POST", "/api/v1/outbound/webhooks/{webhook_id}/disable"],
  test_webhook: ["POST", "/api/v1/outbound/webhooks/{webhook_id}/test"],
  list_webhook_deliveries: ["GET", "/api/v1/outbound/webhook_deliveries"],
  get_webhook_delivery: ["GET", "/api/v1/outbound/webhook_deliveries/{delivery_id}"],
  get_webhook_delivery_curl: ["GET", "/api/v1/outbound/webhook_deliveries/{delivery_id}/curl"],
  replay_webhook_delivery: ["POST", "/api/v1/outbound/webhook_deliveries/replay"],
  list_webhook_inboxes: ["GET", "/api/v1/outbound/webhook_inboxes"],
  create_webhook_inbox: ["POST", "/api/v1/outbound/webhook_inboxes"],
  update_webhook_inbox: ["PUT", "/api/v1/outbound/webhook_inboxes/{name}"],
  delete_webhook_inbox: ["DELETE", "/api/v1/outbound/webhook_inboxes/{name}"],
  list_webhook_inbox_messages: ["GET", "/api/v1/outbound/webhook_inboxes/{name}/messages"],
  list_insights: ["GET", "/api/v1/insights/"],
  get_session_full_summary: ["GET", "/api/v1/sessions/full-summary/{session_id}"],
  list_insight_tool_definitions: ["GET", "/api/v1/insights/tool-definitions"],
  list_insight_tool_configurations: ["GET", "/api/v1/insights/tool-configurations"],
  create_insight_tool_configuration: ["POST", "/api/v1/insights/tool-configurations"],
  get_insight_tool_configuration: ["GET", "/api/v1/insights/tool-configurations/{tool_id}"],
  update_insight_tool_configuration: ["PUT", "/api/v1/insights/tool-configurations/{tool_id}"],
  delete_insight_tool_configuration: ["DELETE", "/api/v1/insights/tool-configurations/{tool_id}"],
  test_insight_tool: ["POST", "/api/v1/insights/tools-test"],
  list_insight_workflows: ["GET", "/api/v1/insights/workflows/"],
  create_insight_workflow: ["POST", "/api/v1/insights/workflows/"],
  get_insight_workflow: ["GET", "/api/v1/insights/workflows/{workflow_id}"],
  update_insight_workflow: ["PUT", "/api/v1/insights/workflows/{workflow_id}"],
  delete_insight_workflow: ["DELETE", "/api/v1/insights/workflows/{workflow_id}"],
  activate_insight_workflow: ["PUT", "/api/v1/insights/workflows/{workflow_id}/activate"],
  inactivate_insight_workflow: ["PUT", "/api/v1/insights/workflows/{workflow_id}/inactivate"],
  queue_insight_work: ["POST", "/api/v1/insights/workflows/queue-work"],
  get_insight_workflow_backfill: ["GET", "/api/v1/insights/workflows/{workflow_id}/backfill"],
  update_insight_workflow_backfill: ["PUT", "/api/v1/insights/workflows/{workflow_id}/backfill"],
  pause_insight_workflow_backfill: ["POST", "/api/v1/insights/workflows/{workflow_id}/backfill/pause"],
  resume_insight_workflow_backfill: ["POST", "/api/v1/insights/workflows/{workflow_id}/backfill/resume"],
  get_insight_workflow_spending: ["GET", "/api/v1/insights/workflows/{workflow_id}/spending"],
  list_insight_executions: ["GET", "/api/v1/insights/executions/"],
  retry_failed_insight_work: ["POST", "/api/v1/insights/workflows/{workflow_id}/retry-failed"],
  list_judges: ["GET", "/api/v1/judges/"],
  create_judge: ["POST", "/api/v1/judges/"],
  update_judge: ["PUT", "/api/v1/judges/"],
  get_judge: ["GET", "/api/v1/judges/{judge_id}"],
  delete_judge: ["DELETE", "/api/v1/judges/{judge_id}"],
  get_session_to_label: ["GET", "/api/v1/judges/{judge_id}/next_session"],
  list_judge_labels: ["GET", "/api/v1/judges/{judge_id}/labels"],
  label_session_for_judge: ["PUT", "/api/v1/judges/{judge_id}/labels/{session_id}"],
  ask_judge_again: ["POST", "/api/v1/judges/{judge_id}/answers"],
  list_insight_folders: ["GET", "/api/v1/insights/folders/"],
  create_insight_folder: ["POST", "/api/v1/insights/folders/"],
  get_insight_folder: ["GET", "/api/v1/insights/folders/{folder_id}"],
  update_insight_folder: ["PUT", "/api/v1/insights/folders/{folder_id}"],
  delete_insight_folder: ["DELETE", "/api/v1/insights/folders/{folder_id}"],
  upload_insight_folder_file: ["POST", "/api/v1/insights/folders/{folder_id}/upload-file"],
  list_insight_folder_files: ["GET", "/api/v1/insights/folders/{folder_id}/files"],
  move_insight_folder_files: ["POST", "/api/v1/insights/folders/{folder_id}/move-files"],
  delete_insight_folder_file: ["DELETE", "/api/v1/insights/folders/{folder_id}/files/{file_id}"],
  list_experiments: ["GET", "/api/v1/experiments/"],
  create_experiment: ["POST", "/api/v1/experiments/"],
  update_experiment: ["PUT", "/api/v1/experiments/"],
  get_experiment: ["GET", "/api/v1/experiments/{experiment_id}"],
  delete_experiment: ["DELETE", "/api/v1/experiments/{experiment_id}"],
  start_experiment: ["POST", "/api/v1/experiments/{experiment_id}/start"],
  update_experiment_weights: ["PUT", "/api/v1/experiments/{experiment_id}/weights"],
  stop_experiment: ["POST", "/api/v1/experiments/{experiment_id}/stop"],
  adopt_experiment: ["POST", "/api/v1/experiments/{experiment_id}/adopt"],
  get_experiment_comparison: ["GET", "/api/v1/experiments/{experiment_id}/comparison"],
  list_transcription_providers: ["GET", "/api/v1/transcription_providers/"],
  update_transcription_provider: ["PUT", "/api/v1/transcription_providers/{provider}"],
  delete_transcription_provider: ["DELETE", "/api/v1/transcription_providers/{provider}"],
  search_sessions: ["GET", "/api/v1/sessions/search"],
  export_found_sessions: ["GET", "/api/v1/sessions/search/export"],
  list_session_views: ["GET", "/api/v1/session_views/"],
  create_session_view: ["POST", "/api/v1/session_views/"],
  update_session_view: ["PUT", "/api/v1/session_views/"],
  get_session_view: ["GET", "/api/v1/session_views/{session_view_id}"],
  delete_session_view: ["DELETE", "/api/v1/session_views/{session_view_id}"],
  list_boards: ["GET", "/api/v1/boards/"],
  create_board: ["POST", "/api/v1/boards/"],
  update_board: ["PUT", "/api/v1/boards/"],
  get_board: ["GET", "/api/v1/boards/{board_id}"],
  delete_board: ["DELETE", "/api/v1/boards/{board_id}"],
  get_overview: ["GET", "/api/v1/boards/overview"],
  get_board_figures: ["GET", "/api/v1/boards/{board_id}/figures"],
  count_tile: ["POST", "/api/v1/boards/tile_figures"],
  list_alerts: ["GET", "/api/v1/alerts/"],
  create_alert: ["POST", "/api/v1/alerts/"],
  update_alert: ["PUT", "/api/v1/alerts/"],
  get_alert: ["GET", "/api/v1/alerts/{alert_rule_id}"],
  delete_alert: ["DELETE", "/api/v1/alerts/{alert_rule_id}"],
  list_alert_changes: ["GET", "/api/v1/alerts/changes"],
  preview_alert_rule: ["POST", "/api/v1/alerts/preview"],
  list_takeouts: ["GET", "/api/v1/takeouts/"],
  create_takeout: ["POST", "/api/v1/takeouts/create"],
  get_takeout: ["GET", "/api/v1/takeouts/get/{job_id}"],
  get_takeout_file: ["GET", "/api/v1/takeouts/get/{job_id}/file/{file_name}"],
  get_queues: ["GET", "/api/v1/queues/"],
  list_set_aside_work: ["GET", "/api/v1/queues/set_aside"],
  retry_set_aside_work: ["POST", "/api/v1/queues/set_aside/{job_id}/retry"],
  drop_set_aside_work: ["DELETE", "/api/v1/queues/set_aside/{job_id}"],
  list_dashboards: ["POST", "/api/v1/dashboards/list"],
  get_dashboard: ["POST", "/api/v1/dashboards/fetch_info"],
  get_session_events_dashboard: ["POST", "/api/v1/dashboards/session_events"],
  get_session_summary_dashboard: ["POST", "/api/v1/dashboards/session_summary"],
  get_session_transfers_dashboard: ["POST", "/api/v1/dashboards/session_transfers"],
  get_sessions_dashboard: ["POST", "/api/v1/dashboards/sessions"],
  get_report_data: ["GET", "/reports/{name}/data"],
  get_session_legal_hold: ["GET", "/api/v1/sessions/{session_id}/legal_hold"],
  update_session_legal_hold: ["PUT", "/api/v1/sessions/{session_id}/legal_hold"],
  list_erasures: ["GET", "/api/v1/erasures/"],
  create_erasure: ["POST", "/api/v1/erasures/"],
  preview_erasure: ["POST", "/api/v1/erasures/preview"],
  get_erasure: ["GET", "/api/v1/erasures/{erasure_id}"],
  get_organization_privacy: ["GET", "/api/v1/organizations/privacy"],
  update_organization_privacy: ["PUT", "/api/v1/organizations/privacy"],
  get_agent_retention: ["GET", "/api/v1/agents/{agent_id}/retention"],
  update_agent_retention: ["PUT", "/api/v1/agents/{agent_id}/retention"],
  delete_agent_retention: ["DELETE", "/api/v1/agents/{agent_id}/retention"],
  get_organization_redaction: ["GET", "/api/v1/organizations/redaction"],
  update_organization_redaction: ["PUT", "/api/v1/organizations/redaction"],
  preview_redaction: ["POST", "/api/v1/organizations/redaction/preview"],
  get_agent_redaction: ["GET", "/api/v1/agents/{agent_id}/redaction"],
  update_agent_redaction: ["PUT", "/api/v1/agents/{agent_id}/redaction"],
  delete_agent_redaction: ["DELETE", "/api/v1/agents/{agent_id}/redaction"],
  open_redacted_values: ["POST", "/api/v1/sessions/{session_id}/redacted_values/open"],
  get_contact: ["GET", "/api/v1/contacts/{address}"],
  update_contact: ["PUT", "/api/v1/contacts/{address}"],
  delete_contact: ["DELETE", "/api/v1/contacts/{address}"],
  export_contact: ["GET", "/api/v1/contacts/{address}/export"],
  list_contacts: ["GET", "/api/v1/contacts/"],
  create_contact: ["POST", "/api/v1/contacts/"],
  create_contact_address: ["POST", "/api/v1/contacts/{address}/addresses"],
  delete_contact_address: ["DELETE", "/api/v1/contacts/{address}/addresses/{linked}"],
  get_contact_key: ["GET", "/api/v1/outbound/contact-key"],
  update_contact_key: ["PUT", "/api/v1/outbound/contact-key"],
  get_organization_contact_sources: ["GET", "/api/v1/organizations/contact-sources"],
  update_organization_contact_sources: ["PUT", "/api/v1/organizations/contact-sources"],
  create_chat_call: ["POST", "/chat/v1/calls"],
  call_agent_draft: ["POST", "/api/v1/agents/{agent_id}/test/calls"],
  end_session: ["POST", "/api/v1/sessions/{session_id}/end"],
};

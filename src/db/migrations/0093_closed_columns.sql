-- breaking: no
-- Columns that hold one of a fixed list of words say so: the database refuses another, and scripts/database-types.ts
-- reads a union from each check, so that a misspelt word doesn't compile.

alter table users add check (login_type in ('google', 'username_and_password'));
alter table one_time_codes add check (purpose in ('sign-in'));
alter table services add check (auth_type in ('basic', 'bearer', 'custom_headers', 'oauth2'));
alter table tool_versions add check (operation in ('create', 'update', 'delete'));
alter table custom_messages add check (type in ('greeting', 'email_template'));
alter table directory_member_versions
  add check (operation in ('create', 'update', 'delete', 'restore', 'bulk_load'));
alter table embedding_usage add check (purpose in ('question', 'passage'));
alter table storage_counts add check (kind in ('recordings', 'uploads', 'mail', 'data-sources', 'exports'));
alter table channels
  add check (channel_service in ('sip', 'twilio', 'email', 'webchat', 'africastalking', 'whatsapp'));
alter table channel_targets add check (target_mode in ('voice', 'chat', 'sms', 'email', 'whatsapp'));
alter table suppressions
  add check (lifted_through in ('text', 'mail', 'link', 'speech', 'chat', 'carrier', 'operator', 'import'));

alter table sessions add check (channel in ('voice', 'chat', 'sms', 'email', 'whatsapp'));
alter table session_trace add check (category in
  ('tts', 'stt', 'llm', 'tool', 'http', 'greeting', 'turn', 'step', 'state', 'note', 'error'));
alter table session_labels
  add check (type in ('auto-rating', 'human-rating')),
  add check (code in ('GOOD', 'OK', 'BAD', 'N/A'));
alter table calls add check (answerer in ('HUMAN', 'MACHINE', 'UNKNOWN'));

alter table campaigns add check (mode in ('voice', 'sms', 'email'));
alter table campaign_webhooks add check (request_method in ('POST', 'PUT', 'PATCH'));
alter table insight_workflows add check (source in ('agent', 'transfer', 'upload', 'sheet', 'manual'));
alter table insight_executions add check (cause in ('session', 'upload', 'manual', 'backfill'));
alter table transcription_providers add check (provider in ('openai', 'deepgram', 'google'));

alter table requests
  add check (request_status in
    ('PENDING', 'DUPLICATE', 'INITIATED', 'CONNECTED', 'COMPLETED', 'FAILED', 'CANCELED', 'INVALID', 'SKIPPED')),
  add check (channel_manager_status in (
    'PENDING', 'DUPLICATE', 'INVALID', 'UNEXPECTED_ERROR', 'FILTERED_LINE_TYPE', 'NO_OUTCOME', 'PROCESSED',
    'DROPPED', 'DEFERRED', 'BOUNCED', 'DELIVERED', 'OPENED', 'CLICKED', 'SPAM_REPORT', 'UNSUBSCRIBED',
    'PRIOR_UNSUBSCRIBED', 'PRIOR_SPAM_REPORT', 'PRIOR_DROPPED', 'PRIOR_BOUNCED', 'SENT', 'ACCEPTED', 'QUEUED',
    'SENDING', 'UNDELIVERED', 'DELIVERY_UNKNOWN', 'DELIVERY_FAILED', 'IN-PROGRESS', 'BUSY', 'CANCELED',
    'COMPLETED', 'DECLINED', 'NO-ANSWER', 'MACHINE', 'HUMAN', 'UNKNOWN', 'FAILED', 'SIP_NOT_FOUND',
    'SIP_TEMPORARILY_UNAVAILABLE', 'SIP_LOOP_DETECTED', 'SIP_DOES_NOT_EXIST_ANYWHERE'
  )),
  add check (answered_by in ('MACHINE', 'HUMAN', 'UNKNOWN'));
alter table request_counts
  add check (request_status in
    ('PENDING', 'DUPLICATE', 'INITIATED', 'CONNECTED', 'COMPLETED', 'FAILED', 'CANCELED', 'INVALID', 'SKIPPED')),
  add check (channel_manager_status in (
    'PENDING', 'DUPLICATE', 'INVALID', 'UNEXPECTED_ERROR', 'FILTERED_LINE_TYPE', 'NO_OUTCOME', 'PROCESSED',
    'DROPPED', 'DEFERRED', 'BOUNCED', 'DELIVERED', 'OPENED', 'CLICKED', 'SPAM_REPORT', 'UNSUBSCRIBED',
    'PRIOR_UNSUBSCRIBED', 'PRIOR_SPAM_REPORT', 'PRIOR_DROPPED', 'PRIOR_BOUNCED', 'SENT', 'ACCEPTED', 'QUEUED',
    'SENDING', 'UNDELIVERED', 'DELIVERY_UNKNOWN', 'DELIVERY_FAILED', 'IN-PROGRESS', 'BUSY', 'CANCELED',
    'COMPLETED', 'DECLINED', 'NO-ANSWER', 'MACHINE', 'HUMAN', 'UNKNOWN', 'FAILED', 'SIP_NOT_FOUND',
    'SIP_TEMPORARILY_UNAVAILABLE', 'SIP_LOOP_DETECTED', 'SIP_DOES_NOT_EXIST_ANYWHERE'
  ));
alter table attempts
  add check (mode in ('voice', 'sms', 'whatsapp', 'email')),
  add check (channel_status in (
    'PENDING', 'DUPLICATE', 'INVALID', 'UNEXPECTED_ERROR', 'FILTERED_LINE_TYPE', 'NO_OUTCOME', 'PROCESSED',
    'DROPPED', 'DEFERRED', 'BOUNCED', 'DELIVERED', 'OPENED', 'CLICKED', 'SPAM_REPORT', 'UNSUBSCRIBED',
    'PRIOR_UNSUBSCRIBED', 'PRIOR_SPAM_REPORT', 'PRIOR_DROPPED', 'PRIOR_BOUNCED', 'SENT', 'ACCEPTED', 'QUEUED',
    'SENDING', 'UNDELIVERED', 'DELIVERY_UNKNOWN', 'DELIVERY_FAILED', 'IN-PROGRESS', 'BUSY', 'CANCELED',
    'COMPLETED', 'DECLINED', 'NO-ANSWER', 'MACHINE', 'HUMAN', 'UNKNOWN', 'FAILED', 'SIP_NOT_FOUND',
    'SIP_TEMPORARILY_UNAVAILABLE', 'SIP_LOOP_DETECTED', 'SIP_DOES_NOT_EXIST_ANYWHERE'
  )),
  add check (answerer in ('MACHINE', 'HUMAN', 'UNKNOWN'));
alter table dial_countries add check (mode in ('voice', 'sms', 'email'));
alter table webhook_deliveries add check (channel_manager_status in (
    'PENDING', 'DUPLICATE', 'INVALID', 'UNEXPECTED_ERROR', 'FILTERED_LINE_TYPE', 'NO_OUTCOME', 'PROCESSED',
    'DROPPED', 'DEFERRED', 'BOUNCED', 'DELIVERED', 'OPENED', 'CLICKED', 'SPAM_REPORT', 'UNSUBSCRIBED',
    'PRIOR_UNSUBSCRIBED', 'PRIOR_SPAM_REPORT', 'PRIOR_DROPPED', 'PRIOR_BOUNCED', 'SENT', 'ACCEPTED', 'QUEUED',
    'SENDING', 'UNDELIVERED', 'DELIVERY_UNKNOWN', 'DELIVERY_FAILED', 'IN-PROGRESS', 'BUSY', 'CANCELED',
    'COMPLETED', 'DECLINED', 'NO-ANSWER', 'MACHINE', 'HUMAN', 'UNKNOWN', 'FAILED', 'SIP_NOT_FOUND',
    'SIP_TEMPORARILY_UNAVAILABLE', 'SIP_LOOP_DETECTED', 'SIP_DOES_NOT_EXIST_ANYWHERE'
  ));

alter table text_messages
  add check (purpose in ('answer', 'opt-out', 'outreach')),
  -- What came in is RECEIVED, then ANSWERED; what goes out has the carrier's status.
  add check (status in (
    'RECEIVED', 'ANSWERED', 'PENDING', 'DUPLICATE', 'INVALID', 'UNEXPECTED_ERROR', 'FILTERED_LINE_TYPE',
    'NO_OUTCOME', 'PROCESSED', 'DROPPED', 'DEFERRED', 'BOUNCED', 'DELIVERED', 'OPENED', 'CLICKED', 'SPAM_REPORT',
    'UNSUBSCRIBED', 'PRIOR_UNSUBSCRIBED', 'PRIOR_SPAM_REPORT', 'PRIOR_DROPPED', 'PRIOR_BOUNCED', 'SENT',
    'ACCEPTED', 'QUEUED', 'SENDING', 'UNDELIVERED', 'DELIVERY_UNKNOWN', 'DELIVERY_FAILED', 'IN-PROGRESS', 'BUSY',
    'CANCELED', 'COMPLETED', 'DECLINED', 'NO-ANSWER', 'MACHINE', 'HUMAN', 'UNKNOWN', 'FAILED', 'SIP_NOT_FOUND',
    'SIP_TEMPORARILY_UNAVAILABLE', 'SIP_LOOP_DETECTED', 'SIP_DOES_NOT_EXIST_ANYWHERE'
  ));
alter table mail_messages add check (channel_status in (
    'PENDING', 'DUPLICATE', 'INVALID', 'UNEXPECTED_ERROR', 'FILTERED_LINE_TYPE', 'NO_OUTCOME', 'PROCESSED',
    'DROPPED', 'DEFERRED', 'BOUNCED', 'DELIVERED', 'OPENED', 'CLICKED', 'SPAM_REPORT', 'UNSUBSCRIBED',
    'PRIOR_UNSUBSCRIBED', 'PRIOR_SPAM_REPORT', 'PRIOR_DROPPED', 'PRIOR_BOUNCED', 'SENT', 'ACCEPTED', 'QUEUED',
    'SENDING', 'UNDELIVERED', 'DELIVERY_UNKNOWN', 'DELIVERY_FAILED', 'IN-PROGRESS', 'BUSY', 'CANCELED',
    'COMPLETED', 'DECLINED', 'NO-ANSWER', 'MACHINE', 'HUMAN', 'UNKNOWN', 'FAILED', 'SIP_NOT_FOUND',
    'SIP_TEMPORARILY_UNAVAILABLE', 'SIP_LOOP_DETECTED', 'SIP_DOES_NOT_EXIST_ANYWHERE'
  ));

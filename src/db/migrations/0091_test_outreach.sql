-- breaking: no
-- room: test-outreach
-- Somebody asked to be contacted as a campaign would contact them. Counts nowhere; the newest of each campaign are kept.
create table test_outreach (
  id bigint generated always as identity primary key,
  key text collate "C" not null unique,
  organization_id bigint not null references organizations,
  sub_organization_id bigint not null references sub_organizations,
  campaign_id bigint not null references campaigns,
  -- Of the campaign's mode, as a channel takes it (channels/outreach.ts).
  outreach json not null,
  target text not null,
  state text collate "C" not null check (state in ('QUEUED', 'SENDING', 'SENT', 'FAILED')),
  channel_status text collate "C" not null check (channel_status in (
    'PENDING', 'DUPLICATE', 'INVALID', 'UNEXPECTED_ERROR', 'FILTERED_LINE_TYPE', 'NO_OUTCOME', 'PROCESSED',
    'DROPPED', 'DEFERRED', 'BOUNCED', 'DELIVERED', 'OPENED', 'CLICKED', 'SPAM_REPORT', 'UNSUBSCRIBED',
    'PRIOR_UNSUBSCRIBED', 'PRIOR_SPAM_REPORT', 'PRIOR_DROPPED', 'PRIOR_BOUNCED', 'SENT', 'ACCEPTED', 'QUEUED',
    'SENDING', 'UNDELIVERED', 'DELIVERY_UNKNOWN', 'DELIVERY_FAILED', 'IN-PROGRESS', 'BUSY', 'CANCELED',
    'COMPLETED', 'DECLINED', 'NO-ANSWER', 'MACHINE', 'HUMAN', 'UNKNOWN', 'FAILED', 'SIP_NOT_FOUND',
    'SIP_TEMPORARILY_UNAVAILABLE', 'SIP_LOOP_DETECTED', 'SIP_DOES_NOT_EXIST_ANYWHERE'
  )),
  -- When the carrier said so.
  status_at timestamptz not null,
  problem text,
  sid text,
  session_id bigint,
  started_by text not null,
  started_at timestamptz not null
);
create index test_outreach_campaign on test_outreach (campaign_id, started_at desc, key);
create index test_outreach_target on test_outreach (sub_organization_id, target);
create index test_outreach_organization on test_outreach (organization_id, started_at desc);

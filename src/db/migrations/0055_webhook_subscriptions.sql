-- breaking: no
-- room: campaigns
-- A webhook belongs to a campaign, or is an organization's subscription to events: both are delivered by one outbox.
alter table campaign_webhooks alter column campaign_id drop not null;
alter table campaign_webhooks add column sub_organization_id bigint references sub_organizations;
alter table campaign_webhooks add column name text;
alter table campaign_webhooks add column events text[];
alter table campaign_webhooks add column last_updated_by text;
alter table campaign_webhooks add constraint campaign_webhooks_owner
  check ((campaign_id is null) <> (sub_organization_id is null)) not valid;
create unique index campaign_webhooks_subscription on campaign_webhooks (sub_organization_id, name)
  where (campaign_id is null);

-- room: batches
-- A delivery tells of a request's status, or of an event.
alter table webhook_deliveries alter column campaign_id drop not null;
alter table webhook_deliveries alter column attempt_count drop not null;
alter table webhook_deliveries alter column channel_manager_status drop not null;
alter table webhook_deliveries add column event text check (event in ('session.ended', 'insight.found', 'alert'));
alter table webhook_deliveries add column session_id bigint;
create index webhook_deliveries_events on webhook_deliveries (sub_organization_id, key) where (event is not null);
create index webhook_deliveries_session on webhook_deliveries (session_id) where (session_id is not null);

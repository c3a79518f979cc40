-- breaking: no
-- room: executions
-- Lists that grow with every session or attempt are read in the order of their time, and by what people look for.
drop index insight_executions_order;
create index insight_executions_listed on insight_executions (sub_organization_id, created_at desc, id desc);
create index insight_executions_of_workflow on insight_executions (workflow_id, created_at desc, id desc);
create index insight_executions_of_backfill on insight_executions (backfill_id) where backfill_id is not null;
create index insight_executions_state on insight_executions (sub_organization_id, status, created_at desc, id desc)
  where status <> 'COMPLETED';
-- room: webhooks
drop index webhook_deliveries_sub_organization;
create index webhook_deliveries_listed on webhook_deliveries (sub_organization_id, created_at desc, key desc);
drop index webhook_deliveries_campaign;
create index webhook_deliveries_campaign on webhook_deliveries (campaign_id, created_at desc, key desc)
  where campaign_id is not null;
drop index webhook_deliveries_events;
create index webhook_deliveries_events on webhook_deliveries (sub_organization_id, created_at desc, key desc)
  where event is not null;
create index webhook_deliveries_webhook on webhook_deliveries (webhook_id, created_at desc, key desc);
create index webhook_deliveries_stuck on webhook_deliveries (sub_organization_id, state, created_at desc, key desc)
  where state in ('FAILED', 'HELD');
-- room: sessions
create index session_labels_type on session_labels (sub_organization_id, type, timestamp desc, id desc);
create index session_labels_person on session_labels (sub_organization_id, user_email, timestamp desc, id desc);
-- room: folders
drop index insight_files_folder;
create index insight_files_folder on insight_files (folder_id, created_at, id);
create index insight_files_name on insight_files (folder_id, filename);
-- room: analytics
create index alert_changes_listed on alert_changes (sub_organization_id, at desc, id desc);
-- room: erasure
drop index erasures_list;
create index erasures_listed on erasures (sub_organization_id, requested_at desc, id desc);
create index erasures_address on erasures (sub_organization_id, address_hash);
create index erasures_unfinished on erasures (sub_organization_id, status, requested_at desc, id desc)
  where finished_at is null;

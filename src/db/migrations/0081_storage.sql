-- breaking: no
-- How many bytes of what a sub-organization keeps: the sum of bytes. Each write appends what it changed, so that no two
-- wait for each other, and a job adds the rows up now and then (sessions/storage-job.ts).
create table storage_counts (
  sub_organization_id bigint not null,
  -- recordings | uploads | mail | data-sources | exports
  kind text not null,
  bytes bigint not null
);
create index storage_counts_tenant on storage_counts (sub_organization_id);

-- null: stored by an earlier version, and not measured yet
alter table recordings add column size_bytes bigint;
create index recordings_unmeasured on recordings (id) where size_bytes is null;
alter table takeouts add column size_bytes bigint;

create function count_storage(tenant bigint, kind text, bytes bigint) returns void language sql as $$
  insert into storage_counts select tenant, kind, bytes where bytes <> 0
$$;

create function bytes_of_files(files json) returns bigint language sql immutable as $$
  select coalesce(sum((file ->> 'size')::bigint), 0)::bigint from json_array_elements(files) as file
$$;

-- In a trigger of an insert `old` is null, in one of a delete `new`.
create function count_recording() returns trigger language plpgsql as $$
begin
  perform count_storage(
    (select sub_organization_id from sessions where id = coalesce(new.session_id, old.session_id)),
    'recordings', coalesce(new.size_bytes, 0) - coalesce(old.size_bytes, 0));
  return null;
end $$;

create function count_upload() returns trigger language plpgsql as $$
begin
  perform count_storage(coalesce(new.sub_organization_id, old.sub_organization_id), 'uploads',
    case when new.deleted_at is null then coalesce(new.size_bytes, 0) else 0 end
      - case when old.deleted_at is null then coalesce(old.size_bytes, 0) else 0 end);
  return null;
end $$;

create function count_mail_files() returns trigger language plpgsql as $$
begin
  perform count_storage(coalesce(new.sub_organization_id, old.sub_organization_id), 'mail',
    case when new.attachments is null then 0 else bytes_of_files(new.attachments) end
      - case when old.attachments is null then 0 else bytes_of_files(old.attachments) end);
  return null;
end $$;

create function count_data_source() returns trigger language plpgsql as $$
begin
  perform count_storage(coalesce(new.sub_organization_id, old.sub_organization_id), 'data-sources',
    case when new.deleted_at is null then coalesce(octet_length(new.text), 0) else 0 end
      - case when old.deleted_at is null then coalesce(octet_length(old.text), 0) else 0 end);
  return null;
end $$;

create function count_takeout() returns trigger language plpgsql as $$
begin
  perform count_storage(coalesce(new.sub_organization_id, old.sub_organization_id), 'exports',
    coalesce(new.size_bytes, 0) - coalesce(old.size_bytes, 0));
  return null;
end $$;

create trigger recordings_stored after insert or delete or update of size_bytes on recordings
  for each row execute function count_recording();
create trigger insight_files_stored after insert or delete or update of size_bytes, deleted_at on insight_files
  for each row execute function count_upload();
create trigger mail_files_stored after insert or delete or update of attachments on mail_messages
  for each row execute function count_mail_files();
create trigger data_sources_stored after insert or delete or update of text, deleted_at on data_sources
  for each row execute function count_data_source();
create trigger takeouts_stored after insert or delete or update of size_bytes on takeouts
  for each row execute function count_takeout();

-- What is there. The triggers' locks keep writers out until all of it is counted.
insert into storage_counts
select sub_organization_id, 'uploads', sum(size_bytes) from insight_files where deleted_at is null group by 1
union all
select sub_organization_id, 'data-sources', sum(octet_length(text)) from data_sources where deleted_at is null group by 1
union all
select sub_organization_id, 'mail', sum(bytes_of_files(attachments)) from mail_messages
where attachments::text <> '[]' group by 1;

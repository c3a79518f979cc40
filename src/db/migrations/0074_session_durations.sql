-- Every session that ended has a duration, also those of chats, texts and mail that ended before this version.
update sessions set duration = extract(epoch from ended_at - "timestamp")
where duration is null and ended_at is not null;

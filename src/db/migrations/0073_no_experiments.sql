-- breaking: no
-- There are no experiments, so nothing may be said to permit them.
update roles set permissions = array(select name from unnest(permissions) name where name not like 'experiments\_%')
where permissions && array['experiments_read', 'experiments_write', 'experiments_delete'];
update api_tokens set permissions = array(select name from unnest(permissions) name where name not like 'experiments\_%')
where permissions && array['experiments_read', 'experiments_write', 'experiments_delete'];

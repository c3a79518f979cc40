-- breaking: no
-- Why a number or address is paused where the carrier told it: it refuses the account, the number or a permission.
alter table dial_sources add column reason text;

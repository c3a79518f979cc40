-- breaking: no
-- Whether visitors of a chat may call its agent by voice, from the page.

alter table channel_targets add column browser_calls boolean not null default false;

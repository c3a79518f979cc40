-- breaking: no
-- room: campaigns
-- What conversations of a campaign may cost in all; null: as much as they do.
alter table campaigns add column spend_cap_usd double precision check (spend_cap_usd > 0);
-- What those that are over have cost; what is deleted later was spent all the same.
create table campaign_spending (
  campaign_id bigint primary key references campaigns,
  cost_usd double precision not null
);
insert into campaign_spending
  select campaign_id, sum(cost_usd) from session_facts where campaign_id is not null and cost_usd is not null group by 1;
-- room: accounts
-- A batch with more people than this waits until somebody confirms it; null: none waits.
alter table organizations add column confirm_above integer check (confirm_above > 0);
-- room: batches
-- For how many people somebody confirmed it, or for how many it ran already when confirmations were introduced.
alter table batches add column confirmed_people bigint;
alter table batches add column confirmed_by text;
alter table batches add column confirmed_at timestamptz;

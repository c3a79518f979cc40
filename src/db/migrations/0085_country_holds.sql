-- breaking: no
-- Countries that a carrier does not let our account reach: who lives there waits, all others go on
-- (dialing/country-hold.ts).
create table dial_countries (
  organization_id bigint not null references organizations,
  -- the number that calls or writes, and by what: voice, sms
  source text collate "C" not null,
  mode text collate "C" not null,
  -- ISO 3166 code, or a calling code as +870
  country text collate "C" not null,
  -- nobody there is tried until then
  closed_until timestamptz not null,
  -- refusals in a row; the wait doubles
  trips integer not null,
  -- the carrier's words
  reason text not null,
  primary key (organization_id, source, mode, country)
) with (fillfactor = 50);

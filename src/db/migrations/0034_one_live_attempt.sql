-- breaking: no
-- A request has one reference in one campaign, so `attempts_live_reference` already keeps it from having two live
-- attempts. Each index of attempts is written for every word that a carrier says.
drop index attempts_live_request;

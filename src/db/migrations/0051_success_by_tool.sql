-- breaking: no
-- room: experiments
-- Success of an experiment may be a tool that was called; of those that were planned before, none was named.

update experiments set success = jsonb_set(success::jsonb, '{tool}', 'null'::jsonb)::json where success is not null;

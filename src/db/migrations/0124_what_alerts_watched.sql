-- breaking: no
-- room: analytics
-- What an alert watched when it changed: its rule may watch something else by now, which other people may see. null: written
-- by an older program.
alter table alert_changes add column metric json, add column search_fields text[], add column search_field_values text[];
update alert_changes c
set metric = r.metric, search_fields = r.search_fields, search_field_values = r.search_field_values
from alert_rules r where r.id = c.alert_rule_id;

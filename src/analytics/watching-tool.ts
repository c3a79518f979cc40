import { sql } from "kysely";
import type { WatchesTools } from "../tools/renamed-tool.ts";

/**
 * The alerts, boards and views of sessions that filter by a tool's name, without the views of others. Sessions keep the names
 * that were called in them.
 */
export const watchingTools: WatchesTools = async (db, { sub_organization_id, user_id }, names) => {
  const { rows } = await sql<{ kind: "alert" | "board" | "view"; name: string; tool_name: string }>`
    select distinct found.kind, found.name, found.value as tool_name
    from (
      select 'alert' as kind, r.name, filter.field, filter.value
      from alert_rules r, unnest(r.search_fields, r.search_field_values) as filter (field, value)
      where r.sub_organization_id = ${sub_organization_id}
      union all
      select 'view', w.name, filter.field, filter.value
      from session_views w, unnest(w.search_fields, w.search_field_values) as filter (field, value)
      where w.sub_organization_id = ${sub_organization_id} and (w.is_shared or w.owner_id = ${user_id})
      union all
      select 'board', b.name, field.name, tile -> 'search_field_values' ->> (field.place - 1)::integer
      from boards b, json_array_elements(b.tiles) as tile,
        json_array_elements_text(tile -> 'search_fields') with ordinality as field (name, place)
      where b.sub_organization_id = ${sub_organization_id}) as found
    where found.field in ('tool', 'failed_tool') and found.value = any(${names}::text[])
    order by 1, 2, 3`.execute(db);
  return rows;
};

import { sql } from "kysely";
import { z } from "zod";
import { type Caller, requirePermission } from "../api/caller.ts";
import * as list from "../api/list.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import type { Vault } from "../base/crypto.ts";
import { Fault } from "../base/errors.ts";
import type { Db } from "../db/database.ts";
import { DASHBOARDS, findDashboard } from "./dashboards.ts";
import { guestToken } from "./guest-token.ts";

const DashboardResponse = z
  .object({ name: z.string(), display_name: z.string(), rank: z.int(), label: z.string() })
  .meta({ id: "DashboardResponse" });
type DashboardResponse = z.infer<typeof DashboardResponse>;

/** Get a dashboard's page and guest token. The names are those of the product that others embed. */
const embedding = {
  embedded_id: z.string(),
  guest_token: z.string().describe("Works for five minutes."),
  superset_url: z.string().describe("The page is {superset_url}/reports/{embedded_id}?token={guest_token}"),
};
const DashboardTokenResponse = DashboardResponse.extend(embedding).meta({ id: "DashboardTokenResponse" });
const Dashboard = z.object({ name: z.string(), ...embedding }).meta({ id: "Dashboard" });

const dashboardList: list.ListRules = {
  fields: {
    id: list.integer("d.id"),
    name: list.text("d.name"),
    display_name: list.text("d.display_name"),
    rank: list.integer("d.rank"),
    label: list.exact("d.label"),
  },
  // They are part of the program and have no date; the range is not looked at.
  time: "d.id",
  order: [{ column: "d.rank", direction: "asc" }],
};

const described = DASHBOARDS.map(({ name, display_name, label, permission }, rank) => ({
  shown: { name, display_name, rank, label },
  permission,
}));

/** The program's own list as rows, so that it is searched, ordered and paged like every other; those that the caller may look at. */
const selectDashboards = (db: Db, { permissions }: Caller) => {
  const open = described.filter(({ permission }) => permission === undefined || permissions.has(permission));
  return db
    .selectFrom(
      sql<DashboardResponse & { id: number }>`(values ${sql.join(
        open.map(
          ({ shown: each }) =>
            sql`(${each.rank + 1}::int, ${each.name}::text, ${each.display_name}::text, ${each.rank}::int, ${each.label}::text)`,
        ),
      )})`.as<"d">(sql`d (id, name, display_name, rank, label)`),
    )
    .select(["d.name", "d.display_name", "d.rank", "d.label"]);
};

type Deps = { db: Db; clock: Clock; vault: Vault; publicUrl: string };

export function dashboardRoutes(api: Api, { db, clock, vault, publicUrl }: Deps): void {
  const path = "/api/v1/dashboards";
  const tag = "dashboards";
  const permission = "reports_read";

  const embed = (caller: Caller, name: string) => {
    const { sub_organization_id } = caller;
    const guest = { sub_organization_id, dashboard: name };
    return {
      embedded_id: name,
      guest_token: guestToken(vault, clock.now(), guest, caller.bound?.until),
      superset_url: publicUrl,
    };
  };

  api.post(
    `${path}/list`,
    {
      summary: "List dashboards",
      tag,
      permission,
      query: list.listQuery(dashboardList),
      response: list.listOf(DashboardResponse),
    },
    ({ caller, query }) =>
      list.listPage(
        db,
        selectDashboards(db, caller),
        { ...query, start_datetime: null, end_datetime: null },
        dashboardList,
      ),
  );

  api.post(
    `${path}/fetch_info`,
    {
      summary: "Get a dashboard's page and guest token",
      tag,
      permission,
      query: z.object({ dashboard_name: z.string() }),
      response: DashboardTokenResponse,
    },
    ({ caller, query }) => {
      const found = described.find(({ shown }) => shown.name === query.dashboard_name);
      if (!found) throw new Fault("not-found", `Dashboard "${query.dashboard_name}" not found`);
      if (found.permission) requirePermission(caller, found.permission);
      return { ...found.shown, ...embed(caller, found.shown.name) };
    },
  );

  for (const name of ["session_events", "session_summary", "session_transfers", "sessions"]) {
    const dashboard = findDashboard(name);
    if (!dashboard) throw new Error(`there is no dashboard ${name}`);
    api.post(
      `${path}/${name}`,
      {
        summary: `What a page needs to show ${dashboard.display_name.toLowerCase()}`,
        description: `Use POST ${path}/fetch_info.`,
        deprecated: true,
        tag,
        permission,
        response: Dashboard,
      },
      ({ caller }) => ({ name, ...embed(caller, name) }),
    );
  }
}

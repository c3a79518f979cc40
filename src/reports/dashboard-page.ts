import { readFileSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { canonicalTimezone } from "../agents/timezone.ts";
import { queryInteger, timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import type { Vault } from "../base/crypto.ts";
import { Fault } from "../base/errors.ts";
import type { Db } from "../db/database.ts";
import { findDashboard } from "./dashboards.ts";
import { Figures, lastDays } from "./figures.ts";
import { readGuestToken } from "./guest-token.ts";

const FOLDER = path.resolve(import.meta.dirname, "../../public/reports");
/** Whoever has a token may show the page in a site of theirs; nothing but our own files runs in it. */
const CONTENT_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'; frame-ancestors *";
const ASSETS: [name: string, type: string][] = [
  ["report.js", "text/javascript; charset=utf-8"],
  ["report.css", "text/css; charset=utf-8"],
];

const MAX_DAYS = 366;

const timezone = () =>
  z.string().transform((text, context) => {
    const known = canonicalTimezone(text);
    if (known !== null) return known;
    context.addIssue({ code: "custom", message: "Input should be an IANA time zone such as Europe/Berlin" });
    return z.NEVER;
  });

const DashboardData = Figures.extend({
  name: z.string(),
  display_name: z.string(),
  timezone: z.string(),
  from: timestamp(),
  to: timestamp(),
}).meta({ id: "DashboardData" });

type Deps = { db: Db; clock: Clock; vault: Vault };

export function dashboardPageRoutes(api: Api, { db, clock, vault }: Deps): void {
  api.get(
    "/reports/:name/data",
    {
      summary: "Get the figures of a dashboard",
      description: "The guest token of fetch_info stands for a sign-in. Test sessions are not counted.",
      tag: "dashboards",
      permission: "public",
      reads: true,
      calls_per_minute: 120,
      params: z.object({ name: z.string() }),
      query: z.object({
        token: z.string().max(300),
        days: queryInteger({ min: 1, max: MAX_DAYS }).default(30).describe("How many, today included."),
        with_scripted: z
          .stringbool()
          .default(false)
          .describe("Whether insights of the offline model count: it makes them up."),
        timezone: timezone().default("UTC").describe("In which a day begins and ends."),
      }),
      response: DashboardData,
    },
    async ({ params, query }) => {
      const guest = readGuestToken(vault, clock.now(), query.token);
      const dashboard = findDashboard(params.name);
      if (!dashboard || guest.dashboard !== params.name) {
        throw new Fault("not-found", "The token is not for this dashboard.");
      }
      const period = lastDays(
        clock.now(),
        query.days,
        query.timezone,
        guest.sub_organization_id,
        query.with_scripted,
      );
      return {
        name: dashboard.name,
        display_name: dashboard.display_name,
        timezone: query.timezone,
        from: (period.starts[0] ?? period.to).toISOString(),
        to: period.to.toISOString(),
        ...(await dashboard.read(db, period)),
      };
    },
  );

  const page = readFileSync(path.join(FOLDER, "report.html"));
  const hidden = { hide: true };
  api.server.get("/reports/:name", { schema: hidden, helmet: { xFrameOptions: false } }, (_request, reply) =>
    reply
      .header("content-security-policy", CONTENT_POLICY)
      .header("referrer-policy", "no-referrer")
      .header("cache-control", "no-cache")
      .type("text/html; charset=utf-8")
      .send(page),
  );
  for (const [name, type] of ASSETS) {
    const content = readFileSync(path.join(FOLDER, name));
    api.server.get(`/reports/assets/${name}`, { schema: hidden }, (_request, reply) =>
      reply.type(type).header("cache-control", "no-cache").send(content),
    );
  }
}

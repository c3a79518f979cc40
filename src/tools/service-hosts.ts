import { sql } from "kysely";
import type { Caller } from "../api/caller.ts";
import { Fault } from "../base/errors.ts";
import type { Db } from "../db/database.ts";

/**
 * Where a service's secrets may be sent: to the hosts that its saved tools call. Whoever may not write services can't
 * send them anywhere else, by a tool of their own or by trying one out.
 */
export async function requireServiceHost(
  db: Db,
  caller: Caller,
  service_id: number,
  url: string | null | undefined,
): Promise<void> {
  if (url == null || caller.permissions.has("services_write")) return;
  const { rows } = await sql<{ has_secret: boolean; urls: (string | null)[] }>`
    select s.sealed_auth_values is not null as has_secret, array(
      select t.definition -> 'endpoint' ->> 'url' from tools t where t.service_id = s.id and t.deleted_at is null
    ) as urls
    from services s
    where s.id = ${service_id} and s.sub_organization_id = ${caller.sub_organization_id}`.execute(db);
  const [service] = rows;
  if (!service?.has_secret) return;
  const host = hostOf(url);
  if (host !== null && service.urls.some((each) => each !== null && hostOf(each) === host)) return;
  throw new Fault(
    "forbidden",
    `The service's credentials are not sent to ${host ?? url} yet. Somebody with the permission services_write has to save the first tool for that host.`,
  );
}

/** Scheme, host and port; null where a variable stands there, which could be any. */
const hostOf = (url: string): string | null => URL.parse(url)?.origin ?? null;

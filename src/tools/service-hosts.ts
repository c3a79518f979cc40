import { sql } from "kysely";
import type { Caller } from "../api/caller.ts";
import type { Api } from "../api/server.ts";
import { Fault, invalid } from "../base/errors.ts";
import type { Tx } from "../db/database.ts";
import { allowedHostOf, lacksScheme, MAX_ALLOWED_HOSTS } from "./allowed-hosts.ts";

type Called = { service_id: number; url: string | null | undefined; loc: string[] };

/**
 * A service's secrets go to its `allowed_hosts` only. Where they aren't settled yet, the first host that somebody who may
 * write services uses settles them: that is a change of the service, with its audit entry. A host that is a variable's
 * value is checked when the tool is called. Lock: the service's row, before a tool's own share of it.
 */
export async function requireServiceHost(
  api: Pick<Api, "audit">,
  tx: Tx,
  caller: Caller,
  { service_id, url, loc }: Called,
): Promise<void> {
  if (url == null) return;
  const service = await tx
    .selectFrom("services")
    .select(["name", "allowed_hosts", "sealed_auth_values"])
    .where("id", "=", service_id)
    .where("sub_organization_id", "=", caller.sub_organization_id)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!service?.sealed_auth_values) return;
  const { name, allowed_hosts } = service;
  const host = allowedHostOf(url);
  const isVariable = host === null && url.includes("{");
  if (lacksScheme(url))
    throw invalid(
      loc,
      "Begin the address with https:// or http://: it says to which host the service's credentials are sent.",
    );
  if (allowed_hosts === null) {
    if (host === null)
      throw invalid(
        loc,
        `The service "${name}" has no allowed hosts yet, and this address can't settle them. Add the host to the service's allowed hosts, together with its secret.`,
      );
    if (!caller.permissions.has("services_write"))
      throw new Fault(
        "forbidden",
        `The service "${name}" has no allowed hosts yet. Somebody with the permission services_write has to add ${host} to them, or to save the first tool.`,
      );
    const settled = [host];
    await tx.updateTable("services").set({ allowed_hosts: settled }).where("id", "=", service_id).execute();
    await api.audit(tx, caller, {
      action: "update",
      resource: "services",
      resource_id: service_id,
      before: { name, allowed_hosts: null },
      after: { name, allowed_hosts: settled },
    });
    return;
  }
  if (isVariable || (host !== null && allowed_hosts.includes(host))) return;
  throw invalid(
    loc,
    `The credentials of the service "${name}" may not be sent to ${host ?? "this address"}. Add the host to the service's allowed hosts, together with its secret, or choose another service.`,
  );
}

/** The addresses of tools of another kind that a service signs in; null among them where one has none. */
export type CalledUrls = (tx: Tx, service_id: number) => Promise<(string | null)[]>;

/** The hosts that a service's saved tools call: what its list is where a secret is set and no list is given. */
export async function hostsOfTools(
  tx: Tx,
  service_id: number,
  urlsOfOthers: CalledUrls,
): Promise<string[] | null> {
  const own = await tx
    .selectFrom("tools")
    .select(sql<string | null>`definition -> 'endpoint' ->> 'url'`.as("url"))
    .where("service_id", "=", service_id)
    .where("deleted_at", "is", null)
    .execute();
  const urls = [...own.map(({ url }) => url), ...(await urlsOfOthers(tx, service_id))];
  const hosts = urls.map((url) => (url === null ? null : allowedHostOf(url))).filter((host) => host !== null);
  const known = [...new Set(hosts)].toSorted().slice(0, MAX_ALLOWED_HOSTS);
  return known.length > 0 ? known : null;
}

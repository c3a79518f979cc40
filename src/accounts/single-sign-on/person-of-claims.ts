import { sql } from "kysely";
import type { Actor } from "../../api/caller.ts";
import type { Api } from "../../api/server.ts";
import type { Clock } from "../../base/clock.ts";
import { Fault } from "../../base/errors.ts";
import type { Tx } from "../../db/database.ts";
import type { Place } from "../audit/sign-in-audit.ts";
import { lockPeople } from "../user-record.ts";
import { keepAnAdministrator } from "../user-store.ts";
import type { Claims } from "./identity-client.ts";
import { groupsOf, roleOfGroups } from "./role-of-groups.ts";
import type { FoundProvider } from "./single-sign-on-store.ts";

type ProviderOfDomains = FoundProvider & { domains: string[] };

/** Why somebody whom the provider knows does not get in. */
export class NoPlace extends Error {
  readonly why: "no-role" | "no-address" | "other-address";
  constructor(why: "no-role" | "no-address" | "other-address") {
    super(why);
    this.why = why;
  }
}

type Deps = { api: Api; clock: Clock; actorOf(place: Place): Actor };

/**
 * Whom the provider's claims mean here: the person who got in by this subject before, else the one with the verified
 * address, else a new one. Their role follows their groups, where lines for groups are set. Throws a NoPlace. Lock: the
 * provider's row is taken before, so that of two sign-ins of one new person the second waits for the first; then
 * `lockPeople`, before the person's row.
 */
export async function personOfClaims(
  tx: Tx,
  deps: Deps,
  provider: ProviderOfDomains,
  claims: Claims,
): Promise<Place> {
  const groups = groupsOf(claims[provider.groups_claim]);
  const role_id = roleOfGroups(groups, provider.roles, provider.default_role_id);
  if (provider.roles.length > 0) await lockPeople(tx, provider);
  const known = (await bySubject(tx, provider, claims)) ?? (await byAddress(tx, provider, claims));
  if (known) {
    if (provider.roles.length > 0) await follow(tx, deps, provider, known, role_id);
    await link(tx, deps.clock, provider, claims, known.id);
    return known;
  }
  if (role_id === null) throw new NoPlace("no-role");
  const person = await create(tx, deps, provider, claims, role_id);
  await link(tx, deps.clock, provider, claims, person.id);
  return person;
}

type Known = Place & { role_id: number };

const people = (tx: Tx, { organization_id }: ProviderOfDomains) =>
  tx
    .selectFrom("users as u")
    .innerJoin("sub_organizations as s", "s.id", "u.sub_organization_id")
    .select(["u.id", "u.sub_organization_id", "u.email", "u.role_id"])
    .where("s.organization_id", "=", organization_id)
    .where("u.deleted_at", "is", null);

const bySubject = (tx: Tx, provider: ProviderOfDomains, { sub }: Claims): Promise<Known | undefined> =>
  people(tx, provider)
    .innerJoin("user_identities as i", "i.user_id", "u.id")
    .where("i.organization_id", "=", provider.organization_id)
    .where("i.issuer", "=", provider.issuer)
    .where("i.subject", "=", sub)
    .forUpdate("u")
    .executeTakeFirst();

/** Somebody of that address who got in by another subject is somebody else. */
async function byAddress(tx: Tx, provider: ProviderOfDomains, claims: Claims): Promise<Known | undefined> {
  const email = addressOf(provider, claims);
  const found = await people(tx, provider)
    .where(sql`lower(u.email)`, "=", email)
    .orderBy((one) => one(sql.ref("u.sub_organization_id"), "=", provider.sub_organization_id), "desc")
    .orderBy("u.id")
    .forUpdate("u")
    .executeTakeFirst();
  if (!found) return undefined;
  const other = await tx
    .selectFrom("user_identities")
    .select("subject")
    .where("user_id", "=", found.id)
    .where("issuer", "=", provider.issuer)
    .where("subject", "!=", claims.sub)
    .executeTakeFirst();
  if (other) throw new NoPlace("other-address");
  return found;
}

/** Of one of the organization's domains, and verified unless the provider says nothing of that. */
function addressOf({ domains }: ProviderOfDomains, { email, email_verified }: Claims): string {
  if (typeof email !== "string" || email_verified === false || email_verified === "false")
    throw new NoPlace("no-address");
  const address = email.trim().toLowerCase();
  if (!domains.includes(address.slice(address.lastIndexOf("@") + 1))) throw new NoPlace("no-address");
  return address;
}

/** The last administrator stays one, whatever groups say. Roles are of one sub-organization: people of others keep theirs. */
async function follow(
  tx: Tx,
  deps: Deps,
  provider: ProviderOfDomains,
  known: Known,
  role_id: number | null,
): Promise<void> {
  if (role_id === null) throw new NoPlace("no-role");
  if (role_id === known.role_id || known.sub_organization_id !== provider.sub_organization_id) return;
  try {
    await keepAnAdministrator(tx, known, known);
  } catch (error) {
    if (error instanceof Fault) return;
    throw error;
  }
  const columns = { role_id, granted_until: null, granted_by_token_id: null, lasting_role_id: null };
  await tx
    .updateTable("users")
    .set({ ...columns, last_updated: deps.clock.now().toISOString(), last_updated_by: known.email })
    .where("id", "=", known.id)
    .execute();
  await deps.api.audit(tx, deps.actorOf(known), {
    action: "update",
    resource: "users",
    resource_id: known.id,
    before: { email: known.email, role_id: known.role_id },
    after: { email: known.email, role_id, by: "groups of the identity provider" },
  });
}

async function create(
  tx: Tx,
  deps: Deps,
  provider: ProviderOfDomains,
  claims: Claims,
  role_id: number,
): Promise<Place> {
  const email = addressOf(provider, claims);
  const text = (claim: unknown) => (typeof claim === "string" ? claim.slice(0, 255) : null);
  const { sub_organization_id } = provider;
  const { id } = await tx
    .insertInto("users")
    .values({
      email,
      sub_organization_id,
      role_id,
      login_type: "username_and_password",
      skip_auth: true,
      first_name: text(claims.given_name),
      last_name: text(claims.family_name),
      last_updated: deps.clock.now().toISOString(),
      last_updated_by: email,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  const person = { id, sub_organization_id, email };
  await deps.api.audit(tx, deps.actorOf(person), {
    action: "create",
    resource: "users",
    resource_id: id,
    after: { email, role_id, by: "single sign-on" },
  });
  return person;
}

async function link(tx: Tx, clock: Clock, provider: ProviderOfDomains, { sub }: Claims, user_id: number) {
  await tx
    .insertInto("user_identities")
    .values({
      organization_id: provider.organization_id,
      issuer: provider.issuer,
      subject: sub,
      user_id,
      linked_at: clock.now().toISOString(),
    })
    // The person of an earlier link was deleted, and is back as somebody new.
    .onConflict((conflict) =>
      conflict.columns(["organization_id", "issuer", "subject"]).doUpdateSet({ user_id }),
    )
    .execute();
}

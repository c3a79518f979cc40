import { contactKeyRoutes } from "../address-book/contact-key.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import type { Vault } from "../base/crypto.ts";
import type { Db } from "../db/database.ts";
import { contactRoutes } from "./contact.ts";
import { contactChangeRoutes } from "./contact-changes.ts";
import { contactSourceRoutes } from "./contact-sources.ts";

/** People: their addresses, what is noted of them, and everything about them. */
export function addContacts(api: Api, deps: { db: Db; clock: Clock; vault: Vault }): void {
  contactRoutes(api, deps);
  contactChangeRoutes(api, deps);
  contactKeyRoutes(api, deps);
  contactSourceRoutes(api, deps);
}

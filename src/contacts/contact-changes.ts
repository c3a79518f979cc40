import { z } from "zod";
import { type ContactSeal, contactSeal, NO_SEAL, SEALED_WORD } from "../address-book/contact-seal.ts";
import {
  type ContactChange,
  findContact,
  insertContact,
  linkAddress,
  lockBook,
  removeContact,
  replaceFields,
  type ContactRecord as StoredContact,
  unlinkAddress,
} from "../address-book/contact-store.ts";
import type { Caller } from "../api/caller.ts";
import * as list from "../api/list.ts";
import { Deleted } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import type { Vault } from "../base/crypto.ts";
import { Fault } from "../base/errors.ts";
import type { Db, Tx } from "../db/database.ts";
import { refuseNational, refuseOwnAddress, spellingsOf } from "../erasure/person-address.ts";
import {
  AddressParam,
  ContactCreateRequest,
  ContactRecord,
  ContactUpdateRequest,
  contactList,
  fieldsOf,
  selectContacts,
} from "./contact-record.ts";
import { addressSpellings } from "./shown-contact.ts";

const CONTACTS = "/api/v1/contacts/";
const ONE = "/api/v1/contacts/:address";

/** Which fields a list has is the same for every sub-organization. */
const ANYBODY = 0;

const NOTHING = { name: null, timezone: null, language: null, notes: null, key: null };

/** Words that are sealed stay out of the audit log, which outlives the record. */
const audited = (contact: StoredContact, seal: ContactSeal): StoredContact => {
  const word = (text: string | null) => (text === null || seal.key_id === null ? text : SEALED_WORD);
  return { ...contact, name: word(contact.name), notes: word(contact.notes), key: word(contact.key) };
};

/** What is noted of a person, and which addresses are theirs. A contact is named by any of its addresses. */
export function contactChangeRoutes(
  api: Api,
  { db, clock, vault }: { db: Db; clock: Clock; vault: Vault },
): void {
  const tag = "contacts";
  const params = z.object({ address: AddressParam });

  /** One change of the book, under its lock. */
  const change = <T>(
    { sub_organization_id, email }: Caller,
    run: (tx: Tx, change: ContactChange) => Promise<T>,
  ): Promise<T> =>
    db.transaction().execute(async (tx) => {
      await lockBook(tx, sub_organization_id);
      const seal = await contactSeal(tx, vault, sub_organization_id);
      return run(tx, { sub_organization_id, seal, by: email, at: clock.now() });
    });

  const audit = (
    tx: Tx,
    caller: Caller,
    { seal }: ContactChange,
    action: "create" | "update" | "delete" | "link" | "unlink",
    [before, after]: [StoredContact | null, StoredContact | null],
  ) =>
    api.audit(tx, caller, {
      action,
      resource: tag,
      resource_id: (after ?? before)?.id ?? null,
      ...(before && { before: audited(before, seal) }),
      ...(after && { after: audited(after, seal) }),
    });

  /** The stored spelling; not one of the organization's own, which is everybody's. */
  async function newAddress(
    from: Db,
    { sub_organization_id: tenant }: Caller,
    given: string,
    place: (string | number)[],
  ) {
    const spellings = spellingsOf(given);
    await refuseNational(from, tenant, given, place);
    await refuseOwnAddress(from, { tenant, spellings });
    return spellings[0] as string;
  }

  async function existing(tx: Tx, { sub_organization_id }: Caller, given: string): Promise<StoredContact> {
    const address = addressSpellings(given)[0] as string;
    const found = await findContact(tx, sub_organization_id, address);
    if (found === null) throw new Fault("not-found", `No contact has the address ${address}.`);
    return found;
  }

  api.get(
    CONTACTS,
    {
      summary: "List contacts",
      description: `Those that somebody noted something of, that have several addresses, or that called or wrote where the organization has contacts made of inbound sessions; the one changed last first. Search \`address\` finds a whole number or e-mail address. Where the organization seals what people said, \`name\` finds whole names, and \`notes\` nothing. ${list.LONG}`,
      tag,
      permission: "sessions_read",
      query: list.listQuery(contactList(ANYBODY, NO_SEAL)),
      response: list.listOf(ContactRecord),
    },
    async ({ caller, query }) => {
      const { sub_organization_id } = caller;
      for (const [index, field] of query.search_fields.entries()) {
        const place = ["query", "search_field_values", index];
        if (field === "address")
          await refuseNational(db, sub_organization_id, query.search_field_values[index] ?? "", place);
      }
      const rules = contactList(sub_organization_id, await contactSeal(db, vault, sub_organization_id));
      return list.recordPage(ContactRecord, db, selectContacts(db, caller), query, rules);
    },
  );

  api.post(
    CONTACTS,
    {
      summary: "Create a contact",
      description:
        "Says that these addresses are one person's. An address that belongs to another contact is refused.",
      tag,
      permission: "outbound_write",
      body: ContactCreateRequest,
      response: ContactRecord,
      refusals: [409],
    },
    ({ caller, body }) =>
      change(caller, async (tx, by) => {
        const addresses = new Set<string>();
        for (const [n, given] of body.addresses.entries())
          addresses.add(await newAddress(tx, caller, given, ["body", "addresses", n]));
        const after = await insertContact(tx, fieldsOf(body), [...addresses], by);
        await audit(tx, caller, by, "create", [null, after]);
        return after;
      }),
  );

  api.put(
    ONE,
    {
      summary: "Replace what is noted of a person",
      description:
        "By any of their addresses, which stay as they are. A contact is created where the address has none.",
      tag,
      permission: "outbound_write",
      params,
      body: ContactUpdateRequest,
      response: ContactRecord,
      refusals: [409],
    },
    ({ caller, params, body }) =>
      change(caller, async (tx, by) => {
        const address = addressSpellings(params.address)[0] as string;
        const before = await findContact(tx, by.sub_organization_id, address);
        const after =
          before === null
            ? await insertContact(
                tx,
                fieldsOf(body),
                [await newAddress(tx, caller, params.address, ["path", "address"])],
                by,
              )
            : await replaceFields(tx, before.id, fieldsOf(body), by);
        await audit(tx, caller, by, before === null ? "create" : "update", [before, after]);
        return after;
      }),
  );

  api.delete(
    ONE,
    {
      summary: "Delete a contact",
      description:
        "What is noted of the person and the links between their addresses. What was said and decided stays, by address; to delete that, erase the person.",
      tag,
      permission: "outbound_delete",
      params,
      response: Deleted,
    },
    ({ caller, params }) =>
      change(caller, async (tx, by) => {
        const before = await existing(tx, caller, params.address);
        await removeContact(tx, before.id);
        await audit(tx, caller, by, "delete", [before, null]);
        return { success: true };
      }),
  );

  api.post(
    `${ONE}/addresses`,
    {
      summary: "Link an address to a person",
      description:
        "From then on, caps, opt-outs on all channels, the time zone, the page, exports and erasures of the one hold for the other. A contact is created where neither address has one. Refused where both have a contact: unlink the address there first.",
      tag,
      permission: "outbound_write",
      params,
      body: z.strictObject({ address: AddressParam }).meta({ id: "ContactLinkRequest" }),
      response: ContactRecord,
      refusals: [409],
    },
    ({ caller, params, body }) =>
      change(caller, async (tx, by) => {
        const named = addressSpellings(params.address)[0] as string;
        const one = await newAddress(tx, caller, named, ["path", "address"]);
        const other = await newAddress(tx, caller, body.address, ["body", "address"]);
        const { sub_organization_id } = caller;
        const own = await findContact(tx, sub_organization_id, one);
        const before = own ?? (await findContact(tx, sub_organization_id, other));
        const after =
          before === null
            ? await insertContact(tx, NOTHING, [...new Set([one, other])], by)
            : await linkAddress(tx, before, own === null ? one : other, by);
        await audit(tx, caller, by, before === null ? "create" : "link", [before, after]);
        return after;
      }),
  );

  api.delete(
    `${ONE}/addresses/:linked`,
    {
      summary: "Unlink an address from a person",
      description:
        "The address stands alone again; what was said at it stays. The only address of a contact is refused: delete the contact.",
      tag,
      permission: "outbound_write",
      params: z.object({ address: AddressParam, linked: AddressParam }),
      response: ContactRecord,
    },
    ({ caller, params }) =>
      change(caller, async (tx, by) => {
        const before = await existing(tx, caller, params.address);
        const address = addressSpellings(params.linked)[0] as string;
        if (!before.addresses.some((each) => each.address === address))
          throw new Fault("not-found", `${address} is not an address of this contact.`);
        const after = await unlinkAddress(tx, before, address, by);
        await audit(tx, caller, by, "unlink", [before, after]);
        return after;
      }),
  );
}

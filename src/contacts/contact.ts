import { Readable } from "node:stream";
import { sql } from "kysely";
import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import { queryInteger, timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import { invalid } from "../base/errors.ts";
import { readOutreachRules } from "../campaigns/outreach-rules.ts";
import { isNational, WITH_COUNTRY } from "../channels/address.ts";
import type { Db } from "../db/database.ts";
import { readContacts } from "../dialing/known/read-contacts.ts";
import { type AddressStanding, standingOf, suppressedOf, unknownStanding } from "./address-standing.ts";
import {
  type ContactEntry,
  type ContactPerson,
  ENTRY_KINDS,
  type EntryPlace,
  readEntries,
  type Visible,
} from "./contact-entries.ts";
import { AddressParam, ContactRecord } from "./contact-record.ts";
import { contactOf, type ShownContact } from "./shown-contact.ts";

const Entry = z
  .object({
    at: timestamp(),
    kind: z.enum(ENTRY_KINDS),
    id: z.string(),
    address: z.string().nullable().describe("The person's address that it is about."),
    channel: z.string().nullable(),
    direction: z.enum(["in", "out"]).nullable().describe("`in`: from the person."),
    text: z.string().describe("What was said, or what was decided and why."),
    status: z.string().nullable(),
    session_id: z.int().nullable(),
    campaign_id: z.int().nullable(),
    campaign_name: z.string().nullable(),
    batch_id: z.string().nullable(),
    reference_id: z.string().nullable(),
    messages: z
      .array(z.record(z.string(), z.unknown()))
      .optional()
      .describe("Of a session, in an export: its transcript."),
  })
  .meta({ id: "ContactEntry" });

const ContactSchema = z
  .object({
    address: z.string(),
    name: z.string().nullable().describe("The contact's name, else the one that the latest session had."),
    record: ContactRecord.nullable().describe("What is noted of the person; null: nothing yet."),
    addresses: z
      .array(
        z.object({
          address: z.string(),
          suppressed: z.array(z.string()).describe("Channels on which its own suppressions hold."),
          consents: z.array(z.string()),
        }),
      )
      .describe("All addresses of the person, the one asked for first."),
    suppressed: z
      .array(z.string())
      .describe(
        "Channels on which suppressions of the address hold, and those of the person's other addresses that hold for all of them; `all` is every channel.",
      ),
    consents: z.array(z.string()).describe("Of this address."),
    caps: z
      .array(
        z.object({
          channel: z.string(),
          attempts: z.int(),
          days: z.int(),
          used: z.int(),
        }),
      )
      .describe(
        "The organization's caps, and how many attempts to all addresses of the person count towards each now.",
      ),
    entries: z.array(Entry).describe("Newest first."),
    next: z.string().nullable().describe("Send it as `before` to read on; null: that was all."),
  })
  .meta({ id: "Contact" });

const ContactFile = z
  .object({
    address: z.string(),
    exported_at: timestamp(),
    record: ContactRecord.nullable(),
    entries: z.array(Entry),
  })
  .meta({ id: "ContactFile" });

const CONTACT = "/api/v1/contacts/:address";

/** Rows of an export in memory at once. */
const EXPORT_PAGE = 500;

/** A person by an address: everything that was said to and by them at all their addresses, and every decision about them. */
export function contactRoutes(api: Api, { db, clock }: { db: Db; clock: Clock }): void {
  const tag = "contacts";
  const params = z.object({ address: AddressParam });
  const opens = { resource: "contacts", by: "address" };

  api.get(
    CONTACT,
    {
      summary: "Show everything about a person",
      description:
        "By one of their addresses. Sessions, texts, mails, requests of campaigns and their attempts with reasons, consents and opt-outs, newest first, of all addresses that the contact links. What belongs to campaigns is left out without `outbound_read`. An address that nobody knows has no entries.",
      tag,
      permission: "sessions_read",
      params,
      query: z.object({
        before: z.string().max(200).nullish(),
        limit: queryInteger({ min: 1, max: 200 }).default(50),
      }),
      response: ContactSchema,
      opens,
    },
    async ({ caller, params, query }) => {
      const { contact, visible } = await shownTo(caller, params.address);
      const from = query.before ? readPlace(query.before) : null;
      const { entries, next } = await readPage(db, contact, {
        visible,
        from,
        limit: query.limit,
        now: clock.now(),
      });
      return { ...(await headOf(caller, contact, visible)), entries, next };
    },
  );

  api.get(
    `${CONTACT}/export`,
    {
      summary: "Export everything about a person",
      description:
        "One JSON file: all entries, and the transcripts of all sessions. Streamed, so a person may have any number of them.",
      tag,
      permission: "sessions_read",
      params,
      response: ContactFile,
      produces: "application/json",
      opens,
    },
    async ({ caller, params, reply }) => {
      const { contact, visible } = await shownTo(caller, params.address);
      reply
        .type("application/json; charset=utf-8")
        .header("content-disposition", 'attachment; filename="person.json"');
      return Readable.from(exportOf(contact, visible), { objectMode: false });
    },
  );

  /** A number without its country is nobody's, unless something is stored under what was written. */
  async function shownTo(caller: Caller, given: string) {
    const contact = await contactOf(db, caller, given);
    const visible = visibleTo(caller);
    if (contact.record === null && isNational(given)) {
      const first = { visible, from: null, limit: 1, now: clock.now() };
      const { entries } = await readPage(db, contact, first);
      if (entries.length === 0) throw invalid(["path", "address"], WITH_COUNTRY);
    }
    return { contact, visible };
  }

  async function headOf(caller: Caller, contact: ShownContact, visible: Visible) {
    const { address, record } = contact;
    const { rows: named } = await sql<{ user_name: string }>`
      select user_name from sessions
      where sub_organization_id = ${contact.tenant} and source = any(${contact.spellings}::text[])
        and user_name is not null
      order by timestamp desc limit 1`.execute(db);
    const name = record?.name ?? named[0]?.user_name ?? null;
    const addresses = visible.outbound ? await standingOf(db, contact) : unknownStanding(contact);
    const { consents } = addresses[0] as AddressStanding;
    return {
      address,
      name,
      record,
      addresses,
      consents,
      suppressed: visible.outbound ? await suppressedOf(db, contact) : [],
      caps: visible.outbound ? await capsOf(caller, contact) : [],
    };
  }

  async function capsOf({ organization_id }: Caller, { addresses }: ShownContact) {
    const now = clock.now();
    const rules = await readOutreachRules(db, organization_id);
    const contacts = await readContacts(
      db,
      addresses.map((target) => ({ organization_id, target, rules })),
      now,
    );
    const past = addresses.flatMap((target) => [...contacts.with({ organization_id }, target)]);
    return rules.caps.map((cap) => ({
      ...cap,
      used: past.filter(
        ({ channel, at }) =>
          (cap.channel === "any" || cap.channel === channel) &&
          now.getTime() - at.getTime() < cap.days * 86_400_000,
      ).length,
    }));
  }

  async function* exportOf(contact: ShownContact, visible: Visible): AsyncGenerator<string> {
    const now = clock.now();
    yield `{"address":${JSON.stringify(contact.address)},"exported_at":"${now.toISOString()}","record":${JSON.stringify(contact.record)},"entries":[`;
    let from: EntryPlace | null = null;
    let before = "";
    do {
      const page: Awaited<ReturnType<typeof readPage>> = await readPage(db, contact, {
        visible,
        from,
        limit: EXPORT_PAGE,
        now,
      });
      for (const entry of page.entries) {
        yield `${before}\n${JSON.stringify(entry.kind === "session" ? { ...entry, messages: await transcriptOf(entry) } : entry)}`;
        before = ",";
      }
      from = page.next === null ? null : readPlace(page.next);
    } while (from !== null);
    yield "\n]}\n";
  }

  const transcriptOf = async ({ session_id }: ContactEntry) => {
    const { rows } = await sql`
      select role, text, timestamp, written_by from session_messages where session_id = ${session_id} order by seq`.execute(
      db,
    );
    return rows;
  };
}

async function readPage(
  db: Db,
  contact: ContactPerson,
  { visible, from, limit, now }: { visible: Visible; from: EntryPlace | null; limit: number; now: Date },
) {
  const rows = await readEntries(db, contact, { visible, from, most: limit + 1, now });
  const entries = rows.slice(0, limit);
  const last = entries.at(-1);
  return { entries, next: rows.length > limit && last ? `${last.at}~${last.kind}~${last.id}` : null };
}

function readPlace(text: string): EntryPlace {
  const [at = "", kind = "", id = ""] = text.split("~");
  const known = ENTRY_KINDS.find((each) => each === kind);
  if (
    known === undefined ||
    !/^[\w-]{1,60}$/.test(id) ||
    !/^\d{4}-\d\d-\d\dT[\d:.]{5,20}(?:Z|[+-]\d\d:\d\d)$/.test(at) ||
    Number.isNaN(Date.parse(at))
  )
    throw invalid(["query", "before"], "Use `next` of the page before.");
  return { at, kind: known, id };
}

const visibleTo = ({ permissions }: Caller): Visible => ({
  sessions: true,
  outbound: permissions.has("outbound_read"),
});

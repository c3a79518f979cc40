import { createHash } from "node:crypto";

/*
 * The audit trail as a chain: a link signs its entry and the link before, so an entry that is changed, left out or put in
 * between later shows. The key isn't in the database, so somebody who can only write there can't make links. Pure;
 * decision 0140.
 */

/** An entry as its link covers it; times and documents as PostgreSQL prints them. */
export type ChainedEntry = {
  id: number;
  sub_organization_id: number;
  at: string;
  actor: string;
  user_id: number | null;
  api_token_id: number | null;
  address: string | null;
  request_id: string | null;
  action: string;
  resource: string;
  resource_id: string | null;
  before: string | null;
  after: string | null;
};

export type AuditLink = {
  position: number;
  entry_id: number;
  /** What an erasure leaves: who, when, from where, which act. */
  kept_digest: string;
  /** The record's id and how it looked: what an erasure blanks. */
  content_digest: string;
  link: string;
};

export type Sign = (text: string) => string;

/** The link before the first. */
export const NO_LINK = { position: 0, link: "" };

export function linkAfter(
  sign: Sign,
  tenant: number,
  before: { position: number; link: string },
  entry: ChainedEntry,
): AuditLink {
  const unsigned = {
    position: before.position + 1,
    entry_id: entry.id,
    kept_digest: keptDigest(entry),
    content_digest: contentDigest(entry),
  };
  return { ...unsigned, link: signed(sign, tenant, before.link, unsigned) };
}

const keptDigest = (entry: ChainedEntry): string =>
  digest([
    entry.sub_organization_id,
    entry.at,
    entry.actor,
    entry.user_id,
    entry.api_token_id,
    entry.address,
    entry.request_id,
    entry.action,
    entry.resource,
  ]);

const contentDigest = (entry: ChainedEntry): string => digest([entry.resource_id, entry.before, entry.after]);

/** What an erased person's or a deleted session's entries hold instead (`erasure/person-stores.ts`). */
const isBlanked = (entry: ChainedEntry): boolean =>
  entry.before === null && entry.after === '{"deleted": true}';

const digest = (values: unknown[]): string =>
  createHash("sha256").update(JSON.stringify(values)).digest("base64url");

const signed = (sign: Sign, tenant: number, before: string, of: Omit<AuditLink, "link">): string =>
  sign(JSON.stringify([tenant, of.position, before, of.entry_id, of.kept_digest, of.content_digest]));

export type ChainFault = {
  position: number;
  entry_id: number | null;
  fault: "changed" | "missing" | "out_of_place" | "forged";
};

export type CheckedLinks = {
  /** Entries that are as they were when they were linked. */
  intact: number;
  /** Entries whose content an erasure took; who did what and when is as it was. */
  blanked: number;
  /** Entries that retention deleted. */
  deleted: number;
  faults: ChainFault[];
  last: { position: number; link: string };
};

type StoredLink = AuditLink & { entry: ChainedEntry | null; may_be_deleted: boolean };

/**
 * Compares a run of links, in their order, with the link before them and with the entries they name. `signs`: by each key that
 * they may have been made with.
 */
export function checkLinks(
  signs: readonly Sign[],
  tenant: number,
  before: { position: number; link: string },
  links: StoredLink[],
): CheckedLinks {
  const found: CheckedLinks = { intact: 0, blanked: 0, deleted: 0, faults: [], last: before };
  for (const link of links) {
    const { position, entry_id, entry } = link;
    const wrong = (fault: ChainFault["fault"]) => found.faults.push({ position, entry_id, fault });
    // A gap is told once, at the link that follows it.
    if (position !== found.last.position + 1) wrong("out_of_place");
    else if (!signs.some((sign) => link.link === signed(sign, tenant, found.last.link, link)))
      wrong("forged");
    else if (entry === null) {
      if (link.may_be_deleted) found.deleted += 1;
      else wrong("missing");
    } else if (keptDigest(entry) !== link.kept_digest) wrong("changed");
    else if (contentDigest(entry) === link.content_digest) found.intact += 1;
    else if (isBlanked(entry)) found.blanked += 1;
    else wrong("changed");
    found.last = { position, link: link.link };
  }
  return found;
}

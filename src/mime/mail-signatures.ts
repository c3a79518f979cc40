import { MOST_HEADER_bytes } from "./mail-text.ts";

/** What the DNS answered about a key: its records, or the code that `dns.resolve` rejected with. */
export type KeyRecords = Record<string, { records: string[] | string[][] } | { code: string }>;

/** Whose signatures hold, in words; `wanted`: the names of keys that are still to be looked up to say so. */
export type CheckedSignatures = { said: string; wanted: string[] };

/** Honest mails have one to three; each costs a look-up and a pass over the mail. */
const MOST_SIGNATURES = 8;

/**
 * Whose signatures a mail bears (DKIM, RFC 6376), as SendGrid writes it: `{@example.com : pass, @list.example : fail}`. A
 * thread of its own calls this, since somebody may have written a mail that it takes long over; that thread asks no name
 * servers, so whoever calls it looks up what is wanted and calls it again.
 */
export async function checkSignatures(raw: Buffer, keys: KeyRecords): Promise<CheckedSignatures> {
  if (signaturesIn(raw) > MOST_SIGNATURES)
    return { said: `more than ${MOST_SIGNATURES} signatures: none was checked`, wanted: [] };
  const wanted = new Set<string>();
  const resolver = async (name: string) => {
    const known = Object.hasOwn(keys, name) ? keys[name] : undefined;
    if (!known) wanted.add(name);
    if (known && "records" in known) return known.records;
    throw Object.assign(new Error(name), { code: known?.code ?? "ETIMEOUT" });
  };
  try {
    // Loaded with the first mail: it takes half a second and 36 MB, for those who take mails in themselves.
    const { dkimVerify } = await import("mailauth/lib/dkim/verify.js");
    const { results, fromFields } = await dkimVerify(raw, { resolver, strict: true });
    // Which of them a reader is shown, and which one is signed, need not be the same.
    if (fromFields !== 1) return { said: `${fromFields} From headers: no signature counts`, wanted: [] };
    const found = results.flatMap(({ signingDomain, status }) =>
      DOMAIN.test(signingDomain ?? "")
        ? // A signature of the beginning of a mail says nothing of what follows it.
          [`@${signingDomain} : ${status.underSized ? "fail" : status.result}`]
        : [],
    );
    return { said: found.length === 0 ? "none" : `{${found.join(", ")}}`, wanted: [...wanted] };
  } catch {
    return { said: "temperror", wanted: [] };
  }
}

/** What somebody wrote into a signature must not look like our own words about it. */
const DOMAIN = /^[a-z0-9.-]{1,253}$/i;

function signaturesIn(raw: Buffer): number {
  const header = raw.subarray(0, MOST_HEADER_bytes).toString("latin1");
  const end = header.search(/\r?\n\r?\n/);
  return [
    ...header.slice(0, end < 0 ? undefined : end).matchAll(/^(dkim-signature|arc-message-signature):/gim),
  ].length;
}

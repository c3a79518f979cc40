import { Resolver } from "node:dns/promises";
import type { SenderChecks } from "./mail-authenticity.ts";

/** One question to the DNS: records as `dns.resolve` gives them; rejects with its codes. */
export type LookUp = (name: string, type: string) => Promise<string[] | string[][]>;

/** Who handed a mail to our own listener: where the connection came from, and the name it gave itself. */
export type MailClient = { address: string; name: string };

/** SPF asks for ten names by its own limits, some of them of several kinds, and each signature for one. */
const MOST_LOOKUPS = 40;
const MOST_MS = 10_000;
/** Honest mails have one to three; each costs a look-up and a pass over the mail. */
const MOST_SIGNATURES = 8;
const MOST_HEADER_bytes = 256 * 1024;

/*
 * The library is loaded with the first mail: it takes half a second and 36 MB, for those who take mails in themselves.
 */

/**
 * Whether the server that handed a mail over may send for the domain of its envelope (SPF, RFC 7208), and whose signatures
 * it bears (DKIM, RFC 6376). What can't be found out in time is told as such and proves nothing; this never rejects.
 */
export async function checkSender(
  raw: Buffer,
  envelope_from: string,
  client: MailClient,
  lookUp: LookUp,
  longest_ms = MOST_MS,
): Promise<SenderChecks> {
  const bounded = boundedLookUp(lookUp, longest_ms);
  try {
    const [server, signatures] = await Promise.all([
      checkServer(envelope_from, client, bounded.lookUp, longest_ms),
      checkSignatures(raw, bounded.lookUp),
    ]);
    return { envelope_from, spf: server, dkim: signatures };
  } finally {
    bounded.end();
  }
}

/** The words of RFC 8601: pass, fail, softfail, neutral, none, temperror, permerror. */
async function checkServer(
  sender: string,
  client: MailClient,
  resolver: LookUp,
  maxElapsedTime: number,
): Promise<string> {
  try {
    const asked = { sender, ip: client.address, helo: client.name, mta: "parley", resolver, maxElapsedTime };
    const { spf } = await import("mailauth/lib/spf/index.js");
    return (await spf(asked)).status.result;
  } catch {
    return "temperror";
  }
}

/** As SendGrid writes it: `{@example.com : pass, @list.example : fail}`. */
async function checkSignatures(raw: Buffer, resolver: LookUp): Promise<string> {
  if (signaturesIn(raw) > MOST_SIGNATURES) return `more than ${MOST_SIGNATURES} signatures: none was checked`;
  try {
    const { dkimVerify } = await import("mailauth/lib/dkim/verify.js");
    const { results, fromFields } = await dkimVerify(raw, { resolver, strict: true });
    // Which of them a reader is shown, and which one is signed, need not be the same.
    if (fromFields !== 1) return `${fromFields} From headers: no signature counts`;
    const found = results.flatMap(({ signingDomain, status }) =>
      DOMAIN.test(signingDomain ?? "")
        ? // A signature of the beginning of a mail says nothing of what follows it.
          [`@${signingDomain} : ${status.underSized ? "fail" : status.result}`]
        : [],
    );
    return found.length === 0 ? "none" : `{${found.join(", ")}}`;
  } catch {
    return "temperror";
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

/** Refuses, as a DNS server that doesn't answer would, what is asked too often or takes too long. */
function boundedLookUp(lookUp: LookUp, longest_ms: number): { lookUp: LookUp; end(): void } {
  const unanswered = (why: string) => Object.assign(new Error(why), { code: "ETIMEOUT" });
  const late = Promise.withResolvers<never>();
  late.promise.catch(() => {});
  const timer = setTimeout(() => late.reject(unanswered("the look-ups took too long")), longest_ms);
  let left = MOST_LOOKUPS;
  return {
    lookUp: async (name, type) => {
      if (left-- <= 0) throw unanswered("too many look-ups");
      return Promise.race([lookUp(name, type), late.promise]);
    },
    end: () => clearTimeout(timer),
  };
}

/** The machine's own name servers; each is waited for two seconds, twice. */
export function systemLookUp(): LookUp {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  return (name, type) => resolver.resolve(name, type) as ReturnType<LookUp>;
}

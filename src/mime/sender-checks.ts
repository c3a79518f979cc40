import { Resolver } from "node:dns/promises";
import type { SenderChecks } from "./mail-authenticity.ts";
import { type MailReader, UnreadableMail } from "./mail-reader.ts";
import type { KeyRecords } from "./mail-signatures.ts";

/** One question to the DNS: records as `dns.resolve` gives them; rejects with its codes. */
export type LookUp = (name: string, type: string) => Promise<string[] | string[][]>;

/** Who handed a mail to our own listener: where the connection came from, and the name it gave itself. */
export type MailClient = { address: string; name: string };

/** SPF asks for ten names by its own limits, some of them of several kinds, and each signature for one. */
const MOST_LOOKUPS = 40;
const MOST_MS = 10_000;

type SignatureReader = Pick<MailReader, "signatures">;

/**
 * Whether the server that handed a mail over may send for the domain of its envelope (SPF, RFC 7208), and whose signatures
 * it bears (DKIM, RFC 6376). What can't be found out in time is told as such and proves nothing. Rejects only where there is
 * no room to look at the mail now.
 */
export async function checkSender(
  raw: Buffer,
  envelope_from: string,
  client: MailClient,
  parts: { lookUp: LookUp; reader: SignatureReader },
  longest_ms = MOST_MS,
): Promise<SenderChecks> {
  const bounded = boundedLookUp(parts.lookUp, longest_ms);
  try {
    const [server, signatures] = await Promise.all([
      checkServer(envelope_from, client, bounded.lookUp, longest_ms),
      checkSignatures(raw, bounded.lookUp, parts.reader),
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
    // Loaded with the first mail: it takes half a second and 36 MB, for those who take mails in themselves.
    const { spf } = await import("mailauth/lib/spf/index.js");
    return (await spf(asked)).status.result;
  } catch {
    return "temperror";
  }
}

/** The thread says which keys it needs, is told what the DNS knows of them, and judges. */
async function checkSignatures(raw: Buffer, lookUp: LookUp, reader: SignatureReader): Promise<string> {
  try {
    const { said, wanted } = await reader.signatures(raw, {});
    if (wanted.length === 0) return said;
    const found = await Promise.all(
      wanted.map(async (name) => [name, await keyRecord(name, lookUp)] as const),
    );
    return (await reader.signatures(raw, Object.fromEntries(found))).said;
  } catch (error) {
    // A mail that takes too long over proves nothing by its signatures; one that there is no room for comes again.
    if (error instanceof UnreadableMail) return "too much work: no signature counts";
    throw error;
  }
}

async function keyRecord(name: string, lookUp: LookUp): Promise<KeyRecords[string]> {
  try {
    return { records: await lookUp(name, "TXT") };
  } catch (error) {
    const { code } = (error ?? {}) as { code?: unknown };
    return { code: typeof code === "string" ? code : "ESERVFAIL" };
  }
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

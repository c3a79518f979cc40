import { storableText } from "../base/storable.ts";

/** What the server that received a mail found, in its own words: "pass", "softfail"; "{@example.com : pass}". */
export type SenderChecks = { envelope_from: string | null; spf: string | null; dkim: string | null };

/**
 * Whether a mail is from whom it says it is. `proven`: SPF or DKIM holds for the domain of its From; `unproven`: neither
 * does, so anybody may have written it; `unchecked`: nobody looked.
 */
export type Authenticity = {
  verdict: "proven" | "unproven" | "unchecked";
  spf: string | null;
  dkim: string | null;
};

const LONGEST = 500;

/**
 * The question of DMARC (RFC 7489 §3.1) without its policy: what a domain wants done with forged mails doesn't matter to
 * what one may do here. SPF speaks for the domain of the envelope, DKIM for those that signed; either counts where it is
 * the From's domain, one above it or one below it. Siblings don't count: that would need the list of public suffixes.
 */
export function judgeSender(from: string, checks: SenderChecks | null): Authenticity {
  const spf = checks?.spf ? storableText(checks.spf.slice(0, LONGEST)) : null;
  const dkim = checks?.dkim ? storableText(checks.dkim.slice(0, LONGEST)) : null;
  if (spf === null && dkim === null) return { verdict: "unchecked", spf, dkim };
  const domain = domainOf(from);
  const vouching = signedBy(dkim ?? "");
  if (spf?.trim().toLowerCase() === "pass") vouching.push(domainOf(checks?.envelope_from ?? ""));
  return {
    verdict: vouching.some((each) => isOneOrganization(each, domain)) ? "proven" : "unproven",
    spf,
    dkim,
  };
}

const domainOf = (address: string): string => address.slice(address.lastIndexOf("@") + 1).toLowerCase();

/** `{@example.com : pass, @list.example : fail}` */
const signedBy = (dkim: string): string[] =>
  [...dkim.matchAll(/@([^\s:,{}]+)\s*:\s*pass\b/gi)].map(([, domain = ""]) => domain.toLowerCase());

/** A domain of one label vouches for nobody. */
function isOneOrganization(a: string, b: string): boolean {
  if (!a.includes(".") || !b.includes(".")) return false;
  return a === b || a.endsWith(`.${b}`) || b.endsWith(`.${a}`);
}

/** One thing the doctor looked at: fine, or a sentence that says what to do. */
export type Finding = { check: string; status: "ok" | "warning" | "problem"; message: string };

/** What to do about a certificate that this machine does not trust. */
export const OWN_CA =
  'Name the file of the CA that signed it in NODE_EXTRA_CA_CERTS (docs/running.md, "A CA of your own, and proxies").';

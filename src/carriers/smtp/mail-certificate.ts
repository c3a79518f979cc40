import { readFile } from "node:fs/promises";
import { createSecureContext } from "node:tls";
import { errorText, Fault } from "../../base/errors.ts";

/** Of the built-in SMTP server: the files that MAIL_TLS_CERT and MAIL_TLS_KEY name; null without them. */
export async function readMailCertificate(
  named: { key_file: string; cert_file: string } | null,
): Promise<{ key: string; cert: string } | null> {
  if (named === null) return null;
  try {
    const [key, cert] = await Promise.all([
      readFile(named.key_file, "utf8"),
      readFile(named.cert_file, "utf8"),
    ]);
    // Two that don't fit, or are no PEM, would fail the server in words of OpenSSL.
    createSecureContext({ key, cert });
    return { key, cert };
  } catch (cause) {
    throw new Fault(
      "unavailable",
      `MAIL_TLS_CERT (${named.cert_file}) and MAIL_TLS_KEY (${named.key_file}) can't be used: ${errorText(cause)}. They are the PEM files of a certificate and of its key.`,
      { cause },
    );
  }
}

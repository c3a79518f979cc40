/**
 * The sites that may show a web chat in a frame, as an operator writes them down:
 * `https://clinic.example, https://www.clinic.example`. They end up in a Content-Security-Policy, where a semicolon
 * would begin a directive of its own: an origin has a plain host name or none of it is taken.
 */
type AllowedOrigins = { origins: string[]; faults: string[] };

const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9-]+(\.[a-z0-9-]+)*)(:\d+)?$/;
/** A developer's own machine has no certificate. */
const LOCAL = ["localhost", "127.0.0.1", "[::1]"];

export function parseAllowedOrigins(text: string): AllowedOrigins {
  const found: AllowedOrigins = { origins: [], faults: [] };
  for (const part of text.split(",")) {
    const written = part.trim();
    if (written === "") continue;
    const origin = originOf(written);
    if (origin === null) {
      found.faults.push(`"${written}" is not an https origin such as https://www.example.com`);
    } else if (!found.origins.includes(origin)) found.origins.push(origin);
  }
  return found;
}

function originOf(written: string): string | null {
  if (!URL.canParse(written)) return null;
  const url = new URL(written);
  const secure = url.protocol === "https:" || (url.protocol === "http:" && LOCAL.includes(url.hostname));
  // More than an origin (a path, a user) means something else was meant.
  return secure && HOST.test(url.host) && url.href === `${url.origin}/` ? url.origin : null;
}

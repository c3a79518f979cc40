/** What ids and words of our own paths are made of. */
const PLAIN = /^[\w.:~-]{0,40}$/;
/** As many digits as a national number has; ids don't come to that. */
const NUMBER = /^\d{10,}$/;

/**
 * A path as the log has it: without its query, and without what may be an address of somebody, or a token: an
 * erasure reaches no log. Pure.
 */
export const loggedPath = (url: string): string =>
  (url.split("?")[0] ?? "")
    .split("/")
    .map((part) => (PLAIN.test(part) && !NUMBER.test(part) ? part : "…"))
    .join("/");

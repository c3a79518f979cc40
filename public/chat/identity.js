// @ts-check
/**
 * Who the visitor is, as the site that shows the chat has signed it: a JWT behind the `#` of the page's address, which
 * browsers send to no server. It is checked by ours; the page only reads whose it is.
 */

/** Taken out of the address, so that a link to the chat that somebody passes on doesn't hold it. @returns {string | null} */
export function takeIdentity() {
  const token = new URLSearchParams(location.hash.slice(1)).get("identity");
  if (!token) return null;
  history.replaceState(history.state, "", location.pathname + location.search);
  return token;
}

/** Of a token that can't be read, the token itself: it is another one's each time. @param {string} token */
export function userOf(token) {
  try {
    const claims = (token.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/");
    const bytes = Uint8Array.from(atob(claims), (character) => character.charCodeAt(0));
    return String(JSON.parse(new TextDecoder().decode(bytes)).sub);
  } catch {
    return token;
  }
}

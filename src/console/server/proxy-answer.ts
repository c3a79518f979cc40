/*
 * Between the browser and the program stand proxies, gateways and sign-in pages of networks, which answer in its place.
 * What they say is meant for programs, so the page says what a person can do.
 */

/** Of a failure that carries no words of the program's own. */
export function proxyFailure(status: number): string {
  switch (status) {
    case 413:
      return "A proxy in front of Parley refused this as too large (413). Send less at once, or ask who runs it to allow more.";
    case 429:
      return "Too many requests at once (429). Wait a minute, then try again.";
    case 504:
      return "Parley did not answer in time (504). It may still finish: look whether it did before you try again.";
  }
  return status >= 500
    ? `Parley is not available at the moment (${status}). Try again in a moment.`
    : `A proxy in front of Parley refused the request (${status}). Ask who runs it.`;
}

/** Of a page that came with status 200, where the program sends data. */
export const FOREIGN_PAGE =
  "A page of your network or of a proxy came in place of Parley's answer. Open Parley in a new tab, sign in there if you are asked, then try again.";

/** Of an answer whose end is missing. */
export const HALF_ANSWER = "The answer was cut off on its way. Try again in a moment.";

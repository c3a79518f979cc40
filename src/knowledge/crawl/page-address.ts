/** What is not a page: it would be fetched for nothing. */
const NO_PAGE =
  /\.(jpe?g|png|gif|webp|avif|svg|ico|bmp|tiff?|css|js|mjs|json|xml|rss|atom|woff2?|ttf|eot|mp[34]|m4[av]|webm|ogg|wav|avi|mov|zip|gz|tgz|rar|7z|exe|dmg|iso|apk|xlsx?|pptx?|csv|ics)$/i;
/** Parameters that name the reader and not the page. */
const TRACKING = /^(utm_\w+|gclid|fbclid|msclkid|mc_[ce]id|_ga|phpsessid|jsessionid|sid)$/i;
const MOST_ADDRESS = 1_000;

/** The address by which a page is known, of a link on another; null for what leads out of the site or to no page. */
export function pageAddress(link: string, base: string, origin: string): string | null {
  const url = URL.parse(link.trim(), base);
  if (!url || (url.protocol !== "http:" && url.protocol !== "https:")) return null;
  if (url.origin !== origin || url.username || url.password) return null;
  if (NO_PAGE.test(url.pathname)) return null;
  url.hash = "";
  for (const name of [...url.searchParams.keys()]) if (TRACKING.test(name)) url.searchParams.delete(name);
  const address = url.href.replace(/\?$/, "");
  return address.length <= MOST_ADDRESS ? address : null;
}

/** What a site's robots.txt judges of an address. */
export function robotsPath(address: string): string {
  const { pathname, search } = new URL(address);
  return pathname + search;
}

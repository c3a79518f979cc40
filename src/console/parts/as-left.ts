/**
 * How each page was left: the search, filters and order of its lists, and the view that was shown. In memory, so a name that
 * somebody searched for is gone with the tab.
 */
const left = new Map<string, string>();

export const rememberPage = (pathname: string, search: string): void => void left.set(pathname, search);

/** The address as it was left, where that is still the view that it names. Pure but for what is remembered. */
export function asLeft(to: string): string {
  const [pathname = "", asked] = to.split("?");
  const search = new URLSearchParams(left.get(pathname));
  const isThere = [...new URLSearchParams(asked)].every(([name, value]) => search.get(name) === value);
  return isThere && search.size > 0 ? `${pathname}?${search}` : to;
}

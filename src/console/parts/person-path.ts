/** The page with everything about one address. */
export const personPath = (address: string): string => `/contacts/${encodeURIComponent(address)}`;

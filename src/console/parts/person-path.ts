/** The page with everything about one address. */
export const personPath = (address: string): string => `/contacts/${encodeURIComponent(address)}`;

/** The number or mail address that somebody typed, such as "+1 (212) 555-0123"; null for other words. */
export function addressIn(text: string): string | null {
  const address = text.includes("@") ? text.trim() : text.replace(/[\s().-]/g, "");
  return /^\+?\d{5,15}$|^\S+@\S+$/.test(address) ? address : null;
}

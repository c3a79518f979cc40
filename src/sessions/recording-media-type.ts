/** The type a download has unless its reader says otherwise, as the specification declares it. */
export const DOWNLOAD_TYPE = "application/octet-stream";

/**
 * The type a recording is answered with: its own where the reader prefers sound, as a player does. Chrome's and Safari's
 * players accept anything alike, so what the browser says the answer is for counts too. Pure.
 */
export function recordingMediaType(
  stored: string,
  { accept, "sec-fetch-dest": destination }: { accept?: string; "sec-fetch-dest"?: string | string[] },
): string {
  if (destination === "audio" || destination === "video") return stored;
  if (accept === undefined) return DOWNLOAD_TYPE;
  return quality(accept, stored) > quality(accept, DOWNLOAD_TYPE) ? stored : DOWNLOAD_TYPE;
}

/** RFC 9110, 12.5.1: the most specific range that covers the type says how much it is wanted. */
function quality(accept: string, type: string): number {
  const [kind] = type.split("/");
  const ranges = new Map(
    accept.split(",").map((range) => {
      const [name = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
      const q = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
      return [name, q === undefined ? 1 : Number(q) || 0];
    }),
  );
  return ranges.get(type) ?? ranges.get(`${kind}/*`) ?? ranges.get("*/*") ?? 0;
}

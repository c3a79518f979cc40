/** The default media type of a download, by the specification. */
export const DOWNLOAD_TYPE = "application/octet-stream";

/**
 * The media type of a recording's response: its own type when the client prefers audio, as players do. Chrome's and Safari's
 * players accept any type, so the request's Sec-Fetch-Dest counts too. Pure.
 */
export function recordingMediaType(
  stored: string,
  { accept, "sec-fetch-dest": destination }: { accept?: string; "sec-fetch-dest"?: string | string[] },
): string {
  if (destination === "audio" || destination === "video") return stored;
  if (accept === undefined) return DOWNLOAD_TYPE;
  return quality(accept, stored) > quality(accept, DOWNLOAD_TYPE) ? stored : DOWNLOAD_TYPE;
}

/** RFC 9110, 12.5.1: the quality of the most specific range that matches the type. */
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

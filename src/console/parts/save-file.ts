/** Hands a file to the browser to be kept. */
export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = Object.assign(document.createElement("a"), { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), KEPT_ms);
}

/** Long enough for a browser to begin with it. */
const KEPT_ms = 10_000;

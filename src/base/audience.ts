/** Who may see a page that is for those who operate the installation, not for its users. */
export type Audience = "everyone" | "private" | "off";
export const AUDIENCES: Audience[] = ["everyone", "private", "off"];

/** /metrics and /docs; `listen`: an address of their own, where they are then answered and nowhere else. */
export type InternalPages = {
  metrics: Audience;
  docs: Audience;
  listen: { host: string; port: number } | null;
};

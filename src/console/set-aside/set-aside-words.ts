import type { SetAsideJob } from "../api-types.ts";

const JOBS: Record<string, string> = {
  "go-on-with-texts": "Text message",
  "go-on-with-mails": "E-mail",
  "call-session-end-tool": "End tool",
  "fetch-recording": "Recording",
  "make-takeout": "Export",
  "embed-source": "Data source embedding",
};

/** What was done, in words: "E-mail", "Insight: Summary". */
export function kindWords({ kind, name }: Pick<SetAsideJob, "kind" | "name">): string {
  switch (kind) {
    case "job":
      return JOBS[name] ?? name;
    case "insight-execution":
      return `Insight: ${name}`;
    case "web-chat":
      return `Web chat: ${name}`;
  }
}

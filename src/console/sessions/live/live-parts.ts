/** A piece of a turn that runs. */
export type LivePart =
  | { kind: "words"; id: string; source: "agent" | "user"; text: string; final: boolean }
  | { kind: "tool"; id: string; name: string; error: string | null; duration_ms: number | null };

type TurnNews = { event: string; data: unknown };

/** The pieces after an event of a turn's stream (`POST /api/v1/agents/test/messages`). Pure. */
export function withNews(parts: readonly LivePart[], { event, data }: TurnNews): readonly LivePart[] {
  const told = data as {
    text: string;
    tool_call_id: string;
    tool_name: string;
    error: string | null;
    duration_ms: number;
  };
  const written = parts.at(-1);
  const isOpen = written?.kind === "words" && !written.final;
  const words = (text: string, final: boolean): LivePart[] => {
    const id = isOpen ? written.id : `words ${parts.length}`;
    return [...(isOpen ? parts.slice(0, -1) : parts), { kind: "words", id, source: "agent", text, final }];
  };
  switch (event) {
    case "delta":
      return words((isOpen ? written.text : "") + told.text, false);
    // What is stored stands in place of what was written so far: it may have been withheld in part.
    case "message":
      return words(told.text, true);
    case "aside":
      return [
        ...parts,
        { kind: "words", id: `aside ${parts.length}`, source: "agent", text: told.text, final: true },
      ];
    case "tool_call":
      return [
        ...parts,
        { kind: "tool", id: told.tool_call_id, name: told.tool_name, error: null, duration_ms: null },
      ];
    case "tool_result":
      return parts.map((part) =>
        part.kind === "tool" && part.id === told.tool_call_id
          ? { ...part, error: told.error, duration_ms: told.duration_ms }
          : part,
      );
    default:
      return parts;
  }
}

/**
 * The pieces after words were heard on a call; words that are not final are replaced by the next of the same side, and go
 * where those are empty. Pure.
 */
export function withCaption(
  parts: readonly LivePart[],
  { role, text, final }: { role: "user" | "agent"; text: string; final: boolean },
): readonly LivePart[] {
  const at = parts.findLastIndex((part) => part.kind === "words" && part.source === role && !part.final);
  const before = parts[at];
  if (text === "") return parts.filter((part) => part !== before);
  const part: LivePart = {
    kind: "words",
    id: before?.id ?? `words ${parts.length}`,
    source: role,
    text,
    final,
  };
  return at < 0 ? [...parts, part] : parts.with(at, part);
}

/** The pieces after the agent's words became others, in their order; empty ones go. Pure. */
export function withAgentWords(
  parts: readonly LivePart[],
  change: (texts: string[]) => string[],
): readonly LivePart[] {
  const isAgents = (part: LivePart) => part.kind === "words" && part.source === "agent";
  const texts = change(parts.flatMap((part) => (part.kind === "words" && isAgents(part) ? [part.text] : [])));
  return parts.flatMap((part) => {
    if (part.kind !== "words" || !isAgents(part)) return [part];
    const text = texts.shift() ?? "";
    return text === "" ? [] : [{ ...part, text }];
  });
}

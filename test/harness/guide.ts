/** What a page of docs/ shows to be typed or sent, in the order in which it stands there. */
export type GuideStep =
  | { kind: "command"; words: string[]; shown: string }
  | { kind: "request"; method: string; path: string; body: unknown; answer: unknown };

/** Reads the blocks of a page that have no language: `$ ./parley …` with its output, or a request with its answer. */
export function guideSteps(page: string): GuideStep[] {
  return [...page.matchAll(/^```\n(.*?)^```$/gms)].flatMap(([, block = ""]) => {
    if (block.startsWith("$ ./parley ")) return commandsOf(block);
    return /^(GET|POST|PUT|DELETE) \//.test(block) ? requestsOf(block) : [];
  });
}

function commandsOf(block: string): GuideStep[] {
  return block
    .split(/^\$ \.\/parley /m)
    .slice(1)
    .map((part) => {
      const [line = "", ...shown] = part.split("\n");
      const words = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? "");
      return { kind: "command", words, shown: shown.join("\n").trimEnd() };
    });
}

/** Requests and answers stand in paragraphs; the body of a request follows its line. */
function requestsOf(block: string): GuideStep[] {
  const steps: Extract<GuideStep, { kind: "request" }>[] = [];
  for (const paragraph of block.trim().split(/\n\n+/)) {
    const found = /^(GET|POST|PUT|DELETE) (\S+)\n?(.*)$/s.exec(paragraph);
    const last = steps.at(-1);
    if (found) {
      const [, method = "", path = "", body = ""] = found;
      steps.push({
        kind: "request",
        method,
        path,
        answer: undefined,
        body: body === "" ? undefined : JSON.parse(body),
      });
    } else if (last) last.answer = JSON.parse(withoutDots(paragraph));
  }
  return steps;
}

/** `…` stands for what is left out of an answer, so what is shown is a part of it. */
const withoutDots = (text: string): string => text.replaceAll(/,\s*…/g, "").replaceAll(/…,\s*/g, "");

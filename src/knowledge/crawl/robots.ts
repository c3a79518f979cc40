/** What a site's robots.txt asks of us (RFC 9309). */
export type RobotRules = {
  allows(path: string): boolean;
  /** Seconds between two requests, where it names any. */
  delay_s: number | null;
};

/** What we call ourselves; a site names it to address us. */
export const ROBOT = "Parley";
/** RFC 9309 wants at least 500 KiB to be read. */
export const MOST_ROBOTS_bytes = 512_000;

type RobotRule = { is_allowed: boolean; pattern: string };
type RobotGroup = { agents: string[]; rules: RobotRule[]; delay_s: number | null };

export const ALLOWS_ALL: RobotRules = { allows: () => true, delay_s: null };

/** The rules for us: of the groups that name us, or else of those for everybody. */
export function robotRules(text: string): RobotRules {
  const groups = groupsOf(text);
  const named = groups.filter(({ agents }) => agents.includes(ROBOT.toLowerCase()));
  const ours = named.length > 0 ? named : groups.filter(({ agents }) => agents.includes("*"));
  const rules = ours.flatMap((group) => group.rules);
  return {
    allows: (path) => isAllowed(rules, path),
    delay_s: ours.find(({ delay_s }) => delay_s !== null)?.delay_s ?? null,
  };
}

function groupsOf(text: string): RobotGroup[] {
  const groups: RobotGroup[] = [];
  let isNaming = false;
  for (const line of text.replace(/^\ufeff/, "").split(/\r\n|\r|\n/)) {
    const [, field = "", value = ""] = /^\s*([\w-]+)\s*:\s*([^#]*)/.exec(line) ?? [];
    const name = field.toLowerCase();
    const said = value.trim();
    const group = groups.at(-1);
    if (name === "user-agent") {
      // "Parley/1.0" names us too; only the name counts.
      const agent = said === "*" ? "*" : (/^[\w-]+/.exec(said)?.[0] ?? "").toLowerCase();
      if (isNaming && group) group.agents.push(agent);
      else groups.push({ agents: [agent], rules: [], delay_s: null });
      isNaming = true;
    } else if (group && (name === "allow" || name === "disallow")) {
      isNaming = false;
      if (said !== "") group.rules.push({ is_allowed: name === "allow", pattern: said });
    } else if (group && name === "crawl-delay") {
      isNaming = false;
      const seconds = Number(said);
      if (Number.isFinite(seconds) && seconds >= 0) group.delay_s = seconds;
    }
  }
  return groups;
}

/** What an answer's `X-Robots-Tag` asks of us: what it says of a robot by name goes on until it names another. */
export function robotsTag(header: string): { noindex: boolean; nofollow: boolean } {
  let isForUs = true;
  const asked = { noindex: false, nofollow: false };
  for (const part of header.toLowerCase().split(",")) {
    const [, robot, directive = ""] = /^(?:\s*([\w*-]+)\s*:)?(.*)$/s.exec(part) ?? [];
    if (robot !== undefined && !WITH_VALUE.test(robot))
      isForUs = robot === "*" || robot === ROBOT.toLowerCase();
    const said = directive.trim();
    if (!isForUs || WITH_VALUE.test(robot ?? "")) continue;
    asked.noindex ||= said === "noindex" || said === "none";
    asked.nofollow ||= said === "nofollow" || said === "none";
  }
  return asked;
}

/** Directives that are written as a robot's name is. */
const WITH_VALUE = /^(unavailable_after|max-(snippet|image-preview|video-preview))$/;

/** The longest pattern that matches decides, and of two as long the one that allows. */
function isAllowed(rules: readonly RobotRule[], path: string): boolean {
  let best: RobotRule | null = null;
  for (const rule of rules) {
    if (!matches(rule.pattern, path)) continue;
    const [length, most] = [rule.pattern.length, best?.pattern.length ?? -1];
    if (length > most || (length === most && rule.is_allowed)) best = rule;
  }
  return best?.is_allowed ?? true;
}

/** `*` stands for anything and a `$` at the end for the end. Each part is looked for once: no pattern takes long. */
function matches(given: string, path: string): boolean {
  const isWhole = given.endsWith("$");
  const parts = (isWhole ? given.slice(0, -1) : given).split("*").map(encoded);
  const target = encoded(path);
  const first = parts[0] ?? "";
  if (!target.startsWith(first)) return false;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = target.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  if (parts.length === 1) return !isWhole || at === target.length;
  const last = parts.at(-1) ?? "";
  if (isWhole) return target.length - last.length >= at && target.endsWith(last);
  return target.indexOf(last, at) >= 0;
}

/** Both are compared as they are sent: "/ü" and "/%C3%BC" are one path. */
const encoded = (path: string): string =>
  path
    .replace(/[^\u0021-\u007e]/gu, (letter) => encodeURIComponent(letter.toWellFormed()))
    .replace(/%[0-9a-f]{2}/gi, (code) => code.toUpperCase());

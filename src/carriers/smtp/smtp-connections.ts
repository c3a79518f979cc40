import ipaddr from "ipaddr.js";

/**
 * Who may hold a connection to the built-in SMTP server, and for how long. An idle connection costs its sender nothing, so
 * one network has few, each phase has an end, and where all are taken the one that waited longest makes room.
 */
export type SmtpLimits = {
  connections: number;
  /** Of one IPv4 address or one IPv6 /64. */
  connections_per_network: number;
  /** Without a byte. */
  idle_ms: number;
  /** From the greeting, or from the last mail, to the beginning of the next one's words. */
  commands_ms: number;
  /** For the words of one mail: 25 MB at 90 kB a second. */
  body_ms: number;
};

export const SMTP_LIMITS: SmtpLimits = {
  connections: 100,
  connections_per_network: 10,
  idle_ms: 30_000,
  commands_ms: 60_000,
  body_ms: 300_000,
};

type SmtpConnection = {
  network: string;
  phase: "commands" | "body" | "storing";
  /** In the order in which connections came to their phase. */
  since: number;
  timer: NodeJS.Timeout | null;
};

type SmtpConnections = {
  /** Why there is no place for it; null: it has one. */
  open(id: string, address: string): string | null;
  /** What a connection does now; `storing` is our own work, which nobody waits for but its sender. */
  enter(id: string, phase: SmtpConnection["phase"]): void;
  close(id: string): void;
};

/** `end` hangs up on a connection, which may be gone already. */
export function createSmtpConnections(limits: SmtpLimits, end: (id: string) => void): SmtpConnections {
  const open = new Map<string, SmtpConnection>();
  let moments = 0;

  const enter = (id: string, connection: SmtpConnection, phase: SmtpConnection["phase"]) => {
    if (connection.timer) clearTimeout(connection.timer);
    const longest_ms = { commands: limits.commands_ms, body: limits.body_ms, storing: null }[phase];
    connection.phase = phase;
    connection.since = ++moments;
    connection.timer = longest_ms === null ? null : setTimeout(() => hangUp(id), longest_ms);
    connection.timer?.unref();
  };

  const close = (id: string) => {
    const connection = open.get(id);
    if (connection?.timer) clearTimeout(connection.timer);
    open.delete(id);
  };

  const hangUp = (id: string) => {
    close(id);
    end(id);
  };

  /** Of the network that holds most, the one that has been silent longest; none that brings a mail. */
  const longestWaiting = (): string | undefined => {
    const held = Map.groupBy(open.values(), ({ network }) => network);
    const heldBy = ({ network }: SmtpConnection) => held.get(network)?.length ?? 0;
    return [...open]
      .filter(([, { phase }]) => phase === "commands")
      .sort(([, a], [, b]) => heldBy(b) - heldBy(a) || a.since - b.since)[0]?.[0];
  };

  return {
    open(id, address) {
      const network = networkOf(address);
      const ofNetwork = [...open.values()].filter((each) => each.network === network).length;
      if (ofNetwork >= limits.connections_per_network) return "too many connections from your network";
      if (open.size >= limits.connections) {
        const idle = longestWaiting();
        if (idle === undefined) return "too many connections, try again later";
        hangUp(idle);
      }
      const connection: SmtpConnection = { network, phase: "commands", since: 0, timer: null };
      open.set(id, connection);
      enter(id, connection, "commands");
      return null;
    },
    enter(id, phase) {
      const connection = open.get(id);
      if (connection) enter(id, connection, phase);
    },
    close,
  };
}

/** Somebody with an IPv6 address has a whole /64 of them. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === "ipv4") return parsed.toString();
  return ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/64`).toString();
}

import { isIP, type LookupFunction } from "node:net";
import { buildConnector, Pool } from "undici";

/** Where the sockets of a pool go. Nothing is looked up any more, except the name an operator's route gives. */
export type Pinned =
  /** Addresses that were judged for this call; the first that connects is taken (RFC 8305). */
  { kind: "addresses"; addresses: string[] } | { kind: "fixed"; host: string; port: number };

type PinnedPools = { get(origin: string, pinned: Pinned): Pool; close(): Promise<void> };

/** A host that swallows our SYN holds a socket no longer than this, whatever the call's own timeout. */
const CONNECT_TIMEOUT_ms = 10_000;
/**
 * How long an idle connection is kept where the server doesn't say: long enough that the tool calls of one
 * conversation share a TLS handshake. A server that closes sooner is noticed before the next call is written.
 */
const KEEP_ALIVE_ms = 30_000;
/** A call beyond these waits for a free connection, within its timeout. */
const CONNECTIONS_PER_POOL = 256;
/** The pool used longest ago goes first; it ends the calls it carries and takes no new ones. */
const MOST_POOLS = 256;

/**
 * Keep-alive connections by origin and pinned addresses, so that a connection is only ever reused for a call whose own
 * check arrived at the addresses it was made for.
 */
export function createPinnedPools(): PinnedPools {
  // Least recently used first, as a Map keeps the order of insertion.
  const pools = new Map<string, Pool>();
  return {
    get(origin, pinned) {
      const key = `${origin} ${placeOf(pinned)}`;
      const pool = pools.get(key) ?? openPool(origin, pinned);
      pools.delete(key);
      pools.set(key, pool);
      if (pools.size > MOST_POOLS) {
        const [oldestKey, oldest] = pools.entries().next().value!;
        pools.delete(oldestKey);
        void oldest.close();
      }
      return pool;
    },
    async close() {
      const open = [...pools.values()];
      pools.clear();
      await Promise.all(open.map((pool) => pool.destroy()));
    },
  };
}

const placeOf = (pinned: Pinned): string =>
  pinned.kind === "fixed" ? `${pinned.host}:${pinned.port}` : pinned.addresses.toSorted().join(" ");

/** The pool knows the URL's origin alone, so the Host header and the TLS server name are those of the URL. */
function openPool(origin: string, pinned: Pinned): Pool {
  const dial = buildConnector({
    // HTTP/1.1 only: cutting off an oversized or late answer costs one connection, not every stream that shares it.
    allowH2: false,
    minVersion: "TLSv1.2",
    timeout: CONNECT_TIMEOUT_ms,
    ...(pinned.kind === "addresses" ? { lookup: answering(pinned.addresses) } : {}),
  });
  return new Pool(origin, {
    connect:
      pinned.kind === "addresses"
        ? dial
        : (options, callback) =>
            dial({ ...options, hostname: pinned.host, port: String(pinned.port) }, callback),
    connections: CONNECTIONS_PER_POOL,
    keepAliveTimeout: KEEP_ALIVE_ms,
    // The caller's clock covers the whole exchange.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
}

/** A `lookup` that answers from the judged addresses, whatever name it is asked for. */
export function answering(addresses: readonly string[]): LookupFunction {
  const answers = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, options, callback) => {
    if (options.all) return callback(null, answers);
    callback(null, answers[0]!.address, answers[0]!.family);
  };
}

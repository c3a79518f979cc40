import { type AddressInfo, createServer } from "node:net";
import { Fault } from "../base/errors.ts";
import { type Config, hostInUrl, reachable } from "../config.ts";

/** `setting` names who chose the port: PORT, unless it says otherwise. */
type WantedPort = { host: string; port: number; setting?: "PORT" | "MAIL_PORT" | "INTERNAL_LISTEN" };

/** Where the built-in SMTP server is to listen. */
export const mailPlace = ({ host, mail_port }: Config): WantedPort | null =>
  mail_port === null ? null : { host, port: mail_port, setting: "MAIL_PORT" };

/** Where metrics and the API reference are to listen, where they have an address of their own. */
export const internalPlace = ({ internal_pages: { listen } }: Config): WantedPort | null =>
  listen && { ...listen, setting: "INTERNAL_LISTEN" };

/**
 * Tries the port before anything is made or started, and settles which one PORT=0 means, since links are made of it.
 * Between this and `listen` another program may take it; then `listen` says so in the same words.
 */
export async function tryPort(place: WantedPort): Promise<number> {
  const probe = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      probe.once("error", reject);
      probe.listen({ host: place.host, port: place.port }, resolve);
    });
    return (probe.address() as AddressInfo).port;
  } catch (error) {
    throw await portFault(error, place);
  } finally {
    await new Promise<void>((resolve) => probe.close(() => resolve()));
  }
}

/** Why a port can't be had, with the way out; other errors stay what they are. */
export async function portFault(error: unknown, place: WantedPort): Promise<unknown> {
  const { host, port, setting = "PORT" } = place;
  const fault = (sentence: string) => new Fault("unavailable", sentence, { cause: error });
  switch ((error as NodeJS.ErrnoException).code) {
    case "EADDRINUSE": {
      const version = setting === "PORT" ? await runningVersion(place) : null;
      return version === null
        ? fault(`Port ${port} is taken by another program. Stop it, or set ${setting} to a free one.`)
        : fault(
            `Parley ${version} is already running on ${urlOf(place)}. Stop it, or set PORT and DATA_DIR to start another one.`,
          );
    }
    case "EACCES":
    case "EPERM":
      return fault(
        `This user may not open port ${port}. Set ${setting} to 1024 or more, and lead port ${port} there if others have to find it.`,
      );
    case "EADDRNOTAVAIL":
    case "EAFNOSUPPORT":
    case "EINVAL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return fault(
        `${setting === "INTERNAL_LISTEN" ? setting : "HOST"} ${host} is no address of this machine. Use 127.0.0.1 for this machine only, or 0.0.0.0 for all its networks.`,
      );
    default:
      return error;
  }
}

/** Which Parley answers there; null when something else does, or nothing. */
export async function runningVersion(place: WantedPort): Promise<string | null> {
  try {
    const response = await fetch(`${urlOf(place)}/healthz`, { signal: AbortSignal.timeout(2_000) });
    const answer = (await response.json()) as { status?: unknown; version?: unknown } | null;
    return answer?.status === "ok" && typeof answer.version === "string" ? answer.version : null;
  } catch {
    return null;
  }
}

const urlOf = ({ host, port }: WantedPort): string => `http://${hostInUrl(reachable(host))}:${port}`;

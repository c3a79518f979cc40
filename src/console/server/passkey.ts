/** Passkeys by the browser itself: the server's options in, what the server checks out. */

/** False where the page has no secure address, and in browsers of before 2025. */
export const knowsPasskeys = (): boolean =>
  typeof globalThis.PublicKeyCredential?.parseCreationOptionsFromJSON === "function";

export async function makePasskey(options: unknown): Promise<unknown> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as PublicKeyCredentialCreationOptionsJSON,
  );
  return json(await navigator.credentials.create({ publicKey }).catch(told));
}

async function askPasskey(options: unknown): Promise<unknown> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    options as PublicKeyCredentialRequestOptionsJSON,
  );
  return json(await navigator.credentials.get({ publicKey }).catch(told));
}

export type GivenFactor = { second_factor?: string; passkey?: unknown };
/** What is answered in place of what was asked for, where the second factor is missing. */
export type FactorAsked = { second_factor: "needed"; has_app?: boolean; passkey?: unknown };

/** A code is to be entered: there is no passkey to use in its place. */
export class NeedsCode extends Error {
  constructor() {
    super("Enter a code of your authenticator app, or a recovery code.");
    this.name = "NeedsCode";
  }
}

/** Sends with the code that was entered; without one, with a passkey where the answer asks for it. */
export async function withFactor<T extends object>(
  send: (factor: GivenFactor) => Promise<T | FactorAsked>,
  code: string,
): Promise<T> {
  const entered = code.trim();
  const answer = await send(entered === "" ? {} : { second_factor: entered });
  if (!isAsked(answer)) return answer;
  if (answer.passkey === undefined || !knowsPasskeys()) throw new NeedsCode();
  return (await send({ passkey: await askPasskey(answer.passkey) })) as T;
}

const isAsked = (answer: object): answer is FactorAsked =>
  "second_factor" in answer && answer.second_factor === "needed";

const json = (credential: Credential | null): unknown => (credential as PublicKeyCredential).toJSON();

/** In our words: a browser's own are written for developers. */
function told(error: Error): never {
  if (error.name === "InvalidStateError")
    throw new Error("This device already has a passkey for your account.");
  if (error.name === "NotAllowedError" || error.name === "AbortError")
    throw new Error("No passkey was used. Try again.");
  throw new Error("This browser could not use a passkey here. Open the console at its public address.");
}

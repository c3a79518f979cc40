// Passkeys by the browser itself: the server's options in, what the server checks out.
const Credential = globalThis.PublicKeyCredential;

/** False where the page has no secure address, and in browsers of before 2025. */
export const knowsPasskeys = () => typeof Credential?.parseRequestOptionsFromJSON === "function";

/** Whether passkeys can be offered among the addresses that the browser proposes in a field. */
export const offersInFields = async () =>
  knowsPasskeys() && (await Credential.isConditionalMediationAvailable?.()) === true;

/** Rejects with a `NotAllowedError` where the person closed the window or has none. */
export async function askPasskey(options, more = {}) {
  const publicKey = Credential.parseRequestOptionsFromJSON(options);
  const credential = await navigator.credentials.get({ ...more, publicKey });
  return credential.toJSON();
}

import { askPasskey, knowsPasskeys, offersInFields } from "./passkey.js";

// A link with a code signs in once, and a password may be set with it; without one, address and password are asked for.
const search = new URLSearchParams(location.search);
const code = search.get("code");
const form = document.getElementById("sign-in");
const problem = document.getElementById("problem");
const done = document.getElementById("done");
const later = document.getElementById("later");
const byOrganization = document.getElementById("by-organization");
const byPasskey = document.getElementById("by-passkey");
const forgotten = document.getElementById("forgotten");
/** Ends the offer of passkeys in the address's field: a browser asks for one at a time. */
let offer = new AbortController();

if (code) {
  document.getElementById("email-row").remove();
  document.getElementById("password-label").textContent = "Choose a password (12 characters or more)";
  form.elements.password.autocomplete = "new-password";
  form.elements.password.minLength = 12;
  byOrganization.remove();
  byPasskey.remove();
  // A link that was asked for by mail is good for a new password only.
  later.hidden = search.has("reset");
  forgotten.remove();
}

/** Why a sign-in by the organization's identity provider ended here. */
const PROBLEMS = {
  unknown: "Your organization has no single sign-on here. Sign in with your password.",
  unreachable: "Your organization's identity provider does not answer. Try again, or ask your administrator.",
  cancelled: "You were not signed in: the sign-in was cancelled.",
  "too-old": "This sign-in took too long or was begun in another browser. Try again.",
  refused:
    "Your identity provider's answer could not be accepted. Your administrator finds the reason in the log.",
  "no-role": "You have no access here: none of your groups gives you a role. Ask your administrator.",
  "no-address":
    "Your identity provider names no verified e-mail address of your organization. Ask your administrator.",
  "other-address": "Your e-mail address belongs to somebody else here. Ask your administrator.",
};
problem.textContent = PROBLEMS[search.get("single_sign_on") ?? ""] ?? "";

/** Back to where somebody was sent away from; only to the console, never to another site. */
function nextPage() {
  const next = search.get("next") ?? "";
  return /^\/console\/[^\\]*$/.test(next) ? next : "/console/";
}

/** Whoever has a second factor is asked for it once the first one was right. */
function askCode({ has_app = true, passkey }) {
  const row = document.getElementById("factor-row");
  const help = document.getElementById("factor-help");
  if (passkey)
    help.textContent = has_app
      ? "Leave it empty to use your passkey, or enter the six digits of your authenticator app or a recovery code."
      : "Leave it empty to use your passkey, or enter a recovery code.";
  row.hidden = false;
  help.hidden = false;
  form.elements.second_factor.focus();
}

const post = (path, body) =>
  fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

const wordsOf = (detail) =>
  typeof detail === "string" ? detail : detail.map((entry) => entry.msg).join("; ");

async function askForReset() {
  problem.textContent = "";
  done.textContent = "";
  const { email } = form.elements;
  if (!email.reportValidity()) return;
  try {
    const response = await post("/api/console/password-reset", { email: email.value });
    const { mailed, detail } = await response.json();
    if (!response.ok) problem.textContent = wordsOf(detail);
    else if (mailed)
      done.textContent = `If ${email.value} has an account with a password, a mail with a link is on its way. The link works for 30 minutes.`;
    else
      done.textContent =
        "This installation sends no mail. Ask an administrator for a sign-in link. On the server itself, run ./parley sign-in-link.";
  } catch {
    problem.textContent = "Parley does not answer. Is it running?";
  }
}

const NO_ANSWER = "Parley does not answer. Is it running?";
const NO_PASSKEY = "No passkey was used. Choose Sign in to try again, or enter a code.";

async function send(path, first) {
  problem.textContent = "";
  offer.abort();
  const second_factor = form.elements.second_factor.value.trim();
  try {
    const asked = await sendOnce(path, second_factor === "" ? first : { ...first, second_factor });
    if (!asked?.passkey || !knowsPasskeys()) return;
    const passkey = await askPasskey(asked.passkey).catch(() => null);
    if (passkey) await sendOnce(path, { ...first, passkey });
    else problem.textContent = NO_PASSKEY;
  } catch {
    problem.textContent = NO_ANSWER;
  }
}

/** Goes on where somebody is signed in; else shows why not. Resolves with what is asked for, where something still is. */
async function sendOnce(path, body) {
  const response = await post(path, body);
  const answer = await response.json();
  if (!response.ok) problem.textContent = wordsOf(answer.detail);
  else if (answer.signed_in) location.assign(nextPage());
  else {
    askCode(answer);
    return answer;
  }
}

const passkeyOptions = async () => (await (await post("/api/console/passkey/begin", {})).json()).options;

async function signInByPasskey() {
  problem.textContent = "";
  offer.abort();
  try {
    const passkey = await askPasskey(await passkeyOptions()).catch(() => null);
    if (passkey) await sendOnce("/api/console/passkey", { passkey });
    else problem.textContent = "No passkey was used. Try again, or sign in with your password.";
  } catch {
    problem.textContent = NO_ANSWER;
  }
}

/** Passkeys stand among the addresses that the browser proposes. */
async function offerPasskeys() {
  const options = await passkeyOptions();
  if (!options || !knowsPasskeys()) return;
  byPasskey.hidden = false;
  if (!(await offersInFields())) return;
  offer = new AbortController();
  const passkey = await askPasskey(options, { mediation: "conditional", signal: offer.signal });
  await sendOnce("/api/console/passkey", { passkey });
}

/** To the identity provider of the address's organization. */
async function signInByOrganization() {
  const { email } = form.elements;
  if (!email.reportValidity()) return;
  problem.textContent = "";
  try {
    const response = await fetch("/api/console/single-sign-on", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ email: email.value }),
    });
    const { start } = await response.json();
    if (start) location.assign(`${start}&next=${encodeURIComponent(nextPage())}`);
    else problem.textContent = PROBLEMS.unknown;
  } catch {
    problem.textContent = "Parley does not answer. Is it running?";
  }
}

// Nothing was asked for, so nothing is said where it fails.
if (!code) offerPasskeys().catch(() => {});
byPasskey.addEventListener("click", signInByPasskey);
byOrganization.addEventListener("click", signInByOrganization);
form.addEventListener("submit", (event) => {
  event.preventDefault();
  const password = form.elements.password.value;
  if (code) send("/api/console/one-time-code", { code, password });
  else send("/api/console/sign-in", { email: form.elements.email.value, password });
});
forgotten.addEventListener("click", askForReset);
later.addEventListener("click", () => send("/api/console/one-time-code", { code }));

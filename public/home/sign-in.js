// A link with a code signs in once, and a password may be set with it; without one, address and password are asked for.
const search = new URLSearchParams(location.search);
const code = search.get("code");
const form = document.getElementById("sign-in");
const problem = document.getElementById("problem");
const done = document.getElementById("done");
const later = document.getElementById("later");
const byOrganization = document.getElementById("by-organization");
const forgotten = document.getElementById("forgotten");

if (code) {
  document.getElementById("email-row").remove();
  document.getElementById("password-label").textContent = "Choose a password (12 characters or more)";
  form.elements.password.autocomplete = "new-password";
  form.elements.password.minLength = 12;
  byOrganization.remove();
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
function askCode() {
  document.getElementById("factor-row").hidden = false;
  document.getElementById("factor-help").hidden = false;
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

async function send(path, first) {
  problem.textContent = "";
  const second_factor = form.elements.second_factor.value.trim();
  const body = second_factor === "" ? first : { ...first, second_factor };
  try {
    const response = await post(path, body);
    const { signed_in, detail } = await response.json();
    if (response.ok && signed_in) {
      location.assign(nextPage());
      return;
    }
    if (response.ok) {
      askCode();
      return;
    }
    problem.textContent = wordsOf(detail);
  } catch {
    problem.textContent = "Parley does not answer. Is it running?";
  }
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

byOrganization.addEventListener("click", signInByOrganization);
form.addEventListener("submit", (event) => {
  event.preventDefault();
  const password = form.elements.password.value;
  if (code) send("/api/console/one-time-code", { code, password });
  else send("/api/console/sign-in", { email: form.elements.email.value, password });
});
forgotten.addEventListener("click", askForReset);
later.addEventListener("click", () => send("/api/console/one-time-code", { code }));

// A link with a code signs in once, and a password may be set with it; without one, address and password are asked for.
const search = new URLSearchParams(location.search);
const code = search.get("code");
const form = document.getElementById("sign-in");
const problem = document.getElementById("problem");
const later = document.getElementById("later");

if (code) {
  document.getElementById("email-row").remove();
  document.getElementById("password-label").textContent = "Choose a password (12 characters or more)";
  form.elements.password.autocomplete = "new-password";
  form.elements.password.minLength = 12;
  later.hidden = false;
}

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

async function send(path, first) {
  problem.textContent = "";
  const second_factor = form.elements.second_factor.value.trim();
  const body = second_factor === "" ? first : { ...first, second_factor };
  try {
    const response = await fetch(path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const { signed_in, detail } = await response.json();
    if (response.ok && signed_in) {
      location.assign(nextPage());
      return;
    }
    if (response.ok) {
      askCode();
      return;
    }
    problem.textContent = typeof detail === "string" ? detail : detail.map((entry) => entry.msg).join("; ");
  } catch {
    problem.textContent = "Parley does not answer. Is it running?";
  }
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const password = form.elements.password.value;
  if (code) send("/api/console/one-time-code", { code, password });
  else send("/api/console/sign-in", { email: form.elements.email.value, password });
});
later.addEventListener("click", () => send("/api/console/one-time-code", { code }));

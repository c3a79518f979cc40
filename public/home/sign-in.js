// A link with a code signs in once and sets a password; without one, address and password are asked for.
const code = new URLSearchParams(location.search).get("code");
const form = document.getElementById("sign-in");
const problem = document.getElementById("problem");

if (code) {
  document.getElementById("email-row").remove();
  document.getElementById("password-label").textContent = "Choose a password (12 characters or more)";
  form.elements.password.autocomplete = "new-password";
  form.elements.password.minLength = 12;
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  problem.textContent = "";
  const password = form.elements.password.value;
  const [path, body] = code
    ? ["/api/console/one-time-code", { code, password }]
    : ["/api/console/sign-in", { email: form.elements.email.value, password }];
  try {
    const response = await fetch(path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (response.ok) {
      location.assign("/");
      return;
    }
    const { detail } = await response.json();
    problem.textContent = typeof detail === "string" ? detail : detail.map((entry) => entry.msg).join("; ");
  } catch {
    problem.textContent = "Parley does not answer. Is it running?";
  }
});

const response = await fetch("/api/console/me");
if (response.ok) {
  const { email } = await response.json();
  document.getElementById("me").textContent = `You are signed in as ${email}.`;
}

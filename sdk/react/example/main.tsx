import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Chat } from "./chat.tsx";

/** `?server=http://localhost:8080&target=front-desk`, so that one build of this example fits every installation. */
const asked = new URLSearchParams(location.search);

createRoot(document.getElementById("app") as HTMLElement).render(
  <StrictMode>
    <h1>Our site</h1>
    <h2 id="prices">Prices</h2>
    <Chat
      server={asked.get("server") ?? "http://localhost:8080"}
      target={asked.get("target") ?? "demo-clinic"}
      identityToken={asked.get("identity")}
    />
  </StrictMode>,
);

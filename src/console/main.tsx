import "./mantine.css";
import "./main.css";
import "./forced-colors.css";
import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { nonce } from "./editors/nonce.ts";
import { keepFocus } from "./parts/kept-focus.ts";
import { router } from "./router.tsx";
import { ApiError } from "./server/api.ts";
import { connection, isReached, ownCode } from "./server/connection.ts";
import { Notices } from "./shell/notices.tsx";
import { theme, variables } from "./theme.ts";

// What locks the page behind a window reads it from here.
(globalThis as { __webpack_nonce__?: string }).__webpack_nonce__ = nonce;

// A page that was open during an update asks for code that no longer exists. It says so instead of reloading, because
// a reload would lose what is being typed.
window.addEventListener("vite:preloadError", async () => {
  if (await isReached()) ownCode.set("gone");
  else connection.set("lost");
});

keepFocus();

const client = new QueryClient({
  defaultOptions: {
    // A browser calls itself offline beside a server on the same machine. What can't be sent fails, and says so.
    mutations: { networkMode: "always" },
    queries: {
      networkMode: "always",
      staleTime: 5_000,
      // A refusal would be repeated; only failures of the network or the server are retried.
      retry: (count, error) =>
        error instanceof ApiError && (error.status === 0 || error.status >= 500) && count < 2,
    },
  },
});

const element = document.getElementById("root");
if (!element) throw new Error("the page has no root");
// The newest of what pages use: Chrome 123 and Safari 17.5 brought the one, Firefox 127 the other. index.html names them.
if (CSS.supports("color", "light-dark(#fff, #000)") && "union" in Set.prototype) {
  createRoot(element).render(
    <StrictMode>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={variables}
        defaultColorScheme="auto"
        getStyleNonce={() => nonce}
      >
        <QueryClientProvider client={client}>
          <Notices />
          <RouterProvider router={router} />
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  );
} else {
  const page = element.querySelector("main");
  page?.replaceChildren(...page.querySelectorAll("#browsers"));
  page?.classList.add("now");
}

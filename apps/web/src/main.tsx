import "./trusted-types.ts";
import "@fontsource-variable/bricolage-grotesque/wght.css";
import "@fontsource-variable/instrument-sans/wght.css";
import "./mantine-styles.ts";
import "./tokens.css";
import { MantineProvider } from "@mantine/core";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode, startTransition } from "react";
import { createRoot } from "react-dom/client";
import { Toasts } from "./components/feedback/toasts.tsx";
import { loadInlinedData } from "./page-data.ts";
import { me, queryClient } from "./queries.ts";
import { router } from "./router.tsx";
import { cssVariables, theme } from "./theme.ts";

/** The longest wait for the page's code in milliseconds. After this time a skeleton is rendered. */
const MAX_WAIT_MS = 500;

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no #root");

const render = () =>
  createRoot(root).render(
    <StrictMode>
      <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto">
        <QueryClientProvider client={queryClient}>
          <RouterProvider router={router} />
          <Toasts />
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  );

/** Ends the present task. On a phone, one task for the whole start would block input. */
const nextTask = () => new Promise((resolve) => setTimeout(resolve));

/**
 * Renders the page once, after its code has loaded. Until then the server's static content is
 * visible. A transition lets the browser handle input during the render (0019).
 */
async function start(): Promise<void> {
  await nextTask();
  const inlined = loadInlinedData();
  // Requests the user's account before the first render, because the header and a room's WebSocket
  // need it.
  void queryClient.prefetchQuery(me);
  const timeout = new Promise((resolve) => setTimeout(resolve, MAX_WAIT_MS));
  try {
    await Promise.race([Promise.all([router.load(), inlined]), timeout]);
  } finally {
    await nextTask();
    startTransition(render);
  }
}

// A top-level await would never end: this module and the page's module, which imports it, would
// wait for each other.
void start();

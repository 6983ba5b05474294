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
import { Toasts } from "./components/toasts.tsx";
import { takePageData } from "./page-data.ts";
import { me, queryClient } from "./queries.ts";
import { router } from "./router.tsx";
import { cssVariables, theme } from "./theme.ts";

/** So long a page may stand empty before it says that more is to come. */
const BLANK_MS = 500;

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no #root");

takePageData();
// Asked before the page is drawn: its header, and a room's socket, wait for the answer.
void queryClient.prefetchQuery(me);

const draw = () =>
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

// Drawn once, with all that the page shows, where that comes soon: it keeps a phone less busy. And
// as a transition, in which the browser may answer in between. (Not awaited: the page's own module
// imports this one, and would wait for it.)
const blank = new Promise((resolve) => setTimeout(resolve, BLANK_MS));
void Promise.race([router.load(), blank]).finally(() => startTransition(draw));

// Before the first paint, so that a dark page never flashes white. A file of its own because the
// content security policy allows no inline script.
try {
  const chosen = localStorage.getItem("mantine-color-scheme-value") ?? "auto";
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const scheme = chosen === "auto" ? (dark ? "dark" : "light") : chosen;
  document.documentElement.setAttribute("data-mantine-color-scheme", scheme);
} catch {
  // Storage is switched off: the page starts light and Mantine decides later.
}

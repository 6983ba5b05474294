// Runs before the first paint, so that a dark page does not flash white. The content security policy
// allows no inline script, so this is a file.
try {
  const chosen = localStorage.getItem("mantine-color-scheme-value") ?? "auto";
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const scheme = chosen === "auto" ? (dark ? "dark" : "light") : chosen;
  document.documentElement.setAttribute("data-mantine-color-scheme", scheme);
} catch {
  // Storage is disabled: the page starts light, and Mantine sets the scheme later.
}

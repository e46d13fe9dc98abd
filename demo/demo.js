() => {
  // The page follows the system's colours until somebody switches; then it keeps to what they chose.
  const kept = () => {
    try { return window.localStorage.getItem("babelguard-appearance"); } catch { return null; }
  };
  const choice = kept();
  if (choice) document.body.classList.toggle("dark", choice === "dark");
  document.addEventListener("click", (event) => {
    if (!event.target.closest || !event.target.closest('[data-action="toggle-dark"]')) return;
    const dark = document.body.classList.toggle("dark");
    try { window.localStorage.setItem("babelguard-appearance", dark ? "dark" : "light"); } catch { /* not kept */ }
  });
}

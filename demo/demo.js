() => {
  // Ctrl+Enter and Cmd+Enter in the box for a text check it.
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.isComposing) return;
    if (!event.target.closest || !event.target.closest("#one-text")) return;
    event.preventDefault();
    document.getElementById("one-check").click();
  });
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

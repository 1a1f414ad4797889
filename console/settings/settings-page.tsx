/** The page "Settings". */
export function SettingsPage() {
  return (
    <main class="page">
      <div class="page-head">
        <h1>Settings</h1>
      </div>
    </main>
  );
}

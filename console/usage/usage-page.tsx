/** The page "Usage". */
export function UsagePage() {
  return (
    <main class="page">
      <div class="page-head">
        <h1>Usage</h1>
      </div>
    </main>
  );
}

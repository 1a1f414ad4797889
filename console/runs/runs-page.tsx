/** The page "Runs". */
export function RunsPage() {
  return (
    <main class="page">
      <div class="page-head">
        <h1>Runs</h1>
      </div>
    </main>
  );
}

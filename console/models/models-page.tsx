/** The page "Models". */
export function ModelsPage() {
  return (
    <main class="page">
      <div class="page-head">
        <h1>Models</h1>
      </div>
    </main>
  );
}

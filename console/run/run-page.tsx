/** The page "Run". */
export function RunPage() {
  return (
    <main class="page">
      <div class="page-head">
        <h1>Run</h1>
      </div>
    </main>
  );
}

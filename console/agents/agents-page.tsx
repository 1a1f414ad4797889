/** The page "Agents". */
export function AgentsPage() {
  return (
    <main class="page">
      <div class="page-head">
        <h1>Agents</h1>
      </div>
    </main>
  );
}

/** The page "Agent". */
export function AgentPage() {
  return (
    <main class="page">
      <div class="page-head">
        <h1>Agent</h1>
      </div>
    </main>
  );
}

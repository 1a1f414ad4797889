"""Runs an agent with a file and saves a file that it wrote: python run_agent.py sales.csv total.csv"""
import sys

from agent_runs import AgentRuns

upload, result = sys.argv[1:]
client = AgentRuns()  # AGENT_RUN_URL and AGENT_RUN_KEY
run = client.runs.create_and_wait(
    name="Example", input=f"Add up the amounts, and write {result}.", files=[upload], on_event=lambda e: print(e["type"])
)
print(run.output)
run.download(result, to=".")

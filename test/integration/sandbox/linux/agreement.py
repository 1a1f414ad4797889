"""Runs bash scripts, each in an empty folder of its own, and prints what each one wrote and its exit code as JSON.

Reads `scripts.json`, a list of texts, in the working directory. The same program runs in the sandbox and outside of it.
"""

import concurrent.futures
import json
import os
import shutil
import subprocess

scripts = json.load(open("scripts.json", encoding="utf-8"))


def remove(folder: str) -> None:
    try:
        shutil.rmtree(folder)
    except PermissionError:  # of a script that tests modes
        subprocess.run(["chmod", "-R", "u+rwX", folder])
        shutil.rmtree(folder)


def run(number: int) -> tuple[str, int]:
    folder = f"case-{number}"
    os.mkdir(folder)
    with open(f"{folder}.sh", "w", encoding="utf-8") as file:
        file.write(scripts[number])
    process = subprocess.run(
        ["bash", f"../{folder}.sh"],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=20,
    )
    remove(folder)
    os.remove(f"{folder}.sh")
    return process.stdout.decode("utf-8", "backslashreplace"), process.returncode


with concurrent.futures.ThreadPoolExecutor(2) as threads:
    print(json.dumps(list(threads.map(run, range(len(scripts))))))

"""Describes the Linux that it runs in, as the last step of a build: writes facts.json, sbom.json and NOTICE to
/usr/share/agent-environment. Usage: python3 describe.py NAME. Needs Python 3.8 and the files of its folder.
"""

import hashlib
import importlib.metadata
import json
import os
import pathlib
import re
import shutil
import stat
import subprocess
import sys
import uuid

OUTPUT = pathlib.Path("/usr/share/agent-environment")
# The variable PATH of programs in an environment: bin/ folders elsewhere are not found.
PATH = "/usr/local/bin:/usr/bin:/bin"
# Written by the engine that builds or runs a container.
OF_ENGINE = {"/etc/hostname", "/etc/hosts", "/etc/mtab", "/etc/resolv.conf"}


def main(name):
    if not re.fullmatch(r"[a-z][a-z0-9-]{0,39}", name):
        sys.exit(f'"{name}" is not a name: up to 40 small letters, digits and hyphens, the first one a letter.')
    for program in ["bash", "sh", "grep", "sha256sum"]:
        if shutil.which(program, path=PATH) is None:
            sys.exit(f"An environment needs {program} in {PATH}: add it to the Dockerfile.")
    OUTPUT.mkdir(parents=True, exist_ok=True)
    digest = "sha256:" + digest_of(["/etc", "/usr"])
    probe = pathlib.Path(__file__).with_name("probe.sh")
    probed = subprocess.run(["sh", str(probe), name, digest], env={"PATH": PATH}, check=True, stdout=subprocess.PIPE)
    facts = json.loads(probed.stdout)
    components = debian_packages(facts["system"]) + python_libraries() + node(facts)
    write("facts.json", json.dumps(facts, indent=2))
    write("sbom.json", json.dumps(sbom(facts, components), indent=2))
    write("NOTICE", notice(facts, components))


def write(file, text):
    (OUTPUT / file).write_text(text + "\n", encoding="utf-8")


def digest_of(folders):
    """SHA-256 of one line per entry, sorted by path: path, type, mode, size, and SHA-256 or target of a link."""
    lines = []
    for top in folders:
        for folder, folders_inside, files in os.walk(top):
            for entry in folders_inside + files:
                path = os.path.join(folder, entry)
                if path in OF_ENGINE or path == str(OUTPUT) or path.startswith(f"{OUTPUT}/"):
                    continue
                lines.append(os.fsencode(line_of(path)))
    digest = hashlib.sha256()
    for line in sorted(lines):
        digest.update(line + b"\n")
    return digest.hexdigest()


def line_of(path):
    status = os.lstat(path)
    mode = f"{stat.S_IMODE(status.st_mode):04o}"
    if stat.S_ISLNK(status.st_mode):
        return f"{path}\tlink\t{os.readlink(path)}"
    if stat.S_ISDIR(status.st_mode):
        return f"{path}\tfolder\t{mode}"
    if not stat.S_ISREG(status.st_mode):
        return f"{path}\tspecial\t{mode}"
    return f"{path}\tfile\t{mode}\t{status.st_size}\t{sha256_of(path)}"


def sha256_of(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        for part in iter(lambda: file.read(1 << 20), b""):
            digest.update(part)
    return digest.hexdigest()


def debian_packages(system):
    """A component for each package of dpkg. None where the system has no dpkg."""
    if shutil.which("dpkg-query") is None:
        return []
    fields = "${db:Status-Status}\t${Package}\t${Version}\t${Architecture}\n"
    listed = subprocess.run(["dpkg-query", "-W", "-f", fields], check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout
    distribution = system.split()[0].lower()
    components = []
    for line in listed.splitlines():
        status, name, version, architecture = line.split("\t")
        if status != "installed":
            continue
        text = pathlib.Path(f"/usr/share/doc/{name}/copyright")
        purl = f"pkg:deb/{distribution}/{name}@{version.replace('+', '%2B').replace(':', '%3A')}?arch={architecture}"
        components.append(component("library", name, version, purl, None, [str(text)] if text.exists() else []))
    return components


def python_libraries():
    """A component for each library that Debian's packages don't contain."""
    components = []
    for library in importlib.metadata.distributions():
        folder = getattr(library, "_path", None)
        if folder is None or str(folder).startswith(("/usr/lib/", str(pathlib.Path(__file__).parent))):
            continue
        metadata, name = library.metadata, library.metadata["Name"]
        files = [library.locate_file(file) for file in library.files or []]
        texts = [str(file) for file in files if re.match(r"(licen[cs]e|copying|notice)", file.name, re.I) and file.exists()]
        purl = f"pkg:pypi/{re.sub('[-_.]+', '-', name).lower()}@{library.version}"
        # A long text instead of a name of a licence is in older metadata.
        stated = metadata.get("License-Expression") or metadata.get("License", "").strip()
        classified = [value.split(" :: ")[-1] for value in metadata.get_all("Classifier") or [] if value.startswith("License ::")]
        licence = stated if stated and len(stated) < 100 and "\n" not in stated else " and ".join(classified) or None
        components.append(component("library", name, library.version, purl, licence, sorted(texts)))
    return components


def node(facts):
    """Node, which is not a package of Debian in the environment "linux"."""
    text, version = pathlib.Path("/usr/share/doc/node/copyright"), facts["programs"].get("node")
    if version is None or not text.exists():
        return []
    return [component("application", "node", version, f"pkg:generic/node@{version}", "MIT", [str(text)])]


def component(kind, name, version, purl, licence, texts):
    return {"kind": kind, "name": name, "version": version, "purl": purl, "licence": licence, "texts": texts}


def sbom(facts, components):
    """CycloneDX 1.6."""
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, facts['digest'])}",
        "version": 1,
        "metadata": {
            "component": {
                "type": "container",
                "name": facts["name"],
                "version": facts["digest"],
                "description": f"Environment of Agent Run Service on {facts['system']}",
            }
        },
        "components": [
            {
                "type": item["kind"],
                "bom-ref": item["purl"],
                "name": item["name"],
                "version": item["version"],
                "purl": item["purl"],
                **({"licenses": [{"license": {"name": item["licence"]}}]} if item["licence"] else {}),
            }
            for item in sorted(components, key=lambda item: item["purl"])
        ],
    }


def notice(facts, components):
    lines = [
        f'The environment "{facts["name"]}" ({facts["system"]}) contains the programs and libraries below.',
        "Their licences are in the files named below them. sbom.json lists the same components for programs.",
    ]
    for item in sorted(components, key=lambda item: (item["name"].lower(), item["version"])):
        licence = f" ({item['licence']})" if item["licence"] else ""
        texts = item["texts"] or ["The package contains no licence text."]
        lines += ["", f"{item['name']} {item['version']}{licence}", *(f"    {text}" for text in texts)]
    return "\n".join(lines)


main(*sys.argv[1:2] or ["linux"])

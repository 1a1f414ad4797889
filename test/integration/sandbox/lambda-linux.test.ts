import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { StoreUnavailable } from "../../../src/errors.ts";
import { containerProblem, testFacts } from "../../support/environment-container.ts";
import { type LambdaLinuxFixture, lambdaLinuxFixture } from "../../support/lambda-linux.ts";

const problem = containerProblem();

let fixture: LambdaLinuxFixture;
beforeAll(async () => {
  if (problem === undefined) fixture = await lambdaLinuxFixture();
});
/** Objects on their way between a turn and the function. */
const stagedKeys = () => [...fixture.s3.objects.keys()].filter((key) => key.startsWith("staging/"));
afterAll(() => fixture?.[Symbol.asyncDispose]());
beforeEach(() => {
  if (!fixture) return;
  fixture.answerWith(undefined);
  fixture.s3.isDown = false;
  fixture.s3.onCopy = undefined;
});

describe.skipIf(problem !== undefined)(
  `programs in the container of a function${problem ? ` (${problem})` : ""}`,
  () => {
    it("get the files of the run, and what they change is stored in the run", async () => {
      const files = fixture.store({ "a.txt": "one\n", "sub/b.txt": "two\n", "gone.txt": "3", "same.txt": "4" });
      const { changed, ...result } = await fixture.sh(
        "cat a.txt sub/b.txt; echo err >&2; echo new >> a.txt; rm gone.txt; mkdir -p x/y; mv sub/b.txt x/y/c.txt; pwd",
        files,
      );
      expect(result).toEqual({
        output: "one\ntwo\nerr\n/work\n",
        exitCode: 0,
        deleted: expect.arrayContaining(["gone.txt", "sub/b.txt"]),
        notes: [],
      });
      const folders = { sub: "", x: "", "x/y": "" };
      expect(fixture.read(changed)).toEqual({ "a.txt": "one\nnew\n", "x/y/c.txt": "two\n", ...folders });
      // A renamed file has a content that is stored already, and folders have the same one.
      expect(fixture.s3.requests.filter((request) => request.startsWith("POST"))).toHaveLength(2);
    });

    it("run Python with the workspace as a place for modules, in a new environment each", async () => {
      const files = fixture.store({ "helper.py": "def twice(x):\n    return 2 * x\n" });
      const program = "import helper, os, sys\nprint(helper.twice(21), sorted(os.environ), sys.stdin.read())";
      const result = await fixture.python(program, files);
      expect(result.output).toMatch(/^42 \['HOME', 'LANG', /);
      expect(result.output).not.toMatch(/AWS|SECRET/);
      expect(result).toMatchObject({ exitCode: 0, changed: [], deleted: [], notes: [] });
      expect((await fixture.sh("ls -A; ls -A /tmp")).output).toBe(".program\nworkspace\n");
    });

    it("in JavaScript get and write files that do not fit into a message of Lambda", async () => {
      const noise = randomBytes(12_000_000);
      const [count, sent] = [fixture.invoked.length, fixture.s3.requests.length];
      const request = {
        engine: "javascript" as const,
        program:
          "const bytes = readBytes('noise.bin'); writeFile('copy.bin', bytes); writeFile('b', 'x'); bytes.length",
        files: [{ name: "noise.bin", content: noise }],
        seconds: 30,
      };
      const { signal } = new AbortController();
      const { written, ...result } = await fixture.sandbox.run(request, signal);
      expect(result).toEqual({ output: "12000000", notes: [] });
      expect(written.map(({ name }) => name).toSorted()).toEqual(["b", "copy.bin"]);
      expect(noise.equals(written.find(({ name }) => name === "copy.bin")?.content ?? Buffer.alloc(0))).toBe(true);
      for (const { bytes, answerBytes } of fixture.invoked.slice(count)) {
        expect(Math.max(bytes, answerBytes)).toBeLessThan(10_000);
      }
      const staged = fixture.s3.requests
        .slice(sent)
        .filter((each) => /^(PUT|GET) staging\/[^/]+\/(request|result)$/.test(each));
      expect(staged).toHaveLength(3); // the function stores the result with a signed form
      expect(stagedKeys()).toEqual([]);
      fixture.s3.requests.length = 0;
      expect(await fixture.sandbox.run({ ...request, program: "6 * 7", files: [] }, signal)).toMatchObject({
        output: "42",
      });
      expect(fixture.s3.requests).toEqual([]); // short messages are not staged
    });

    it("report their exit code, or that of the signal that ended them", async () => {
      expect(await fixture.sh("exit 3")).toMatchObject({ exitCode: 3, problem: "The program ended with exit code 3." });
      expect(await fixture.sh("kill -9 $$")).toMatchObject({ exitCode: 137 });
      expect(await fixture.python("raise SystemExit('no')")).toMatchObject({ exitCode: 1, output: "no\n" });
    });

    it("are stopped at their time, output and memory, and save nothing then", async () => {
      expect(await fixture.sh("echo x > f; echo started; sleep 60", [], 5)).toEqual({
        output: "started\n",
        problem: "The program was stopped: it took more than 5 seconds. No files were saved.",
        changed: [],
        deleted: [],
        notes: [],
      });
      const flood = await fixture.sh("yes");
      expect([flood.output.length, flood.problem]).toEqual([
        10_000_000,
        "The program was stopped: it printed more than 10000000 characters. No files were saved.",
      ]);
      const hungry = await fixture.python("x = []\nwhile True: x.append(bytearray(b'1') * (16 << 20))");
      expect(hungry.problem).toMatch(/^The program was stopped: it used more than 1728 MB of memory/);
      expect((await fixture.sh("echo fine")).output).toBe("fine\n");
    });

    it("leave no process behind, whatever it does to survive", async () => {
      const survivors = [
        "(trap '' TERM INT HUP; setsid sleep 1000 >/dev/null 2>&1 &)",
        "nohup sleep 1000 >/dev/null 2>&1 &",
        "sleep 1000 & sleep 1000 &",
        "python3 -c 'import os,time\nfor _ in range(20):\n  if os.fork() == 0:\n    os.setsid()\n    time.sleep(1000)' ",
        "echo started",
      ].join("\n");
      expect(await fixture.sh(survivors)).toMatchObject({ output: "started\n", exitCode: 0 });
      expect((await fixture.sh("cat /proc/[0-9]*/comm | sort -u")).output).not.toMatch(/sleep/);
      await fixture.sh(":(){ :|:& };:; sleep 2", [], 5);
      expect((await fixture.sh("echo fine; ls /proc | grep -c '^[0-9]'")).output).toMatch(/^fine\n\d\n$/);
    });

    it("leave no file behind, readable or not", async () => {
      await fixture.sh(
        "mkdir -p /tmp/a/b; echo secret > /tmp/a/b/c; chmod 000 /tmp/a/b/c /tmp/a/b /tmp/a; ln -s /etc /tmp/link\n" +
          "d=/tmp/deep; mkdir $d; cd $d; for i in $(seq 300); do mkdir -p $(printf 'n%.0s' $(seq 40)); cd n*; done; " +
          "printf x > $'/tmp/\\xff'; mkfifo /tmp/pipe",
      );
      expect((await fixture.sh("ls -A /tmp")).output).toBe(".program\nworkspace\n");
    });

    it("can change neither the function's process nor its files, and see none of its secrets", async () => {
      const attacks = [
        "for p in /proc/[0-9]*; do tr '\\0' '\\n' < $p/environ; done 2>/dev/null | grep -c of-the-function",
        "for p in /proc/[0-9]*; do case $(cat $p/cmdline | tr '\\0' ' ') in */index.js*node*|/opt/node*index.js*) (echo x > $p/mem) 2>&1 | sed 's/.*: //'; esac; done",
        "echo x 2>/dev/null > /usr/share/agent-environment/handler/index.js || echo read-only",
        "cat /opt/node >/dev/null 2>&1 || echo unreadable",
      ].join("\n");
      expect((await fixture.sh(attacks)).output).toBe("0\nPermission denied\nread-only\nunreadable\n");
      const traced = await fixture.python(
        "import ctypes, os\nlibc = ctypes.CDLL(None, use_errno=True)\n" +
          "for pid in [p for p in os.listdir('/proc') if p.isdigit()]:\n" +
          "    assert libc.ptrace(16, int(pid), 0, 0) == -1, pid\nprint(os.strerror(ctypes.get_errno()))",
      );
      expect(traced).toMatchObject({ output: "Operation not permitted\n", exitCode: 0 });
    });

    it("have no network: neither the platform's API on the loopback interface, nor S3, nor names", async () => {
      const program = `
import socket
for family, kind in ((2, 1), (2, 2), (10, 1), (16, 3), (17, 3), (38, 5), (40, 1)):
    try:
        socket.socket(family, kind)
        print(family, "works")
    except OSError as error:
        print(error.strerror)
try:
    socket.getaddrinfo("s3.amazonaws.com", 443)
except OSError as error:
    print(error)
a, b = socket.socketpair()
a.send(b"local sockets work")
print(b.recv(100).decode())`;
      const { output } = await fixture.python(program);
      expect(output).not.toMatch(/\d works/);
      expect(output).toMatch(/Network is unreachable/);
      expect(output).toMatch(/local sockets work\n$/);
      expect(fixture.s3.requests.length).toBeGreaterThan(0);
    });

    it("leave nothing in the kernel that the next program could find", async () => {
      const program = `
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
for call in (lambda: libc.shmget(7, 4096, 0o1666), lambda: libc.semget(7, 1, 0o1666), lambda: libc.msgget(7, 0o1666)):
    print(call())
print(libc.syscall(${process.arch === "arm64" ? 180 : 240}, b"queue", 0o102, 0o600, 0))`;
      expect((await fixture.python(program)).output).toBe("-1\n-1\n-1\n-1\n");
    });

    it("save files with accepted names only, and never through links", async () => {
      const result = await fixture.python(
        "import os\nfor name in ['ok.txt', 'CON', 'a:b', '-rf', ' blank', '..hidden']:\n    open(name, 'w').write(name)\n" +
          "open(b'\\xff\\xfe', 'w').close()\nos.symlink('/etc/passwd', 'passwd')\nos.link('ok.txt', 'hard.txt')\n" +
          "os.mkfifo('pipe')\nos.mkdir('d')\nos.symlink('/etc', 'd/etc')\nopen('back\\\\slash', 'w').close()\n",
      );
      const names = [" blank", "-rf", "..hidden", "CON", "a:b", "d", "hard.txt", "ok.txt"];
      expect(result.changed.map(({ name }) => name).toSorted()).toEqual(names);
      expect(fixture.read(result.changed)).toMatchObject({ "hard.txt": "ok.txt", "ok.txt": "ok.txt" });
      expect(result.notes.join(" ")).toMatch(/a symbolic link must lead to a place in the workspace: d\/etc, passwd\./);
      expect(result.notes.join(" ")).toMatch(/names are not accepted/);
      const locked = await fixture.sh("echo x > f; mkdir d; echo y > d/g; chmod 000 f d");
      expect(fixture.read(locked.changed)).toEqual({ f: "x\n", d: "", "d/g": "y\n" });
      expect(locked.changed.map(({ mode }) => mode)).toEqual([0, undefined, 0]);
    });
  },
);

describe.skipIf(problem !== undefined)("transfers of a function", () => {
  it("carry a file of 200 MB, and refuse a larger one", async () => {
    const content = Buffer.alloc(200 * 1024 * 1024, "0123456789abcdef");
    const files = fixture.store({ "large.bin": content });
    const result = await fixture.sh(
      "wc -c < large.bin; printf X | dd of=large.bin conv=notrunc status=none",
      files,
      60,
    );
    expect(result).toMatchObject({ output: `${content.length}\n`, exitCode: 0, changed: [{ size: content.length }] });
    const larger = await fixture.sh("head -c 200M /dev/zero > a; cat a a > b", [], 60);
    expect(larger.output).toMatch(/File too large|File size limit exceeded/);
    expect(fixture.invoked.every(({ bytes, answerBytes }) => bytes < 100_000 && answerBytes < 300_000)).toBe(true);
  });

  it("carry 2,000 files with the longest names in messages far below the limit of 6 MB", async () => {
    const folder = `${"f".repeat(250)}/${"g".repeat(250)}/${"h".repeat(250)}/`;
    const names = Array.from({ length: 2_000 }, (_, n) => `${folder}${String(n).padStart(240, "n")}`);
    const files = fixture.store(Object.fromEntries(names.map((name, n) => [name, String(n)])));
    const script = "find . -type f | wc -l; find . -type f -exec sh -c 'for f; do echo x >> \"$f\"; done' sh {} +";
    const result = await fixture.sh(script, files, 250);
    expect([result.output, result.changed.length]).toEqual(["2000\n", 2_000]);
    const { bytes, answerBytes } = fixture.invoked.at(-1) ?? { bytes: 0, answerBytes: 0 };
    expect([bytes, answerBytes].every((each) => each > 2_000_000 && each < 3_000_000)).toBe(true);
  });

  it("return a long output whole", async () => {
    const { output, exitCode } = await fixture.python("print('é' * 1_000_000)");
    expect([output.length, output.at(-2), exitCode]).toEqual([1_000_001, "é", 0]);
    expect(fixture.invoked.at(-1)?.answerBytes).toBeLessThan(1_000);
  });

  it("that fail make the call fail for now, not the turn", async () => {
    const files = fixture.store({ "a.txt": "x" });
    const key = [...fixture.s3.objects.keys()].at(-1) ?? "";
    fixture.s3.objects.delete(key);
    await expect(fixture.sh("cat a.txt", files)).rejects.toThrow(StoreUnavailable);
    await expect(fixture.sh("cat a.txt", files)).rejects.toThrow(/S3 answered 404 NoSuchKey/);
    fixture.s3.objects.set(key, Buffer.from("another"));
    await expect(fixture.sh("cat a.txt", files)).rejects.toThrow(/does not have the SHA-256/);
    expect((await fixture.sh("ls")).output).toBe("");
  });
});

describe.skipIf(problem !== undefined)("the caller of a function", () => {
  it("knows what the environment has from the environment, and asks once", async () => {
    expect(fixture.linux).toMatchObject({ engine: "lambda", facts: testFacts });
    expect(JSON.parse(fixture.s3.objects.get("environments/abc.json")?.toString() ?? "")).toEqual(testFacts);
    expect(fixture.invoked[0]?.tenant).toBe("facts");
    expect(new Set(fixture.invoked.slice(1).map(({ tenant }) => tenant))).toEqual(new Set(["agent-1"]));
  });

  it("stores nothing when the function has stored other contents than it says", async () => {
    const [known] = fixture.store({ "known.txt": "known" });
    const before = [...fixture.s3.objects.keys()];
    const changed = [{ name: "a.txt", size: 5, sha256: "a".repeat(64) }];
    const lie = async (answer: object) => {
      fixture.answerWith(async () => ({ answer: { output: "", changed: [], deleted: [], notes: [], ...answer } }));
      return fixture.sh("true", known ? [known] : []);
    };
    const refused = { problem: expect.stringContaining("stored other files than it reported"), changed: [] };
    expect(await lie({ changed })).toMatchObject(refused);
    expect(await lie({ changed: [{ ...known, size: 6 }] })).toMatchObject(refused);
    expect(await lie({ output: undefined })).toMatchObject(refused);
    await expect(lie({ changed: [{ ...changed[0], sha256: "../../texts/x" }] })).rejects.toThrow(
      "no valid changed.sha256",
    );
    await expect(lie({ deleted: "a" })).rejects.toThrow("no valid deleted");
    expect([...fixture.s3.objects.keys()]).toEqual(before);
  });

  it("notices an object that is replaced after it was checked", async () => {
    fixture.s3.onCopy = (key) => void fixture.s3.objects.set(key, Buffer.from("evil"));
    const { problem: found, changed } = await fixture.sh("echo good > a.txt");
    expect([found, changed]).toEqual([expect.stringContaining("stored other files than it reported"), []]);
    expect(
      [...fixture.s3.objects].filter(
        ([key, content]) => !key.startsWith("staging/") && content.equals(Buffer.from("evil")),
      ),
    ).toEqual([]);
  });

  it("deletes what a call left on its way, also when it failed", async () => {
    const { changed } = await fixture.sh("echo deleted after the call > new.txt; seq 60000");
    expect(fixture.read(changed)).toEqual({ "new.txt": "deleted after the call\n" });
    expect(stagedKeys()).toEqual([]);
    fixture.answerWith(async (event) => {
      await fixture.container.invoke(event);
      return { error: { errorType: "Sandbox.Timedout", errorMessage: "Task timed out" } };
    });
    expect(await fixture.sh("echo lost > lost.txt")).toMatchObject({ problem: expect.stringContaining("timed out") });
    expect(stagedKeys()).toEqual([]);
  });

  it("stops the program when it is aborted", async () => {
    const controller = new AbortController();
    const running = fixture.linux.run(
      { language: "shell", text: "sleep 300", files: [], seconds: 300 },
      controller.signal,
    );
    setTimeout(() => controller.abort(new Error("stopped by a person")), 500);
    await expect(running).rejects.toThrow("stopped by a person");
    // The container runs one program at a time.
    expect((await fixture.sh("echo next")).output).toBe("next\n");
  });

  it("leaves a program to its next invocation when too little time is left", async () => {
    await using late = await lambdaLinuxFixture({ deadline: Date.now() + 590_000 });
    expect((await late.sh("echo in time", [], 120)).output).toBe("in time\n");
    const calls = late.invoked.length;
    await expect(late.sh("echo late", [], 600)).rejects.toThrow(StoreUnavailable);
    expect(late.invoked).toHaveLength(calls);
  });

  it("bounds a program by what the invocation of the function has left", async () => {
    await using short = await lambdaLinuxFixture();
    short.answerWith((event) => short.container.invoke(event, 62_000));
    const { problem: found } = await short.sh("sleep 100", [], 600);
    expect(found).toMatch(/^The program was stopped: it took more than 1 seconds/);
  });

  it("reports a function that ended, whose next process works", async () => {
    fixture.answerWith(async () => ({
      error: { errorType: "Sandbox.Timedout", errorMessage: "Task timed out after 720.00 seconds" },
    }));
    const { problem: found } = await fixture.sh("true");
    expect(found).toBe("The sandbox function failed: Task timed out after 720.00 seconds.");
    await using container = await lambdaLinuxFixture();
    const killed = await container.sh(
      "for p in /proc/[0-9]*; do case ${p#/proc/} in $$|$PPID) ;; *) kill -9 ${p#/proc/};; esac; done 2>/dev/null; sleep 10",
    );
    expect(killed.problem).toMatch(/^The sandbox function failed: /);
    await container.container.ended;
  });

  it("has no environment that the deployment does not have", async () => {
    const { lambdaEnvironments } = await import("../../../src/platform/aws/linux.ts");
    const linuxOf = lambdaEnvironments({
      aws: { region: "us-east-1", credentials: { accessKeyId: "a", secretAccessKey: "b" }, endpoint: fixture.s3.url },
      environments: { linux: { functionName: "linux", image: "abc" } },
      isTenantIsolated: true,
      bucket: { name: "data", url: `${fixture.s3.url}/data` },
      objects: {
        adopt: async () => false,
        readText: async () => undefined,
        writeText: async () => {},
        removeAll: async () => {},
      },
    });
    expect(await linuxOf({ id: "run", agentId: "agent" }, "data", Date.now())).toEqual({
      unavailable: expect.stringMatching(/^This service has no environment "data"; it has linux\. An operator adds/),
    });
  });
});

import { type Attack, python, shell } from "./attacks.ts";

/** Attacks on the network. Those on the service itself and on abstract names of the host are in `service-attacks.test.ts`. */
export const network: Attack[] = [
  shell(
    "the only interface is the loopback of the sandbox",
    "tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '; wc -l </proc/net/route; wc -l </proc/net/tcp",
    "lo",
    "1",
    "1",
  ),
  python(
    "no address can be reached",
    `
import socket
def connect(family, address):
    s = socket.socket(family); s.settimeout(2); s.connect((address, 80))
for address in ("1.1.1.1", "8.8.8.8", "192.168.0.1", "10.0.0.1", "169.254.169.254", "255.255.255.255", "224.0.0.1"):
    attempt(address, lambda: connect(socket.AF_INET, address))
for address in ("2606:4700:4700::1111", "fe80::1", "fd00:ec2::254"):
    attempt(address, lambda: connect(socket.AF_INET6, address))`,
    "1.1.1.1 ENETUNREACH",
    "8.8.8.8 ENETUNREACH",
    "192.168.0.1 ENETUNREACH",
    "10.0.0.1 ENETUNREACH",
    "169.254.169.254 ENETUNREACH",
    "255.255.255.255 ENETUNREACH",
    "224.0.0.1 ENETUNREACH",
    "2606:4700:4700::1111 ENETUNREACH",
    "fe80::1 EINVAL",
    "fd00:ec2::254 ENETUNREACH",
  ),
  python(
    "no datagram can be sent",
    `
import socket
def send(address, port):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
    s.sendto(b"x", (address, port))
for address, port in (("8.8.8.8", 53), ("10.0.0.1", 53), ("224.0.0.251", 5353), ("255.255.255.255", 67)):
    attempt(address, lambda: send(address, port))`,
    "8.8.8.8 ENETUNREACH",
    "10.0.0.1 ENETUNREACH",
    "224.0.0.251 ENETUNREACH",
    "255.255.255.255 ENETUNREACH",
  ),
  python(
    "no name is resolved",
    `
import socket
for name in ("example.com", "localhost.localdomain", "metadata.google.internal", "host.docker.internal"):
    try: socket.getaddrinfo(name, 80); print(name, "resolved")
    except socket.gaierror: print("unknown")`,
    "unknown",
    "unknown",
    "unknown",
    "unknown",
  ),
  python(
    "raw and packet sockets are refused",
    `
import socket
attempt("icmp", lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1))
attempt("raw", lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 255))
attempt("icmp6", lambda: socket.socket(socket.AF_INET6, socket.SOCK_RAW, 58))
attempt("packet", lambda: socket.socket(17, socket.SOCK_RAW, 0x0300))
attempt("netlink", lambda: socket.socket(16, socket.SOCK_RAW, 0))
attempt("vsock", lambda: socket.socket(40, socket.SOCK_STREAM))
attempt("alg", lambda: socket.socket(38, socket.SOCK_SEQPACKET))`,
    "icmp EPERM",
    "raw EPERM",
    "icmp6 EPERM",
    "packet EAFNOSUPPORT",
    "netlink EAFNOSUPPORT",
    "vsock EAFNOSUPPORT",
    "alg EAFNOSUPPORT",
  ),
  shell(
    "bash, curl and git reach nothing",
    `(exec 3<>/dev/tcp/1.1.1.1/80) 2>/dev/null && echo tcp; (echo x >/dev/udp/8.8.8.8/53) 2>/dev/null && echo udp
command -v curl >/dev/null && { curl -s --max-time 3 http://1.1.1.1/ && echo curl; curl -s --max-time 3 http://127.0.0.1:8787/ && echo local; }
command -v git >/dev/null && git clone -q https://github.com/a/b x 2>/dev/null && echo git
python3 -m pip download six -q >/dev/null 2>&1 && echo pip; echo end`,
    "end",
  ),
  python(
    "interfaces and routes cannot be changed",
    `
import fcntl, socket, struct
datagrams = lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
attempt("address", lambda: fcntl.ioctl(datagrams(), 0x8916, struct.pack("16sH2s4s8s", b"lo", 2, b"", b"\\x0a\\x00\\x00\\x01", b"")))
attempt("flags", lambda: fcntl.ioctl(datagrams(), 0x8914, struct.pack("16sh22x", b"lo", 0)))
attempt("route", lambda: fcntl.ioctl(datagrams(), 0x890B, bytes(120)))
attempt("name", lambda: fcntl.ioctl(datagrams(), 0x8923, struct.pack("16s16s", b"lo", b"eth0")))
attempt("mark", lambda: datagrams().setsockopt(socket.SOL_SOCKET, 36, 1))
attempt("low port", lambda: socket.socket().bind(("127.0.0.1", 80)))`,
    "address EPERM",
    "flags EPERM",
    "route EPERM",
    "name EPERM",
    "mark EPERM",
    "low port EACCES",
  ),
  python(
    "its own servers work and end with the call",
    `
import socket
server = socket.create_server(("127.0.0.1", 18799)); client = socket.create_connection(("127.0.0.1", 18799))
client.send(b"x"); print(server.accept()[0].recv(1))
if os.fork() == 0:
    os.setsid(); import time; time.sleep(100)`,
    "b'x'",
  ),
  python(
    "sockets of the host in the file system are not there",
    `
import socket
for path in ("/run/dbus/system_bus_socket", "/var/run/docker.sock", "/run/podman/podman.sock", "/run/containerd/containerd.sock", "/run/systemd/private", "/tmp/.X11-unix/X0"):
    s = socket.socket(socket.AF_UNIX)
    attempt("connect", lambda: s.connect(path))`,
    ...Array.from({ length: 6 }, () => "connect ENOENT"),
  ),
];

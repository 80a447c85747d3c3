"""Two hosts for fleet.py: network namespaces with a name and an address of their own, a switch
between them, and an sshd in each. All of it is gone with this object. Needs root.
"""
import os
import pathlib
import shutil
import subprocess
import time

NETWORK = "10.78.0"


class CannotRun(Exception):
    """Why a rival is left out."""


def call(*words):
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise CannotRun(f"{words[0]} failed: {done.stderr.strip()}")
    return done.stdout


class Host:
    def __init__(self, name):
        words = ["unshare", "--net", "--uts", "sh", "-c",
                 'echo "$1" >/proc/sys/kernel/hostname && ip link set lo up && echo ready && '
                 "exec cat", "host", name]
        self.name = name
        self.holder = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        if self.holder.stdout.readline() != b"ready\n":
            raise CannotRun("network namespaces are not permitted here")
        self.wrapper = ["nsenter", f"--net=/proc/{self.holder.pid}/ns/net",
                        f"--uts=/proc/{self.holder.pid}/ns/uts", "--"]

    def close(self):
        self.holder.kill()
        self.holder.wait()


class Hosts:
    """`switch` for the server and the coordinator, `hosts` for the workers."""

    def __init__(self, folder, count=2):
        if os.geteuid() != 0:
            raise CannotRun("it needs root")
        for tool in ("ip", "nsenter", "unshare"):
            if not shutil.which(tool):
                raise CannotRun(f"there is no {tool} here")
        self.folder = pathlib.Path(folder)
        self.address = f"{NETWORK}.1"
        self.hosts, self.addresses, self.servers = [], [], []
        self.switch = Host("switch")
        try:
            self.connect(count)
        except CannotRun:
            self.close()
            raise

    def connect(self, count):
        here = self.switch.wrapper
        call(*here, "ip", "link", "add", "bridge", "type", "bridge")
        call(*here, "ip", "addr", "add", f"{self.address}/24", "dev", "bridge")
        call(*here, "ip", "link", "set", "bridge", "up")
        for number in range(count):
            host = Host(f"host{number + 1}")
            self.hosts.append(host)
            self.addresses.append(f"{NETWORK}.{number + 2}")
            call(*here, "ip", "link", "add", f"port{number}", "type", "veth", "peer", "name",
                 "cable", "netns", host.holder.pid)
            call(*here, "ip", "link", "set", f"port{number}", "master", "bridge", "up")
            call(*host.wrapper, "ip", "addr", "add", f"{self.addresses[-1]}/24", "dev", "cable")
            call(*host.wrapper, "ip", "link", "set", "cable", "up")

    def start_ssh(self):
        """The words of an ssh that gets into the hosts without questions."""
        server = shutil.which("sshd") or "/usr/sbin/sshd"
        if not os.path.exists(server):
            raise CannotRun("there is no sshd here (Debian: openssh-server)")
        os.makedirs("/run/sshd", exist_ok=True)
        for name in ("host_key", "user_key"):
            call("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.folder / name)
        shutil.copy(self.folder / "user_key.pub", self.folder / "authorized")
        config = self.folder / "sshd_config"
        config.write_text(f"HostKey {self.folder}/host_key\n"
                          f"AuthorizedKeysFile {self.folder}/authorized\n"
                          "StrictModes no\nUsePAM no\nPermitRootLogin yes\nPidFile none\n"
                          "MaxStartups 200\nMaxSessions 200\n", encoding="utf-8")
        for host, address in zip(self.hosts, self.addresses):
            self.servers.append(subprocess.Popen(
                [*host.wrapper, server, "-D", "-f", config, "-o", f"ListenAddress={address}"],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        words = ["ssh", "-F", "none", "-i", self.folder / "user_key", "-o",
                 "StrictHostKeyChecking=no", "-o", f"UserKnownHostsFile={self.folder}/known", "-o",
                 "LogLevel=ERROR"]
        for address in self.addresses:
            for attempt in range(50):
                try:
                    call(*self.switch.wrapper, *words, address, "true")
                    break
                except CannotRun:
                    if attempt == 49:
                        raise
                    time.sleep(0.1)
        return words

    def cpu_seconds(self):
        """Of everything that has run under the sshds and has ended, and of themselves."""
        return sum(cpu_seconds(server.pid) for server in self.servers)

    def close(self):
        for server in self.servers:
            server.kill()
            server.wait()
        for host in [*self.hosts, self.switch]:
            host.close()


def cpu_seconds(pid):
    """Of a process and of those of its children that it has waited for."""
    with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
        fields = file.read().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")

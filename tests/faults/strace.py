"""How tests let strace watch and spoil system calls."""
import pathlib


def strace(log: pathlib.Path | str, *words: str) -> tuple[str, ...]:
    """The words before a command. It stops only at the calls that are traced (--seccomp-bpf), at all
    of them where a signal is injected: strace 6.1 would inject none."""
    injects_signal = any(word.startswith("inject=") and "signal=" in word for word in words)
    fast = () if injects_signal else ("--seccomp-bpf",)
    return ("strace", "-f", "-qq", *fast, "-e", "signal=none", "-o", str(log), *words)

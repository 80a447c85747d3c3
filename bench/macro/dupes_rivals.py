"""Other programs that find duplicates: how each is asked the same question as `tidemill dupes`.

The question: groups of regular files of at least one byte with the same contents, hidden ones too,
where several names of one file (hard links) are one file. Each answers once in a form from which
its groups can be counted, and from then on with its shortest output.
"""
import collections
import re
import shutil
import subprocess

Rival = collections.namedtuple("Rival", "name command counting count")


def count_lines(pattern):
    """Groups are lines that begin so."""
    return lambda lines: sum(line.startswith(pattern) for line in lines)


def told(pattern):
    """The program says the number itself; without duplicates it says something else."""
    def count(lines):
        found = [int(match[1]) for line in lines if (match := re.search(pattern, line))]
        return found[-1] if found else 0
    return count


def rivals(root):
    jdupes, rmlint = ["jdupes", "-r", "-q"], ["rmlint", "-r", "-T", "df", "-L"]
    rdfind, fclones = ["rdfind", "-dryrun", "true", "-outputname"], ["fclones", "group", "-.", "-A"]
    czkawka = ["czkawka_cli", "dup", "-m1", "-sHASH", "-tXXH3", "-H", "-W"]
    sets = told(rb"\(in (\d+) sets\)")
    everybody = [
        Rival("jdupes -Q", [*jdupes, "-Q", root], [*jdupes, "-Q", "-m", root], sets),
        Rival("jdupes", [*jdupes, root], [*jdupes, "-m", root], sets),
        Rival("rmlint", [*rmlint, "-o", "summary:stdout", root],
              [*rmlint, "-o", "json:stdout", root], count_lines(b'  "is_original": true')),
        Rival("rdfind", [*rdfind, "/dev/null", root], [*rdfind, "/dev/stdout", root],
              count_lines(b"DUPTYPE_FIRST_OCCURRENCE ")),
        Rival("fclones", [*fclones, "-o", "/dev/null", root], [*fclones, "-f", "json", root],
              told(rb'"group_count": *(\d+)')),
        Rival("czkawka", [*czkawka, "-N", "-d", root], [*czkawka, "-d", root],
              told(rb"in (\d+) groups")),
    ]
    return [rival for rival in everybody if shutil.which(rival.command[0])]


def groups_of(rival, folder, environment):
    """How many groups it finds; None when it fails."""
    with subprocess.Popen(rival.counting, cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as child:
        groups = rival.count(child.stdout)
    return groups if child.returncode == 0 else None

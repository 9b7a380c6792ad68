"""Tries laws on random texts: `make fuzz`, or python -m tests.fuzz [--seconds N] [--law NAME] [--seed N].

With atheris, branches that no text took before lead the first half of the search. The rest, without atheris all of it,
is a loop over random changes of known texts. A case that breaks a law is made smaller and written to build/fuzz: mend
what it shows, and keep it in tests/fuzz/found. Exit code 1 then.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import time
import traceback
from importlib.util import find_spec

from tests.fuzz import cases, laws
from tests.process import ROOT

OUTPUT = ROOT / "build" / "fuzz"
ROUND = 200
SLOWER_WITH_ATHERIS = 6.0
TRIES = 3


def problem(law: str, text: str) -> str | None:
    """Return what is wrong with a case, None if the law holds for it.

    A busy machine slows a text down once: one that is too slow is so each time.
    """
    found = None
    for _ in range(TRIES):
        try:
            laws.LAWS[law](text, cases.die(text))
        except laws.SlowError:
            found = traceback.format_exc()
        except Exception:  # noqa: BLE001 - whatever it is, it is what is looked for
            return traceback.format_exc()
        else:
            return None
    return found


def kind(problem: str) -> str:
    """Return the last line of a traceback, and where it comes from, without what differs from case to case."""
    lines = [line.strip() for line in problem.splitlines() if line.startswith("  File ")]
    return f"{lines[-1].partition(', in ')[0]} {problem.strip().splitlines()[-1].partition(':')[0]}"


def smaller(law: str, text: str, seconds: float = 20.0) -> str:
    """Return a smaller text that breaks the law in the same way."""
    wanted, until = kind(problem(law, text) or "File ?"), time.monotonic() + seconds
    size = len(text)
    while size and time.monotonic() < until:
        start = 0
        while start < len(text) and time.monotonic() < until:
            shorter = text[:start] + text[start + size :]
            found = problem(law, shorter)
            if found is not None and kind(found) == wanted:
                text = shorter
            else:
                start += size
        size //= 2
    return text


def keep(law: str, text: str, found: str) -> None:
    """Write a case, and tell of it."""
    OUTPUT.mkdir(parents=True, exist_ok=True)
    path = OUTPUT / f"{law}-{cases.die(text).getrandbits(32):08x}.yaml"
    path.write_bytes(text.encode(errors="surrogatepass"))
    say(f"{law}: {path.relative_to(ROOT)}\n{found}")


def say(line: str) -> None:
    """Print a line, now: whoever waits for minutes wants to see something."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def search(law: str, seconds: float, seed: int) -> tuple[int, int]:
    """Try random texts for a time, and return how many were tried, and how many break the law."""
    dice, texts, until = random.Random(seed), cases.corpus(law), time.monotonic() + seconds  # noqa: S311 - as above
    tried, kinds = 0, set[str]()
    while time.monotonic() < until:
        text = cases.changed(texts, dice)
        found, tried = problem(law, text), tried + 1
        if found is not None and kind(found) not in kinds:
            kinds.add(kind(found))
            least = smaller(law, text)
            keep(law, least, problem(law, least) or found)
    return tried, len(kinds)


def guided(law: str, seconds: float) -> None:
    """Let atheris search; it ends the process, with an error where the law is broken."""
    import atheris  # noqa: PLC0415 - where it is

    laws.SLOWER = SLOWER_WITH_ATHERIS
    texts = cases.corpus(law)
    for module in [module for name, module in sys.modules.items() if name.partition(".")[0] in ("krm", "expand_vars")]:
        for name, value in vars(module).items():
            if callable(value) and getattr(value, "__module__", None) == module.__name__ and hasattr(value, "__code__"):
                setattr(module, name, atheris.instrument_func(value))

    def one(data: bytes) -> None:
        text = data.decode(errors="ignore")
        found = problem(law, text)
        if found is not None:
            keep(law, text, found)
            raise AssertionError(law)

    def mutate(data: bytes, most: int, seed: int) -> bytes:
        dice = random.Random(seed)  # noqa: S311 - as above
        if dice.random() < 0.3:
            return bytes(atheris.Mutate(data, most))
        return cases.changed([data.decode(errors="ignore"), *dice.sample(texts, 3)], dice).encode()[:most]

    seeds = OUTPUT / f"{law}-corpus"
    seeds.mkdir(parents=True, exist_ok=True)
    for number, text in enumerate(texts):
        (seeds / str(number)).write_bytes(text.encode())
    options = [f"-max_total_time={seconds:.0f}", "-max_len=200000", "-verbosity=0", "-print_final_stats=1"]
    atheris.Setup([sys.argv[0], str(seeds), *options], one, custom_mutator=mutate)
    atheris.Fuzz()


def main() -> int:
    """Search, and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=140, help="for all laws together")
    parser.add_argument("--law", choices=laws.LAWS, action="append", help="this one alone")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--guided", action="store_true", help="with atheris: one law in this process")
    options = parser.parse_args()
    chosen = options.law or [*laws.LAWS]
    if options.guided:
        guided(chosen[0], options.seconds)
    share, broken = options.seconds / len(chosen), 0
    for law in chosen:
        if find_spec("atheris"):
            share_of_one = share / 2
            command = [sys.executable, "-m", "tests.fuzz", "--guided", "--law", law, "--seconds", str(share_of_one)]
            broken += subprocess.run(command, cwd=ROOT, check=False).returncode != 0
        else:
            share_of_one = share
        tried, kinds = search(law, share_of_one, options.seed)
        broken += kinds
        say(f"{law}: {tried} texts, {kinds} ways to break the law; seed {options.seed}")
    return int(broken > 0)


if __name__ == "__main__":
    sys.exit(main())

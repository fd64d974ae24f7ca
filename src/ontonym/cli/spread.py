"""Where the work of the bulk verbs is done, and jobs of files: options of several verbs."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from ontonym.cli.options import Opt, OptionGroup
from ontonym.cli.progress import Bar
from ontonym.cli.terminal import echo
from ontonym.distributed.dask import workers_on
from ontonym.distributed.files import FilesDone, JobPart, answer_files, problems
from ontonym.errors import InputError
from ontonym.index import Index
from ontonym.serve.answering import AnsweringOptions
from ontonym.serve.answers import OutputChoice
from ontonym.tasks.jobs import Jobs
from ontonym.text.counting import count, first_few

_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Spread:
    """Where the work is done, as `workers_on` takes it, and which part of a job of files."""

    on: str | None = None
    part: str | None = None

    def workers(self, jobs: int) -> AbstractContextManager[Jobs]:
        """What shares the work."""
        return workers_on(self.on, jobs)

    def files(self, index: Index, folder: str, output: OutputChoice, options: AnsweringOptions, jobs: int) -> FilesDone:
        """Answers the files of a folder, and says on stderr how many are done; InputError for those that are not."""
        part = JobPart() if self.part is None else JobPart.parse(self.part)
        with self.workers(jobs) as workers, Bar("answering") as bar:
            done = answer_files(index, folder, output, options, part=part, jobs=workers, advance=bar.advance)
        parts = [f"{len(done.now):,} done now", f"{len(done.before):,} done before"]
        parts += [f"{len(done.empty):,} empty"] if done.empty else []
        parts += [f"{len(done.failed):,} that cannot be read"] if done.failed else []
        whole = "" if part.of == 1 else f", part {part} of {done.total:,}"
        files = count(len(done.now) + len(done.before) + len(done.empty) + len(done.failed), "file")
        echo(f"{files}{whole} = {' + '.join(parts)}; {output.path} says in _job what is done", err=True)
        malformed = [one for one in (*done.now, *done.before) if one.malformed]
        if malformed:
            rows = count(sum(one.malformed for one in malformed), "malformed row")
            echo(f"{rows} without an answer, in {first_few((one.name for one in malformed), _SHOWN)}", err=True)
        replaced = [one for one in done.now if one.replaced]
        if replaced:
            echo(f"{first_few((one.name for one in replaced), _SHOWN)}: {replaced[0].replaced}", err=True)
        if done.folders:
            inner = first_few(done.folders, _SHOWN)
            echo(f"not read: {count(len(done.folders), 'folder')} in {folder} ({inner})", err=True)
        if done.failed:
            raise InputError(problems(done.failed))
        return done

    def check_single(self, file: str) -> None:
        """Raises InputError where a part of a single file is asked for."""
        if self.part is not None:
            raise InputError(f"{file}: is one file, and --part is a part of the files of a folder")


SPREAD = OptionGroup(
    Spread(),
    on=Opt(
        "Where the work is done: dask://HOST:PORT, the scheduler of a Dask cluster, or dask, which starts --jobs "
        "workers of Dask here; by default processes of this machine.",
        "--on",
        "WHERE",
    ),
    part=Opt(
        "Where FILE is a folder: answer only this part of its files, so that several machines share them.",
        "--part",
        "3/16",
    ),
)
"""Where the work is done: `Spread`."""


def is_files(folder: str, output: OutputChoice, *, named: bool) -> bool:
    """Whether each file of a folder is to be answered by itself; ``named``: only where the output is a folder too."""
    try:
        if folder == "-" or not Path(folder).is_dir():
            return False
    except (OSError, ValueError):  # longer than a name can be
        return False
    return not named or (output.path is not None and (output.path.endswith("/") or Path(output.path).is_dir()))


on_option = SPREAD.but("on").as_("spread")
"""Where the work is done, of verbs that know no jobs of files."""

"""The pages as a site, with search: the README, all of docs/, and the pages for those who take part.

python -m scripts.website DIRECTORY
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["urls"]["Source"]
PICTURES = {path.relative_to(ROOT): path.name for path in ROOT.glob("docs/**/*.svg")}
# In the order in which they are read.
GROUPS = {
    "Guides": ["eval", "setters", "flux", "gitops", "helm", "migration", "scale", "faq"],
    "Guides: generate and merge": ["generate", "wrap", "git", "sdk"],
    "Reference": ["words", "expansion", "functionconfig", "command-line", "results", "packages", "runs-in-place"],
    "Reference: generate and merge": ["generated-resources", "merge", "lossless-yaml", "api"],
    "Background": ["architecture", "performance", "reliability", "versions"],
}
PROJECT = {"CHANGELOG": "changes", "CONTRIBUTING": "contributing", "SECURITY": "security"}
WRITTEN = {path.stem: path.relative_to(ROOT) for path in ROOT.glob("docs/*/*.md")}
PAGES = {
    Path("README.md"): "index.md",
    **{WRITTEN[name]: f"{name}.md" for names in GROUPS.values() for name in names},
    **{Path(f"{page}.md"): f"{name}.md" for page, name in PROJECT.items()},
}
LINK = re.compile(r"\]\((?!\w+:)([^)#\s]+)(#[^)\s]*)?\)")
# No font and no count of stars is fetched from elsewhere: each page is whole by itself.
CONFIG = """\
[project]
site_name = "expand-vars"
site_description = "A KRM function that expands $(VAR) references exactly as Kubernetes would"
docs_dir = "pages"
site_dir = "site"
use_directory_urls = false
nav = [NAVIGATION]

[project.theme]
font = false
features = ["content.code.copy", "navigation.sections", "navigation.top", "search.highlight", "toc.follow"]
palette = [
  {media = "(prefers-color-scheme: light)", scheme = "default", toggle.icon = "lucide/sun", toggle.name = "Dark"},
  {media = "(prefers-color-scheme: dark)", scheme = "slate", toggle.icon = "lucide/moon", toggle.name = "Light"},
]

[project.markdown_extensions]
attr_list = {}
tables = {}
"pymdownx.highlight" = {}
"pymdownx.superfences" = {}

[project.markdown_extensions.toc]
slugify = {object = "pymdownx.slugs.slugify", kwds.case = "lower"}
"""


def navigation() -> str:
    """Return the order of the pages, as TOML has it."""
    groups = {**GROUPS, "Project": [*PROJECT.values()]}
    listed = {group: ", ".join(f'"{name}.md"' for name in names) for group, names in groups.items()}
    return ", ".join(
        ['{"expand-vars" = "index.md"}', *(f'{{"{group}" = [{names}]}}' for group, names in listed.items())]
    )


def staged(page: Path) -> str:
    """Return the text of a page, whose links lead to pages of the site, or to the repository."""
    return LINK.sub(lambda found: f"]({address(page, found[1])}{found[2] or ''})", (ROOT / page).read_text())


def address(page: Path, target: str) -> str:
    """Return what a link of a page to a file of the project is in the site."""
    path = (ROOT / page.parent / target).resolve().relative_to(ROOT)
    there = {**PAGES, **PICTURES}.get(path)
    return there or f"{SOURCE}/{'tree' if (ROOT / path).is_dir() else 'blob'}/main/{path}"


def build(site: Path) -> None:
    """Build the site into a directory, in the place of what is there."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "pages").mkdir()
        for page, staged_as in PAGES.items():
            (folder / "pages" / staged_as).write_text(staged(page))
        for picture in PICTURES:
            shutil.copy(ROOT / picture, folder / "pages")
        (folder / "zensical.toml").write_text(CONFIG.replace("NAVIGATION", navigation()))
        program = Path(sys.executable).parent / "zensical"
        done = subprocess.run([program, "build", "--strict"], cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(done.stdout + done.stderr)
        shutil.rmtree(site, ignore_errors=True)
        shutil.copytree(folder / "site", site)


if __name__ == "__main__":
    build(Path(sys.argv[1]))

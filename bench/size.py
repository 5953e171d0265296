"""What the default install weighs: wheels are built, put into a fresh environment, and its packages are added up.

    python bench/size.py

No Node is called; the page's built files are in the wheel. Sizes are those of files without compiled `.pyc`, in
millions of bytes.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import venv
import zipfile
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SHOWN = 14


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        wheels, home = Path(folder) / "wheels", Path(folder) / "home"
        pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "wheel", "--no-deps", "-w", str(wheels), str(ROOT), str(ROOT / "weights")], check=True)
        (product,) = wheels.glob("citeleaf-*.whl")
        with zipfile.ZipFile(product) as held:
            pages = [name for name in held.namelist() if name.endswith("index.html")]
        venv.create(home, with_pip=True, clear=True)
        python = home / ("Scripts" if os.name == "nt" else "bin") / "python"
        found = [str(path) for path in wheels.glob("*.whl")]
        subprocess.run(
            [str(python), "-m", "pip", "--quiet", "--disable-pip-version-check", "install", *found], check=True
        )
        asked = "import sysconfig; print(sysconfig.get_path('purelib'))"
        place = Path(
            subprocess.run([str(python), "-c", asked], capture_output=True, text=True, check=True).stdout.strip()
        )
        sizes = Counter[str]()
        for path in place.rglob("*"):
            name = path.relative_to(place).parts[0]
            if path.is_file() and path.suffix != ".pyc" and not name.startswith(("pip", "setuptools", "_distutils")):
                sizes[name.removesuffix(".libs").split("-")[0]] += path.stat().st_size
        answered = subprocess.run(
            [str(python.with_name("citeleaf")), "demo"],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "CITELEAF_LIBRARY": str(Path(folder) / "library")},
            cwd=folder,
        )
    print(f"wheel: {', '.join(pages) or 'no page'}")
    outcomes = [word for word in ("answered", "abstained", "refused", "escalated") if word in answered.stdout]
    print(f"demo in the fresh environment ends with {answered.returncode}, shows: {', '.join(outcomes)}")
    for name, size in sizes.most_common(SHOWN):
        print(f"{size / 1e6:8.1f} MB  {name}")
    rest = sum(size for _, size in sizes.most_common()[SHOWN:])
    print(f"{rest / 1e6:8.1f} MB  {len(sizes) - SHOWN} others\n{sizes.total() / 1e6:8.1f} MB  in all")


if __name__ == "__main__":
    main()

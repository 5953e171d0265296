"""Takes the pictures of the page that the browser tests leave into the documentation, in 128 colours.

make browser && python docs/pictures.py
"""

from __future__ import annotations

from pathlib import Path

from PIL import Image

HERE = Path(__file__).parent
TAKEN = ("answer", "trace", "abstained", "weak-states")


def main() -> None:
    """Writes docs/pictures."""
    (HERE / "pictures").mkdir(exist_ok=True)
    for name in TAKEN:
        with Image.open(HERE.parent / "build" / "browser" / f"{name}.png") as picture:
            picture.convert("RGB").quantize(128).save(HERE / "pictures" / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main()

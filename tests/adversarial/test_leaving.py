"""The reader leaves, the work stops: nothing of a hundred dropped questions goes on."""

from __future__ import annotations

import random
import threading
import time

import pytest

from citeleaf.chat import stopped_by
from citeleaf.errors import Cancelled
from support.fake_model import FakeModel
from support.models import answer, generator

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])


def test_a_hundred_readers_leave_and_nothing_goes_on() -> None:
    chance = random.Random(11)
    ends: list[str] = []
    with FakeModel("slow") as fake:
        model = generator(fake.address, load_s=60, idle_s=60, total_s=120)
        model.warm_up()
        time.sleep(0.3)
        before = threading.active_count()

        def ask(after: float) -> None:
            stop = threading.Event()
            timer = threading.Timer(after, stop.set)
            timer.start()
            try:
                with stopped_by(stop):
                    answer(model)
                ends.append("done")
            except Cancelled:
                ends.append("cancelled")
            finally:
                timer.cancel()

        for _ in range(5):
            threads = [threading.Thread(target=ask, args=(chance.uniform(0, 0.4),)) for _ in range(20)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(10)
        left = time.monotonic()
        while (fake.open or threading.active_count() > before) and time.monotonic() < left + 2:
            time.sleep(0.05)
        assert fake.open == 0
        assert threading.active_count() <= before
    assert len(ends) == 100
    assert ends.count("cancelled") > 50

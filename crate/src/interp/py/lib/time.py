"""Clocks: none runs here, so that a script gives the same result each time."""


def time():
    return 0.0


perf_counter = monotonic = process_time = time


def perf_counter_ns():
    return 0


time_ns = monotonic_ns = perf_counter_ns


def sleep(seconds):
    pass

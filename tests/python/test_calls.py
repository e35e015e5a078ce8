# SPDX-License-Identifier: MIT
"""Long calls: Ctrl-C, threads, and memory over many of them."""

import resource
import subprocess
import sys
import textwrap
import threading

import numpy as np

import fathom as fa
from support import SOURCE, camera, room, same, stereo


def run(code, **more):
    return subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=120, **more)


LONG = """
    import os, signal, threading, time
    import fathom as fa

    # A shell starts what it runs in the background with this signal ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)

    scene = fa.Scene()
    scene.add_entity("room", fa.sphere(5.0, 512))
    scene.add_entity("ball", fa.sphere(1.0, 512), [2, 0, 0])
    noise = [fa.noise.Distance(stddev_m=0.1)]

    # Calls, and sends the signal as soon as a probe of another thread is refused: the call is at work then.
    def call_and_interrupt(call, probe):
        def watch():
            while True:
                time.sleep(0.005)
                try:
                    probe()
                except RuntimeError:
                    return os.kill(os.getpid(), signal.SIGINT)
        threading.Thread(target=watch, daemon=True).start()
        while True:
            try:
                call()
                return print("ended by itself")
            except RuntimeError as error:  # the probe came first
                assert "one thread at a time" in str(error)
"""
LONG_RENDER = LONG + """
    big = fa.Sensor("big", fa.sensors.camera_from_fov(3000, 3000, 2.0), noise=noise)
    simulator = fa.Simulator(scene, [big], threads=1)
    small = simulator.add_sensor(fa.Sensor("small", fa.sensors.camera_from_fov(8, 6, 2.0)))
"""


def test_ctrl_c_stops_a_render():
    """Nine million rays take seconds; a signal during the call ends it, and the simulator is of use afterwards."""
    done = run(LONG_RENDER + """
    try:
        call_and_interrupt(lambda: simulator.render("big", 0, ("range",)), lambda: simulator.set_noise(small, []))
    except KeyboardInterrupt:
        print("interrupted", simulator.render(small).reasons()["hit"])
    """)
    assert done.stdout.strip() == "interrupted 48", done.stdout + done.stderr


def test_what_a_handler_raises_comes_out():
    done = run(LONG_RENDER + """
    class Mine(Exception): pass
    def handler(*_): raise Mine("from the handler")
    signal.signal(signal.SIGINT, handler)
    try:
        call_and_interrupt(lambda: simulator.render("big", 0, ("range",)), lambda: simulator.set_noise(small, []))
    except Mine as mine:
        print(mine)
    """)
    assert done.stdout.strip() == "from the handler", done.stdout + done.stderr


def test_ctrl_c_stops_environments():
    done = run(LONG + """
    envs = fa.Environments(scene, fa.Sensor("e", fa.sensors.camera_from_fov(640, 480, 2.0), noise=noise), 30, threads=1)
    try:
        call_and_interrupt(lambda: envs.render(0, channels=("range",)), lambda: envs.reset([0], episode=0))
    except KeyboardInterrupt:
        envs.reset()
        print("interrupted")
    """)
    assert done.stdout.strip() == "interrupted", done.stdout + done.stderr


def test_two_simulators_in_two_threads():
    scene = room()
    wanted = [fa.Simulator(scene, [stereo(noise=fa.noise.Distance(stddev_m=0.1))], seed=s).render(0, 7).range for s in range(2)]
    got = [[], []]

    def work(s):
        simulator = fa.Simulator(scene, [stereo(noise=fa.noise.Distance(stddev_m=0.1))], seed=s, threads=1)
        for _ in range(50):
            got[s].append(simulator.render(0, 7).range.copy())

    threads = [threading.Thread(target=work, args=(s,)) for s in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for s in range(2):
        assert len(got[s]) == 50 and all(same(array, wanted[s]) for array in got[s])


def test_the_gil_is_free_while_rendering():
    """Another thread counts while one render is at work, and the same object refuses a second call meanwhile."""
    big = fa.Sensor("big", fa.sensors.camera_from_fov(2500, 2000, 2.0), [-3, 0, 1])
    simulator = fa.Simulator(room(), [big, camera()], threads=1)
    out = fa.Frame(("range",))
    entered, refused, counted = threading.Event(), [], [0]
    ended = threading.Event()

    def watch():
        entered.wait()
        while not ended.is_set():
            counted[0] += 1
            if counted[0] % 100 == 0:
                try:
                    simulator.render("camera", 0)
                except RuntimeError as error:
                    refused.append(str(error))

    thread = threading.Thread(target=watch)
    thread.start()
    entered.set()
    simulator.render("big", 0, out=out)
    ended.set()
    thread.join()
    assert counted[0] > 100 and refused, "nothing else ran, or both rendered at once"
    assert "one thread at a time" in refused[0]
    assert np.isfinite(simulator.render("camera", 0).range).any(), "and is of use afterwards"


def test_where_a_sensor_is_is_not_asked_while_it_renders():
    """The answer follows changes of the scene, which a frame at work reads."""
    big = fa.Sensor("big", fa.sensors.camera_from_fov(2500, 2000, 2.0), [-3, 0, 1])
    simulator = fa.Simulator(room(), [big], threads=1)
    refused = []
    thread = threading.Thread(target=lambda: simulator.render("big", 0, "range"))
    thread.start()
    while thread.is_alive():
        try:
            simulator.world_from_sensor("big")
        except RuntimeError as error:
            refused.append(str(error))
    thread.join()
    assert refused and "one thread at a time" in refused[0]
    assert simulator.world_from_sensor("big").position_m.tolist() == [-3, 0, 1]


def test_a_scene_changes_while_its_runs_are_made(tmp_path):
    """What on_progress adds to the scene shows in later runs, and those at work are not disturbed."""
    done = run(f"""
        import fathom as fa
        setup = fa.load("{SOURCE / 'examples' / '04_frames_from_a_scene' / 'room.yaml'}", ["frames=2"])
        digests = [[s["digest"] for s in setup.run_many("{tmp_path}/before", range(4), digest=True)["sensors"]]]

        def grow(progress):
            for _ in range(500):
                setup.scene.add_entity(f"more {{len(setup.scene.entity_names)}}", fa.box([0.1, 0.1, 0.1]), [2, 0, 1])

        digests.append([s["digest"] for s in setup.run_many("{tmp_path}/while", range(4), digest=True,
                                                            on_progress=grow)["sensors"]])
        print(digests[0] == digests[1])
    """)
    assert done.stdout.strip() == "True", done.stdout + done.stderr


def test_none_is_no_scene():
    for call in ("fa.Simulator(None)", "fa.Environments(None, [], 2)", "fa.PlacedRobot(fa.Scene(), None)"):
        done = run(f"""
            import fathom as fa
            try:
                {call}
            except TypeError:
                print("refused")
        """)
        assert done.stdout.strip() == "refused", call + done.stderr


def test_one_frame_is_not_for_two():
    """A frame that is being rendered into is refused elsewhere."""
    big = fa.Sensor("big", fa.sensors.camera_from_fov(2500, 2000, 2.0), [-3, 0, 1])
    first, second = fa.Simulator(room(), [big], threads=1), fa.Simulator(room(), [camera()], threads=1)
    out = fa.Frame(("range",))
    refused = []
    thread = threading.Thread(target=lambda: first.render("big", 0, out=out))
    thread.start()
    while thread.is_alive():
        try:
            second.render("camera", 0, out=out)
        except RuntimeError as error:
            refused.append(str(error))
    thread.join()
    assert refused and "this Frame" in refused[0]


def test_resident_memory_does_not_grow():
    """Thousands of frames, arrays and scene changes leave no byte behind."""

    def work(count):
        scene = room()
        simulator = fa.Simulator(scene, [camera(noise=fa.noise.Distance(stddev_m=0.1))], threads=1)
        out = fa.Frame(("range", "reason"))
        for k in range(count):
            scene.set_pose("ball", fa.Pose([0, 0, 1 + 0.001 * (k % 100)]))
            simulator.render("camera", k, out=out)
            frame = simulator.render("camera", k, ("range", "hit_sensor") if k % 2 else ("depth",))
            frame.points() if k % 2 else frame.depth
            fa.Frame(("range",))

    work(200)
    before = int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize()
    work(2000)
    grown = int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize() - before
    # A frame of 24 x 32 floats is 3 kB: a leak of one array per frame would be 6 MB.
    assert grown < 2_000_000, f"{grown} bytes more after 2000 frames"

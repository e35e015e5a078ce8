# SPDX-License-Identifier: MIT
"""A robot of MuJoCo walks through a room and looks at it with a stereo camera that loses each geom in its own way."""

import math
import sys

import numpy as np

import fathom as fa


def walk(model, data):
    """Two triples of legs by turns: one stands and pushes while the other swings forward in the air."""
    for leg in range(model.nu // 2):
        phase = 2 * math.pi * 2.0 * data.time + (0 if leg in (0, 2, 4) else math.pi)
        data.ctrl[2 * leg] = 0.35 * math.cos(phase)
        data.ctrl[2 * leg + 1] = 0.45 * max(0.0, math.sin(phase))


def losses(mirror):
    """Glass gives little light back, black cloth loses at random, everything else is as the camera's data sheet says."""
    by_geom = mirror.rows({"window": dict(min_energy=0.97, pow=0.5), "curtain": dict(pow=1.0)})
    return [fa.noise.StereoShadow(),
            fa.noise.StereoEnergy(min_energy=0.1, pow=12, normalization="threshold", entities=by_geom),
            fa.noise.Disparity(stddev_px=0.1, steps_per_px=16)]


def look(mujoco, file, seconds=3):
    """Yields the time, how many pixels see each geom and how many of these are lost, and the frame."""
    model = mujoco.MjModel.from_xml_path(file)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    mirror = fa.mujoco.Mirror(model, data)
    eyes = mirror.camera("eyes", 320, 240, baseline_m=0.05, min_range_m=0.2)
    simulator = fa.Simulator(mirror.scene, [mirror.on_camera("eyes", eyes, noise=losses(mirror))], seed=7)
    for second in range(seconds + 1):
        while data.time < second:
            walk(model, data)
            mujoco.mj_step(model, data)
        mujoco.mj_forward(model, data)  # mj_step() leaves the poses of the step before
        mirror.update()
        frame = simulator.render("eyes", second, ("depth", "clean_depth", "reason", "energy", "entity_id"))
        seen = {}
        for entity in np.unique(frame.entity_id[frame.entity_id >= 0]):
            there = frame.entity_id == entity
            seen[mirror.names[entity]] = (int(there.sum()), int((there & (frame.reason != 0)).sum()))
        yield data.time, seen, frame


def main():
    import mujoco

    for second, (time, seen, frame) in enumerate(look(mujoco, sys.argv[1] if len(sys.argv) > 1 else "walker.xml")):
        print(f"{time:.1f} s:", ", ".join(f"{name} {lost}/{count}" for name, (count, lost) in seen.items()), "lost")
        frame.write_camera_sheet(f"walker_{second}.png", 4.0)
    print("wrote walker_0.png to walker_3.png")


if __name__ == "__main__":
    main()

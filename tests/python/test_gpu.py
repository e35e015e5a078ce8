# SPDX-License-Identifier: MIT
"""Devices from Python: their words, and frames in a GPU's memory, over the driver of tests/support/fake_cuda.cpp."""

import os
import subprocess
import sys

import numpy as np
import pytest

import fathom

_FAKE = os.path.join(os.environ["FATHOM_BINARY_DIR"], "tests", "device", "libcuda.so.1")

# What a framework does: memory of the GPU in the driver's context, shown by the array interface. Printed: what differs.
_SCRIPT = """
import ctypes, sys
import numpy as np
import fathom

sys.path.insert(0, sys.argv[2])
from support import camera, room

cuda = ctypes.CDLL(sys.argv[1])  # found by its name from now on
context, stream = ctypes.c_void_p(), ctypes.c_void_p()
for result in (cuda.cuInit(0), cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0),
               cuda.cuCtxPushCurrent_v2(context), cuda.cuStreamCreate(ctypes.byref(stream), 0)):
    assert result == 0, result


class GpuArray:
    def __init__(self, shape, typestr, strides=None):
        self.bytes = int(np.prod(shape)) * int(typestr[-1])
        address = ctypes.c_uint64()
        assert cuda.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(self.bytes)) == 0
        self.address = address.value
        self.__cuda_array_interface__ = dict(shape=shape, typestr=typestr, strides=strides, version=3,
                                             data=(self.address, False))

    def numpy(self, dtype):
        values = np.empty(self.bytes, "uint8")
        assert cuda.cuMemcpyDtoHAsync_v2(ctypes.c_void_p(values.ctypes.data), ctypes.c_uint64(self.address),
                                         ctypes.c_size_t(self.bytes), stream) == 0
        assert cuda.cuStreamSynchronize(stream) == 0
        return values.view(dtype)


scene, sensor = room(), camera(noise=[fathom.noise.Distance(stddev_m=0.1)])
for device in ("cuda", "cuda:0", "auto"):
    wanted = fathom.Simulator(scene, [sensor], seed=3).render("camera", 1)
    found = fathom.Simulator(scene, [sensor], seed=3, device=device).render("camera", 1)
    assert wanted.range.tobytes() == found.range.tobytes(), device

ranges, reasons = GpuArray((24, 32), "<f4"), GpuArray((24, 32), "|u1")
frame = fathom.Frame.over(range=ranges, reason=reasons)
simulator = fathom.Simulator(scene, [sensor], seed=3, device="cuda", cuda_stream=stream.value)
assert simulator.render("camera", 1, out=frame) is frame and frame.range is ranges
assert ranges.numpy("float32").tobytes() == wanted.range.tobytes()
assert reasons.numpy("uint8").tobytes() == wanted.reason.tobytes()

points = GpuArray((3, 4, 24, 32), "<f4")
points.__cuda_array_interface__.update(shape=(4, 24, 32, 3), strides=(3072, 128, 4, 12288))
many = fathom.Frame.over(hit_sensor=points)
fathom.Environments(scene, sensor, 4, seed=3, device="cuda").render(2, out=many)
wanted = fathom.Environments(scene, sensor, 4, seed=3).render(2, channels="hit_sensor").hit_sensor
assert points.numpy("float32").reshape(3, 4, 24, 32).transpose(1, 2, 3, 0).tobytes() == wanted.tobytes()

for wrong in (lambda: fathom.Frame.over(range=ranges, reason=np.empty((24, 32), "uint8")),
              lambda: fathom.Frame.over(range=reasons),
              lambda: fathom.Simulator(scene, [sensor]).render("camera", 0, out=frame)):
    try:
        wrong()
    except fathom.InputError as e:
        print(e)
"""


@pytest.mark.skipif(not os.path.exists(_FAKE), reason="the driver that is none was not built")
def test_frames_of_a_gpu_have_the_bits_of_the_processor_and_may_stay_there():
    done = subprocess.run([sys.executable, "-c", _SCRIPT, _FAKE, os.path.dirname(__file__)], capture_output=True, text=True, check=False)
    if "this build has no code for GPUs" in done.stderr:
        pytest.skip("this build has no code for GPUs")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "some arrays are of NumPy and some of a GPU",
        "range: uint8 given, float32 wanted",
        "the frame stands in the memory of a GPU: the processor cannot render it",
    ]


@pytest.mark.parametrize("device", ["gpu", "cuda:", "cuda:-1", "cuda:1024", "CUDA", ""])
def test_a_word_that_is_no_device_is_refused(device):
    with pytest.raises(fathom.InputError, match="is none of cpu, cuda"):
        fathom.Simulator(fathom.Scene(), device=device)


def test_a_gpu_that_is_not_there_is_refused_in_one_line():
    with pytest.raises(fathom.InputError, match="^device cuda[^\n]*$"):
        fathom.Simulator(fathom.Scene(), device="cuda:1023")

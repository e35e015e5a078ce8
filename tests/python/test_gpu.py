# SPDX-License-Identifier: MIT
"""Devices from Python: their words, and frames in a GPU's memory, over the driver of tests/support/fake_cuda.cpp."""

import os
import subprocess
import sys

import numpy as np
import pytest

import fathom

_FAKE = os.path.join(os.environ["FATHOM_BINARY_DIR"], "tests", "render", "device", "libcuda.so.1")

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

# A frame of fathom's own there, taken by what a framework reads: DLPack's capsule, and the array interface.
class Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64), ("manager", ctypes.c_void_p), ("deleter", ctypes.CFUNCTYPE(None, ctypes.c_void_p))]


get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
get_pointer.restype, get_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
set_name = ctypes.pythonapi.PyCapsule_SetName
set_name.argtypes = [ctypes.py_object, ctypes.c_char_p]


def copied(address, shape, dtype, strides):
    first = np.empty(int(np.prod(shape)) * np.dtype(dtype).itemsize, "uint8")
    assert cuda.cuMemcpyDtoHAsync_v2(ctypes.c_void_p(first.ctypes.data), ctypes.c_uint64(address),
                                     ctypes.c_size_t(first.size), stream) == 0
    assert cuda.cuStreamSynchronize(stream) == 0
    return np.lib.stride_tricks.as_strided(first.view(dtype), shape, strides).copy()


own = fathom.Frame.on_gpu((24, 32), ["hit_sensor", "entity_id", "reason"], "cuda:0")
wanted = fathom.Simulator(scene, [sensor], seed=3).render("camera", 1, channels=["hit_sensor", "entity_id", "reason"])
simulator.render("camera", 1, out=own)
for name in ("hit_sensor", "entity_id", "reason"):
    array = own[name]
    assert array.__dlpack_device__() == (2, 0) and array.device == "cuda:0"
    face = array.__cuda_array_interface__
    assert face["shape"] == array.shape == wanted[name].shape and face["typestr"] == wanted[name].dtype.str
    there = copied(face["data"][0], face["shape"], face["typestr"], face["strides"])
    assert there.tobytes() == np.ascontiguousarray(wanted[name]).tobytes(), name
    capsule = array.__dlpack__(stream=None)
    tensor = Tensor.from_address(get_pointer(capsule, b"dltensor"))
    shape, strides = tensor.shape[:tensor.ndim], tensor.strides[:tensor.ndim]
    assert (tensor.device_type, tensor.lanes, tensor.byte_offset, tensor.data) == (2, 1, 0, face["data"][0])
    assert (tensor.code, tensor.bits) == {"hit_sensor": (2, 32), "entity_id": (0, 32), "reason": (1, 8)}[name]
    assert tuple(shape) == array.shape and [s * tensor.bits // 8 for s in strides] == list(face["strides"])
    if name == "hit_sensor":
        set_name(capsule, b"used_dltensor")  # taken: the new owner calls the deleter
        del own, array, face
        assert copied(tensor.data, shape, "float32", [4 * s for s in strides]).tobytes() == there.tobytes()
        tensor.deleter(get_pointer(capsule, b"used_dltensor"))
        own = fathom.Frame.on_gpu((24, 32), ["entity_id", "reason"])
        simulator.render("camera", 1, out=own)

for wanted_memory in (dict(copy=True), dict(dl_device=(1, 0)), dict(dl_device=(2, 1))):
    try:
        own["reason"].__dlpack__(**wanted_memory)
        raise AssertionError(wanted_memory)
    except BufferError as e:
        print(e)
for same_memory in (dict(copy=False), dict(copy=None, dl_device=None), dict(dl_device=(2, 0), max_version=(1, 0))):
    own["reason"].__dlpack__(**same_memory)

# What the array's owner has queued in its stream is done before a frame is rendered over the array.
queued = GpuArray((24, 32), "<f4")
zeros = np.zeros((24, 32), "float32")
assert cuda.cuMemcpyHtoDAsync_v2(ctypes.c_uint64(queued.address), ctypes.c_void_p(zeros.ctypes.data), ctypes.c_size_t(zeros.nbytes), stream) == 0
queued.__cuda_array_interface__["stream"] = stream.value
wanted = fathom.Simulator(scene, [sensor], seed=3).render("camera", 1)
fathom.Simulator(scene, [sensor], seed=3, device="cuda").render("camera", 1, out=fathom.Frame.over(range=queued))
assert queued.numpy("float32").tobytes() == wanted.range.tobytes()

points = GpuArray((3, 4, 24, 32), "<f4")
points.__cuda_array_interface__.update(shape=(4, 24, 32, 3), strides=(3072, 128, 4, 12288))
many = fathom.Frame.over(hit_sensor=points)
fathom.Environments(scene, sensor, 4, seed=3, device="cuda").render(2, out=many)
wanted = fathom.Environments(scene, sensor, 4, seed=3).render(2, channels="hit_sensor")["camera"].hit_sensor
assert points.numpy("float32").reshape(3, 4, 24, 32).transpose(1, 2, 3, 0).tobytes() == wanted.tobytes()

for wrong in (lambda: fathom.Frame.over(range=ranges, reason=np.empty((24, 32), "uint8")),
              lambda: fathom.Frame.over(range=reasons),
              lambda: fathom.Simulator(scene, [sensor]).render("camera", 0, out=frame),
              lambda: fathom.Frame.on_gpu((24,), ["range"]),
              lambda: fathom.Frame.on_gpu((24, 0), ["range"]),
              lambda: fathom.Frame.on_gpu((24, 32), [], "cuda:0"),
              lambda: fathom.Frame.on_gpu((24, 32), ["range"], "cpu")):
    try:
        wrong()
    except fathom.InputError as e:
        print(e)
"""


@pytest.mark.skipif(not os.path.exists(_FAKE), reason="the fake driver was not built")
def test_frames_of_a_gpu_have_the_bits_of_the_processor_and_may_stay_there():
    done = subprocess.run([sys.executable, "-c", _SCRIPT, _FAKE, os.path.dirname(__file__)], capture_output=True, text=True, check=False)
    if "this build of fathom has no code for GPUs" in done.stderr:
        pytest.skip("this build has no code for GPUs")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "copy=True: a frame in the memory of a GPU is handed over without a copy",
        "dl_device = (1, 0): the memory is that of (2, 0)",
        "dl_device = (2, 1): the memory is that of (2, 0)",
        "some arrays are of NumPy and some of a GPU",
        "range: uint8 given, float32 wanted",
        "the frame is in the memory of a GPU: the processor cannot render it",
        "shape: 1 numbers given, (rows, cols) or (environments, rows, cols) wanted",
        "a frame on a GPU has rays and channels, not 24 x 0 rays",
        "channels: no channel given, at least one wanted",
        "device = cpu: a frame on a GPU is asked for",
    ]


@pytest.mark.parametrize("device", ["gpu", "cuda:", "cuda:-1", "cuda:1024", "CUDA", ""])
def test_a_word_that_is_no_device_is_refused(device):
    with pytest.raises(fathom.InputError, match="is not one of cpu, cuda"):
        fathom.Simulator(fathom.Scene(), device=device)


def test_a_gpu_that_is_not_there_is_refused_in_one_line():
    with pytest.raises(fathom.InputError, match="^device cuda[^\n]*$"):
        fathom.Simulator(fathom.Scene(), device="cuda:1023")

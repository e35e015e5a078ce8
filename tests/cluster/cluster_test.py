# SPDX-License-Identifier: MIT
"""Datasets by Open MPI and by Slurm, and models learned by Open MPI, all real, on this computer:
python3 cluster_test.py FATHOM SHARE HAS_MPI. What is not installed is skipped."""

import json
import os
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

FATHOM, SHARE, HAS_MPI = "", Path(), False
SCENE = """
seed: 3
sensors:
  - name: laser
    type: laser_2d
    rays: 200
    max_range_m: 20
    min_azimuth_deg: -90
    max_azimuth_deg: 90
    position_m: [0, 0, 1]
    noise: [{distance: {stddev_m: {uniform: [0.01, 0.2]}}}]
    outputs: [{npy: {channels: [range, reason]}}]
scene:
  meshes: {room: {box: {size_m: [8, 6, 3]}}}
  entities: [{name: room, mesh: room, position_m: [0, 0, 1.5]}]
"""
UNITS = ["--environments", "0:6", "--episodes", "0:2", "--frames", "4", "--block", "2"]
SLURM_CONF = """
ClusterName=test
SlurmctldHost={host}
SlurmctldPort={controller_port}
SlurmdPort={daemon_port}
AuthType=auth/none
CredType=cred/none
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SlurmUser=root
SlurmdUser=root
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
SchedulerParameters=sched_interval=1
NodeName={host} CPUs=2 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP
"""


def run(*words, **more):
    ended = subprocess.run([str(w) for w in words], capture_output=True, text=True, timeout=240, **more)
    if ended.returncode != 0:
        raise AssertionError(f"{words[0]} ended with {ended.returncode}: {ended.stderr[-2000:]}{ended.stdout[-2000:]}")
    return ended.stdout


def files_below(folder):
    return {str(f.relative_to(folder)): f.read_bytes() for f in sorted(folder.rglob("*")) if f.is_file()}


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for s in sockets:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


class Clusters(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.path = Path(cls.temporary.name)
        cls.scene = cls.path / "scene.yaml"
        cls.scene.write_text(SCENE)
        run(FATHOM, "simulate", cls.scene, "--out", cls.path / "one", "--shard", "0/1", "--quiet", *UNITS)
        run(FATHOM, "dataset", "merge", cls.path / "one", "--quiet")
        cls.expected = files_below(cls.path / "one")

    def check(self, out):
        run(FATHOM, "dataset", "merge", out, "--quiet")
        run(FATHOM, "dataset", "verify", out, "--quiet")
        found = files_below(out)
        self.assertEqual(found.keys(), self.expected.keys())
        self.assertEqual([name for name in found if found[name] != self.expected[name]], [])


def mpirun(ranks):
    as_root = ["--allow-run-as-root"] if os.geteuid() == 0 else []
    return ["mpirun", *as_root, "--oversubscribe", "-n", ranks]


@unittest.skipUnless(shutil.which("mpirun"), "Open MPI (openmpi-bin) is not installed")
class OpenMpi(Clusters):
    def test_ranks_share_the_units(self):
        for ranks in (1, 3):
            out = self.path / f"mpi{ranks}"
            run(*mpirun(ranks), FATHOM, "simulate", self.scene, "--out", out, "--shard", "auto",
                "--threads", "1", "--quiet", *UNITS)
            self.check(out)


PARAMETERS = """
w_hit: 0.8
w_short: 0.1
w_max: 0.05
w_rand: 0.05
sigma_hit_m: 0.06
lambda_short_per_m: 0.4
hit_offset_m: 0
max_range_m: 12
"""


def make_logs(path):
    """A map, and logs of scans drawn in it: `first.csv` with 2600 of them, `second.csv` with 1300. Parts have 1024 scans."""
    size = 160
    wall = {(x, y) for x in range(size) for y in range(size) if min(x, y) == 0 or max(x, y) == size - 1 or (60 < x < 80 and 90 < y < 100)}
    cells = " ".join("0" if (x, y) in wall else "254" for y in range(size) for x in range(size))
    (path / "map.pgm").write_text(f"P2\n{size} {size}\n255\n{cells}\n")
    (path / "map.yaml").write_text("image: map.pgm\nresolution: 0.05\norigin: [0, 0, 0]\nnegate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.196\n")
    (path / "true.yaml").write_text(PARAMETERS)
    for name, scans in (("first", 2600), ("second", 1300)):
        poses = "".join(f"{1 + (i * 7 % 40) * 0.05},{1 + (i * 3 % 50) * 0.05},{i * 0.01}\n" for i in range(scans))
        (path / f"{name}_poses.csv").write_text("x_m,y_m,yaw_rad\n" + poses)
        run(FATHOM, "beam", "sample", "--parameters", path / "true.yaml", "--map", path / "map.yaml", "--poses",
            path / f"{name}_poses.csv", "--rays", 30, "--out", path / f"{name}.csv", "--quiet")


@unittest.skipUnless(shutil.which("mpirun"), "Open MPI (openmpi-bin) is not installed")
class Learning(unittest.TestCase):
    """Learns from two logs, by one process and by several of Open MPI."""

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.path = Path(cls.temporary.name)
        make_logs(cls.path)

    def words(self, out, log="first.csv"):
        return [FATHOM, "beam", "fit", "--map", self.path / "map.yaml", "--log", self.path / log, "--also",
                self.path / "second.csv", "--max-range", 12, "--threads", 1, "--quiet", "--out", out]

    def check_error(self, ranks, words, what):
        ended = subprocess.run([str(w) for w in [*mpirun(ranks), *words]], capture_output=True, text=True, timeout=120)
        self.assertEqual(ended.returncode, 2, ended.stderr)
        errors = [line for line in ended.stderr.splitlines() if line.startswith("fathom: error: ")]
        self.assertGreaterEqual(len(errors), 1, ended.stderr)
        self.assertTrue(all(what in error for error in errors), errors)
        return errors

    def test_ranks_have_the_same_bits(self):
        run(*self.words(self.path / "alone"))
        expected = files_below(self.path / "alone")
        self.assertEqual(sorted(expected), ["fit.json", "parameters.yaml", "report.html"])
        if not HAS_MPI:
            self.check_error(2, self.words(self.path / "none"), "FATHOM_MPI")
            self.assertFalse((self.path / "none").exists())
            return
        with_mounts = [*self.words(self.path / "mounts"), "--per-log", "both", "--scans", "0::20"]
        run(*with_mounts)
        mounts = files_below(self.path / "mounts")
        logs = json.loads(mounts["fit.json"])["logs"]
        self.assertEqual([Path(log["name"]).name for log in logs], ["first.csv", "second.csv"])
        for log in logs:
            for number in ("mount_x_m", "mount_y_m", "mount_yaw_rad", "range_offset_m"):
                self.assertLess(abs(log[number]["value"]), 4 * log[number]["std_error"] + 0.001, log)
        run(*mpirun(2), *with_mounts[:-5], self.path / "mounts_by2", *with_mounts[-4:])
        self.assertEqual(files_below(self.path / "mounts_by2"), mounts)
        for ranks in (1, 2, 4):
            out = self.path / f"by{ranks}"
            scratch = ["--scratch", self.path] if ranks == 2 else []
            run(*mpirun(ranks), *self.words(out), *scratch)
            self.assertEqual(files_below(out), expected, ranks)

    def test_one_that_fails_ends_all(self):
        if not HAS_MPI:
            self.skipTest("fathom is built without MPI")
        out = self.path / "failed"
        # Rank 0 does not read the second log before the others wait for it.
        (self.path / "broken.csv").write_text("scan,x_m\n0,abc\n")
        words = self.words(out)
        words[words.index(self.path / "second.csv")] = self.path / "broken.csv"
        self.assertEqual(len(self.check_error(2, words, "broken.csv")), 1)
        self.assertFalse(out.exists())
        self.assertEqual(len(self.check_error(4, self.words(out, "missing.csv"), "missing.csv")), 1)
        self.assertFalse(out.exists())


@unittest.skipUnless(shutil.which("slurmctld") and shutil.which("slurmd") and shutil.which("srun"),
                     "Slurm (slurm-wlm) is not installed")
@unittest.skipUnless(os.geteuid() == 0, "Slurm's daemons want to be root")
class Slurm(Clusters):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        controller_port, daemon_port = free_ports(2)
        conf = cls.path / "slurm.conf"
        conf.write_text(SLURM_CONF.format(host=socket.gethostname().split(".")[0], folder=cls.path, controller_port=controller_port,
                                          daemon_port=daemon_port))
        (cls.path / "state").mkdir()
        (cls.path / "spool").mkdir()
        cls.environment = {**os.environ, "SLURM_CONF": str(conf), "FATHOM": str(FATHOM)}
        for daemon in (["slurmctld", "-D", "-f", conf], ["slurmd", "-D", "-f", conf]):
            process = subprocess.Popen(daemon, env=cls.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            cls.addClassCleanup(cls.stop, process)
        for _ in range(300):
            states = subprocess.run(["sinfo", "-h", "-o", "%T"], env=cls.environment, capture_output=True, text=True)
            if states.stdout.strip() == "idle":
                return
            time.sleep(0.1)
        log = "".join((cls.path / name).read_text()[-1500:] for name in ("slurmctld.log", "slurmd.log") if (cls.path / name).exists())
        raise AssertionError("Slurm's node did not come up: " + states.stdout + states.stderr + log)

    @staticmethod
    def stop(process):
        process.terminate()
        try:
            process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()

    def slurm(self, *words):
        return run(*words, env=self.environment, cwd=self.path)

    def submit(self, script, out, *options):
        return self.slurm("sbatch", "--parsable", *options, SHARE / "slurm" / script, self.scene, out, *UNITS).strip()

    def wait(self, job):
        for _ in range(1200):
            if not self.slurm("squeue", "-h", "-j", job, "--states=all", "-o", "%T").replace("COMPLETED", "").replace("CANCELLED", "").strip():
                return
            time.sleep(0.1)
        self.fail("the job does not end: " + self.slurm("squeue"))

    def logs(self):
        return "".join(f"{f.name}: {f.read_text()}" for f in self.path.glob("fathom-*.log"))

    def test_tasks_of_srun(self):
        out = self.path / "srun"
        self.slurm("srun", "-n2", FATHOM, "simulate", self.scene, "--out", out, "--shard", "auto", "--threads", "1", "--quiet", *UNITS)
        self.check(out)

    def in_a_job(self, *words):
        """Runs a command in a script of a job with four tasks, of which none is started."""
        log, script = self.path / "fathom-job.log", self.path / "job.sbatch"
        script.write_text(f"#!/bin/sh\nexec {shlex.join(str(w) for w in words)}\n")
        self.wait(self.slurm("sbatch", "--parsable", "-n4", "--overcommit", f"--output={log}", script).strip())
        self.assertEqual(log.read_text(), "")
        log.unlink()

    def test_batch_script_is_one_process_whatever_tasks_it_may_start(self):
        out = self.path / "script"
        self.in_a_job(FATHOM, "simulate", self.scene, "--out", out, "--shard", "auto", "--threads", "1", "--quiet", *UNITS)
        self.check(out)

    @unittest.skipUnless(shutil.which("mpirun"), "Open MPI (openmpi-bin) is not installed")
    def test_mpirun_counts_its_ranks_in_a_job_with_more_tasks(self):
        out = self.path / "mpirun"
        self.in_a_job(*mpirun(2), FATHOM, "simulate", self.scene, "--out", out, "--shard", "auto", "--threads", "1", "--quiet", *UNITS)
        self.check(out)
        if not HAS_MPI:
            return
        make_logs(self.path)
        fit = [FATHOM, "beam", "fit", "--map", self.path / "map.yaml", "--log", self.path / "first.csv", "--threads", 1, "--quiet", "--out"]
        run(*fit, self.path / "fit")
        self.in_a_job(*mpirun(2), *fit, self.path / "fit_by2")
        self.assertEqual(files_below(self.path / "fit_by2"), files_below(self.path / "fit"))

    def test_array(self):
        out = self.path / "array"
        self.wait(self.submit("array.sbatch", out, "--array=0-3"))
        self.assertEqual(self.logs(), "".join(f"{f.name}: " for f in self.path.glob("fathom-*.log")))
        self.check(out)

    def test_job_with_claims_is_cancelled_and_submitted_again(self):
        out = self.path / "again"
        job = self.submit("tasks.sbatch", out, "--ntasks=2")
        for _ in range(600):  # until the job is at work
            if list(out.glob("units/000/000/0*")):
                break
            time.sleep(0.01)
        self.slurm("scancel", job)
        self.wait(job)
        self.wait(self.slurm("sbatch", "--parsable", "--ntasks=1", SHARE / "slurm/tasks.sbatch", self.scene, out, *UNITS,
                             "--claim-seconds", "1").strip())
        self.check(out)


if __name__ == "__main__":
    FATHOM, SHARE, HAS_MPI = sys.argv.pop(1), Path(sys.argv.pop(1)), sys.argv.pop(1) == "1"
    del Clusters
    unittest.main()

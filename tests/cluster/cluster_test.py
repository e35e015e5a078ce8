# SPDX-License-Identifier: MIT
"""Datasets by real Open MPI and Slurm on this computer: python3 cluster_test.py FATHOM SHARE. Skips tests of
launchers that are not installed."""

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

FATHOM, SHARE = "", Path()
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
        cls.expected = files_below(cls.path / "one")

    def check(self, out):
        run(FATHOM, "dataset", "verify", out, "--quiet")
        found = files_below(out)
        self.assertEqual(found.keys(), self.expected.keys())
        self.assertEqual([name for name in found if found[name] != self.expected[name]], [])


def shard_of(rank, size):
    """A command that runs the following words with the shard in two variables of a launcher."""
    return ["sh", "-c", f'exec "$0" "$@" --shard "${rank}/${size}"']


def mpirun(ranks):
    as_root = ["--allow-run-as-root"] if os.geteuid() == 0 else []
    return ["mpirun", *as_root, "--oversubscribe", "-n", ranks]


@unittest.skipUnless(shutil.which("mpirun"), "Open MPI (openmpi-bin) is not installed")
class OpenMpi(Clusters):
    def test_ranks_share_the_units(self):
        for ranks in (1, 3):
            out = self.path / f"mpi{ranks}"
            run(*mpirun(ranks), *shard_of("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"), FATHOM, "simulate", self.scene,
                "--out", out, "--threads", "1", "--quiet", *UNITS)
            self.check(out)


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
        self.slurm("srun", "-n2", *shard_of("SLURM_PROCID", "SLURM_NTASKS"), FATHOM, "simulate", self.scene, "--out", out,
                   "--threads", "1", "--quiet", *UNITS)
        self.check(out)

    def in_a_job(self, *words):
        """Runs a command in a script of a job with four tasks, and starts no task."""
        log, script = self.path / "fathom-job.log", self.path / "job.sbatch"
        script.write_text(f"#!/bin/sh\nexec {shlex.join(str(w) for w in words)}\n")
        self.wait(self.slurm("sbatch", "--parsable", "-n4", "--overcommit", f"--output={log}", script).strip())
        self.assertEqual(log.read_text(), "")
        log.unlink()

    @unittest.skipUnless(shutil.which("mpirun"), "Open MPI (openmpi-bin) is not installed")
    def test_mpirun_counts_its_ranks_in_a_job_with_more_tasks(self):
        out = self.path / "mpirun"
        self.in_a_job(*mpirun(2), *shard_of("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"), FATHOM, "simulate", self.scene,
                      "--out", out, "--threads", "1", "--quiet", *UNITS)
        self.check(out)

    def test_array(self):
        out = self.path / "array"
        self.wait(self.submit("array.sbatch", out, "--array=0-3"))
        self.assertEqual(self.logs(), "".join(f"{f.name}: " for f in self.path.glob("fathom-*.log")))
        self.check(out)

    def test_job_is_cancelled_and_submitted_again(self):
        out = self.path / "again"
        job = self.submit("tasks.sbatch", out, "--ntasks=2")
        for _ in range(600):  # until the job runs
            if list(out.glob("units/000/000/0*")):
                break
            time.sleep(0.01)
        self.slurm("scancel", job)
        self.wait(job)
        self.wait(self.submit("tasks.sbatch", out, "--ntasks=1"))
        self.check(out)


if __name__ == "__main__":
    FATHOM, SHARE = sys.argv.pop(1), Path(sys.argv.pop(1))
    del Clusters
    unittest.main()

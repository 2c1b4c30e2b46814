"""What the rows cold-* and far-* need: files that are not in memory, and a server that is far away. See README.md."""
import os
import subprocess
import sys
import time
import urllib.request

import clouds

HERE = os.path.dirname(os.path.abspath(__file__))
PEERS = ["omnizarr", "zarr-python", "zarr-fused", "tensorstore"]  # who reads over HTTP
OBSTORE = f"{HERE}/../interop/.peers/obstore"


def forget(folder):
    """Lets the system forget the files of a folder: all that it keeps where that is allowed, else just these."""
    os.sync()
    try:
        with open("/proc/sys/vm/drop_caches", "w", encoding="ascii") as f:
            f.write("3")
        return
    except OSError:
        pass
    for path, _, names in os.walk(folder):
        for name in names:
            fd = os.open(f"{path}/{name}", os.O_RDONLY)
            try:
                os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
            finally:
                os.close(fd)


class Server:
    """A server of a folder whose answers begin after a millisecond, and of which all together have 1 GB/s."""

    def __init__(self, folder):
        port = clouds.free_port()
        self.process = subprocess.Popen([f"{HERE}/.work/omnizarr", "far", f"127.0.0.1:{port}", folder])
        base = f"http://127.0.0.1:{port}/arrays"
        self.env = {"BENCH_ARRAYS": base, "PYTHONPATH": OBSTORE}
        for _ in range(200):
            try:
                urllib.request.urlopen(f"{base}/zstd3/zarr.json").close()
                return
            except OSError:
                time.sleep(0.05)
        self.stop()
        sys.exit("the server of the rows far-* does not answer")

    def stop(self):
        self.process.terminate()
        self.process.wait(20)

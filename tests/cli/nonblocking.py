"""nonblocking.py INPUT COMMAND...: runs the command with both stdin and stdout pipes that do not block, feeds it the file
slowly and takes its output slowly; prints that output, and ends as the command does."""
import os
import subprocess
import sys
import threading
import time


def feed(path, fd):
    with open(path, "rb") as f, os.fdopen(fd, "wb", 0) as to:
        while piece := f.read(40000):
            to.write(piece)
            time.sleep(0.002)


in_read, in_write = os.pipe()
out_read, out_write = os.pipe()
os.set_blocking(in_read, False)
os.set_blocking(out_write, False)
command = subprocess.Popen(sys.argv[2:], stdin=in_read, stdout=out_write)
os.close(in_read)
os.close(out_write)
threading.Thread(target=feed, args=(sys.argv[1], in_write), daemon=True).start()
while piece := os.read(out_read, 30000):
    sys.stdout.buffer.write(piece)
    time.sleep(0.001)
sys.stdout.flush()
sys.exit(command.wait())

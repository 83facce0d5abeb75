# For the tests of nbrender: streams of a few bodies, what a film holds.

# bodies NAME: a stream of one frame from lines `m x y z vx vy vz` on stdin
bodies() {
    { echo '# id m x y z vx vy vz' && awk '{ print NR, $0 }'; } | nbconv --from text -o "$1"
}

# frames N: a stream of N frames, a body that wanders to the right; frame BAD (if given) holds a NaN
frames() {
    python - "$@" <<'P'
import sys
import numpy as np
from nbs_writer import frame, write
bad = int(sys.argv[2]) if len(sys.argv) > 2 else -1
write("/dev/stdout", *(frame([1.0], [[k + 1.0, 0, np.nan if k == bad else 0]], [[1.0, 0, 0]], time=k / 10)
                       for k in range(int(sys.argv[1]))))
P
}

# probe FILE: codec, width, height, rate and number of frames, as ffprobe counts them
probe() {
    ffprobe -v error -count_frames -select_streams v:0 -of csv=p=0 \
        -show_entries stream=codec_name,width,height,r_frame_rate,nb_read_frames "$1"
}

small=(--size 160x90 --extent 20 --center 0,0,0 -q)

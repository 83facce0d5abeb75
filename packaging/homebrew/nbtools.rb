# A Homebrew formula. UNTESTED: its syntax is checked (ruby -c), it was never installed.
class Nbtools < Formula
  desc "Gravity for N bodies: small programs joined by a stream of snapshots"
  # For a release: where its tarball (make dist) is, and its SHA-256.
  url "file:///tmp/nbtools-0.1.0.tar.gz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license all_of: ["MIT", "GPL-3.0-or-later"] # nbgen with GSL is as a whole under the latter

  depends_on "pkgconf" => :build
  depends_on "random123" => :build
  depends_on "xxhash" => :build
  depends_on "ffmpeg"
  depends_on "fontconfig"
  depends_on "freetype"
  depends_on "gsl"
  depends_on "hdf5"
  depends_on "jpeg-turbo"
  depends_on "webp"
  uses_from_macos "zlib"

  on_macos do
    depends_on "libomp"
  end

  def install
    args = ["CUDA=0", "BUILD=build/homebrew", "PREFIX=#{prefix}", "MANDIR=#{man}",
            "BASHCOMPDIR=#{bash_completion}"]
    # Apple's clang has no OpenMP of its own.
    if OS.mac?
      omp = Formula["libomp"]
      args << "OPENMP_CFLAGS=-Xpreprocessor -fopenmp -I#{omp.opt_include}"
      args << "OPENMP_LIBS=-L#{omp.opt_lib} -lomp"
    end
    system "make", *args, "install"
  end

  test do
    system bin/"nbgen", "plummer", "-n", "500", "-o", "p.nbs"
    system bin/"nbsim", "--until", "0.2", "--every", "0.1", "-o", "run.nbs", "p.nbs"
    system bin/"nbstat", "--max-de", "1e-4", "run.nbs"
    assert_match version.to_s, shell_output("#{bin}/nbsim --version")
  end
end

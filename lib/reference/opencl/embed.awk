# Writes C with a .cl file as a string, nb_opencl_source_NAME: awk -f embed.awk NAME.cl. What it includes from lib
# stands in the place of the line; the compiler of OpenCL C finds no files, and has the system's headers built in.
function emit(line) {
    gsub(/\\/, "&&", line)
    gsub(/"/, "\\\\&", line)
    print "    \"" line "\\n\""
}

FNR == 1 {
    name = FILENAME
    gsub(/.*\/|\.cl$/, "", name)
    print "extern const char nb_opencl_source_" name "[];"
    print "const char nb_opencl_source_" name "[] ="
}

/^#include "/ {
    file = "lib/" substr($2, 2, length($2) - 2)
    while ((status = (getline line < file)) > 0)
        if (line !~ /^#include/)
            emit(line)
    if (status < 0) {
        print FILENAME ": cannot read " file > "/dev/stderr"
        exit 1
    }
    close(file)
    next
}

{ emit($0) }
END { print "    ;" }

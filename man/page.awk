# A manual page from its template: date and version in its title, `@OPTIONS TOOL' the options as the tool tells them,
# `@INCLUDE FILE' a part that pages share. No word is hyphenated, so that no option is broken, and lines end where they do.
# awk -f man/page.awk -v bin=FOLDER/ -v date=YYYY-MM-DD -v version=X.Y.Z TEMPLATE

# Text in lines of up to 79 characters; none begins with what roff takes for a request.
function put(line,    word, count, k, column) {
    if (literal || line ~ /^[.']/ || length(line) < 80) {
        print line
        return
    }
    count = split(line, word, " ")
    for (k = 1; k <= count; k++) {
        if (k > 1 && column + 1 + length(word[k]) < 80) {
            printf " %s", word[k]
            column += 1 + length(word[k])
        } else {
            printf "%s%s%s", (k > 1 ? "\n" : ""), (word[k] ~ /^[.']/ ? "\\&" : ""), word[k]
            column = length(word[k])
        }
    }
    print ""
}

function take(line) {
    if (line ~ /^\.(nf|EX|TS)/)
        literal = 1
    if (line ~ /^\.(fi|EE|TE)/)
        literal = 0
    put(line)
    if (line ~ /^\.(EE|TE)/) # they allow it again
        print ".nh"
    if (line ~ /^\.TS/) # groff warns where a page of a terminal, which has no end, would end in a row
        print "nokeep;"
}

/^\.TH / {
    printf ".TH %s %s \"%s\" \"nbtools %s\" %s\n.nh\n.ad l\n", $2, $3, date, version, substr($0, index($0, "nbtools ") + 8)
    next
}
/^@OPTIONS / {
    command = bin substr($0, 10) " --print-options=man"
    while ((command | getline line) > 0)
        take(line)
    if (close(command) != 0) {
        print command ": failed" > "/dev/stderr"
        exit failed = 1
    }
    next
}
/^@INCLUDE / {
    while ((getline line < $2) > 0)
        take(line)
    close($2)
    next
}
{ take($0) }
END { exit failed }

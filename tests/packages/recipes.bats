#!/usr/bin/env bats
# The recipes that cannot be tried here: what can be checked of them.
bats_require_minimum_version 1.5.0
load packages

@test "the Homebrew formula is Ruby, and names this version" {
    grep -q "nbtools-$version.tar.gz" "$here/packaging/homebrew/nbtools.rb"
    grep -q UNTESTED "$here/packaging/homebrew/nbtools.rb"
    command -v ruby >/dev/null || skip "no ruby"
    [ "$(ruby -c "$here/packaging/homebrew/nbtools.rb")" = "Syntax OK" ]
}

@test "the conda recipe is YAML when its variables are filled in, and names this version" {
    grep -q UNTESTED "$here/packaging/conda/meta.yaml"
    python3 -m venv env
    env/bin/pip install -q --disable-pip-version-check jinja2 pyyaml >&2 || skip "pip gets no jinja2 and pyyaml: no index?"
    env/bin/python - "$here/packaging/conda/meta.yaml" "$version" <<'END'
import sys
import jinja2, yaml

name = lambda language: language + "_compiler"
text = jinja2.Template(open(sys.argv[1]).read(), undefined=jinja2.StrictUndefined).render(compiler=name, stdlib=name)
recipe = yaml.safe_load(text)
assert recipe["package"] == {"name": "nbtools", "version": sys.argv[2]}, recipe["package"]
assert set(recipe) == {"package", "source", "build", "requirements", "test", "about"}
assert set(recipe["requirements"]) == {"build", "host", "run"}
for files in recipe["about"]["license_file"]:
    open(sys.argv[1].rsplit("/", 3)[0] + "/" + files)
END
}

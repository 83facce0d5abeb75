"""Writes the reference of a Python package as Markdown, from its signatures and docstrings.

The package is parsed and not imported, so that numpy need not be installed. The reference has the names of `__all__`, which
are looked up in the modules that `__init__.py` imports them from.
"""

import ast
import os
import re

KINDS = ("Functions", "Classes", "Errors and warnings", "Modules", "Constants")


def parse(path):
    with open(path, encoding="utf-8") as file:
        return ast.parse(file.read())


def docstring(node):
    """Returns the docstring as Markdown: what Python's prompt shows is a block of code."""
    text = ast.get_docstring(node) or ""
    text = re.sub(r"^>>> .*(\n.+)*", r"```python\n\g<0>\n```", text, flags=re.M)
    return re.sub("(?<!`)``(?!`)", "`", text)


def parameters(function, method):
    """Returns the signature, with a parameter a line if it is long."""
    words, depth = [""], 0
    for character in ast.unparse(function.args):
        depth += (character in "([{") - (character in ")]}")
        if character == "," and depth == 0:
            words.append("")
        else:
            words[-1] += character
    words = [word.strip().replace("=", " = " if ": " in word else "=", 1) for word in words if word.strip()]
    if method and words and words[0] in ("self", "cls"):
        del words[0]
    result = f" -> {ast.unparse(function.returns)}" if function.returns and function.name != "__init__" else ""
    line = f"({', '.join(words)}){result}"
    return line if len(line) < 80 else "(\n    " + ",\n    ".join(words) + f",\n){result}"


def decorators(node):
    return {ast.unparse(decorator).split("(")[0] for decorator in node.decorator_list}


def function(node, name, level, method=False):
    made = "".join(f"@{each}\n" for each in ("classmethod", "staticmethod") if each in decorators(node))
    signature = f"```python\n{made}{name.split('.')[-1]}{parameters(node, method)}\n```"
    return f"{'#' * level} {name}\n\n{signature}\n\n{docstring(node)}\n"


def table(head, rows):
    lines = [f"| {head} | type | |", "|---|---|---|"]
    for cells in rows:
        name, kind, text = (" ".join(cell.split()).replace("|", "\\|") for cell in cells)
        lines.append(f"| `{name}` | `{kind}` | {text} |")
    return "\n".join(lines) + "\n" if rows else ""


def fields(node):
    """Yields the annotated names of a class with their types, and the string below each."""
    for statement, after in zip(node.body, [*node.body[1:], None]):
        if isinstance(statement, ast.AnnAssign) and not statement.target.id.startswith("_"):
            text = after.value.value if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) else ""
            yield statement.target.id, ast.unparse(statement.annotation), text


def class_(node, name):
    methods = [each for each in node.body if isinstance(each, ast.FunctionDef) and "overload" not in decorators(each)]
    init = [each for each in methods if each.name == "__init__"]
    bases = [ast.unparse(base) for base in node.bases]
    head = f"class {name}" + (parameters(init[0], True) if init else f"({', '.join(bases)})" if bases else "")
    public = [each for each in methods if not each.name.startswith("_")]
    properties = [each for each in public if "property" in decorators(each)]
    parts = [f"### {name}\n\n```python\n{head}\n```\n\n{docstring(node)}\n", table("field", list(fields(node)))]
    parts.append(table("property", [(each.name, ast.unparse(each.returns), docstring(each)) for each in properties]))
    parts += [function(each, f"{name}.{each.name}", 4, True) for each in public if each not in properties]
    return "\n".join(parts)


def constant(node, name):
    value = ast.unparse(node.value)
    return f"### {name}\n\n```python\n{name}" + (f" = {value}" if len(value) < 120 else "") + "\n```\n"


def imported(tree):
    """Yields module and name of what the package imports from its modules; module None for a whole module."""
    for statement in tree.body:
        if isinstance(statement, ast.ImportFrom) and statement.level:
            for alias in statement.names:
                yield statement.module, alias.name


def described(package, module, name):
    """Returns the kind of a name, one of KINDS, and its description."""
    if module is None:
        tree = parse(f"{package}/{name}.py")
        functions = [each for each in tree.body if isinstance(each, ast.FunctionDef) and each.name[0] != "_"]
        parts = [function(each, f"{name}.{each.name}", 4) for each in functions]
        return "Modules", "\n".join([f"### {name}\n\n{docstring(tree)}\n", *parts])
    for node in parse(f"{package}/{module}.py").body:
        if getattr(node, "name", None) == name:
            if isinstance(node, ast.FunctionDef):
                return "Functions", function(node, name, 3)
            return "Errors and warnings" if re.search("(Error|Warning)$", name) else "Classes", class_(node, name)
        if isinstance(node, (ast.Assign, ast.AnnAssign)):
            if name in [ast.unparse(each) for each in getattr(node, "targets", [getattr(node, "target", None)])]:
                return "Constants", constant(node, name)
    raise LookupError(f"{package}/{module}.py has no {name}")


def markdown(package):
    """Returns the reference of the package in this folder."""
    tree = parse(f"{package}/__init__.py")
    assigned = {ast.unparse(each.targets[0]): each.value for each in tree.body if isinstance(each, ast.Assign)}
    parts = {kind: [] for kind in KINDS}
    for module, name in imported(tree):
        if name in ast.literal_eval(assigned["__all__"]) and name != "__version__":
            kind, text = described(package, module, name)
            parts[kind].append(text)
    sections = "\n".join(f"## {kind}\n\n" + "\n".join(sorted(parts[kind], key=str.lower)) for kind in KINDS)
    return f"# {os.path.basename(package)}: API\n\n{docstring(tree)}\n\n{sections}"

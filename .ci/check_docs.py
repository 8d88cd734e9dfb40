"""Checks that documents keep their promises: links lead somewhere, sizes and lists hold."""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LINE_LIMITS = {"README.md": 200, "CONTRIBUTING.md": 120}
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
REASON = re.compile(r"^\s*ERROR_REASON_(\w+) = \d+;", re.MULTILINE)
RULE = re.compile(r"-Xep:(\w+):ERROR")


def read(path):
    return (ROOT / path).read_text(encoding="utf-8")


def tracked(pattern):
    """Returns the files that git knows or would add, so that new ones count before their commit."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", pattern]
    listing = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return [name for name in sorted(set(listing.splitlines())) if (ROOT / name).is_file()]


def anchors(text):
    """Returns the anchors of a document's headings, as forges make them."""
    headings = re.findall(r"^#+ +(.*?) *$", FENCE.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def broken_links(document):
    for target in LINK.findall(FENCE.sub("", read(document))):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (ROOT / document).parent / path if path else ROOT / document
        if not file.exists():
            yield f"{document}: {target} leads nowhere"
        elif anchor and anchor not in anchors(file.read_text(encoding="utf-8")):
            yield f"{document}: {target}: no such heading"


def long_documents():
    for name, limit in LINE_LIMITS.items():
        if (ROOT / name).exists():
            lines = read(name).count("\n")
            if lines > limit:
                yield f"{name}: {lines} lines, of {limit} at the most"


def missing_reasons():
    """docs/errors.md and the Java enum list the same reasons as the protos."""
    reasons = REASON.findall(read("proto/whence/v1/errors.proto"))
    reasons.remove("UNSPECIFIED")
    for path in ["docs/errors.md", "src/main/java/io/whence/model/ErrorReason.java"]:
        if (ROOT / path).exists():
            text = read(path)
            for reason in reasons:
                if not re.search(rf"\b{reason}\b", text):
                    yield f"{path}: {reason} of errors.proto is missing"


def missing_rules():
    text = read("pom.xml")
    for rule in RULE.findall(text):
        if not re.search(rf"^ +{rule}: \w", text, re.MULTILINE):
            yield f"pom.xml: no reason is given for the rule {rule}"


def unlinked_decisions():
    text = read("docs/ARCHITECTURE.md")
    for name in tracked("docs/adr/*.md"):
        if name.removeprefix("docs/") not in text:
            yield f"docs/ARCHITECTURE.md: {name} is not linked"


def main():
    documents = tracked("*.md")
    problems = [problem for document in documents for problem in broken_links(document)]
    for find in (long_documents, missing_reasons, missing_rules, unlinked_decisions):
        problems.extend(find())
    print(*problems, sep="\n", end="\n" if problems else "")
    print(f"{len(documents)} documents, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

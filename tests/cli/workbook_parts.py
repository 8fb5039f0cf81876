"""What a spreadsheet program takes for granted of a workbook's parts, checked from the bytes:
`check(path)` raises AssertionError at the first thing that Excel would offer to repair. The rules
are those of ECMA-376 and what Excel adds to them. Also reads cells. Standard library only."""

import posixpath
import re
import xml.etree.ElementTree as ElementTree
import zipfile

MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
PACKAGE = "{http://schemas.openxmlformats.org/package/2006/relationships}"
CONTENT = "{http://schemas.openxmlformats.org/package/2006/content-types}"
VML = "{urn:schemas-microsoft-com:vml}"
NAME = re.compile(r"[A-Za-z_\\][A-Za-z0-9_.]*$")
CELL_LIKE = re.compile(r"([A-Za-z]{1,3}[0-9]+|[Rr][0-9]*([Cc][0-9]*)?|[Cc][0-9]*)$")
FUNCTIONS = {"IF", "AND", "OR", "NOT", "ISNUMBER", "SUMPRODUCT", "INDEX", "ROW", "ABS", "N", "T",
             "TRUE", "FALSE"}


def column_number(letters):
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - 64
    return number


def cell_place(reference):
    letters, row = re.fullmatch(r"\$?([A-Z]{1,3})\$?([0-9]+)", reference).groups()
    place = int(row), column_number(letters)
    assert place[0] <= 1048576 and place[1] <= 16384, reference
    return place


def box(reference):
    first, _, last = reference.partition(":")
    top, left = cell_place(first)
    bottom, right = cell_place(last or first)
    assert top <= bottom and left <= right, reference
    return top, left, bottom, right


def overlap(one, other):
    return (one[0] <= other[2] and other[0] <= one[2] and one[1] <= other[3] and
            other[1] <= one[3])


# The children of a worksheet, in the order that its schema (CT_Worksheet) lays down.
ORDER = ["sheetPr", "dimension", "sheetViews", "sheetFormatPr", "cols", "sheetData",
         "sheetProtection", "autoFilter", "mergeCells", "conditionalFormatting", "dataValidations",
         "hyperlinks", "printOptions", "pageMargins", "pageSetup", "headerFooter", "rowBreaks",
         "colBreaks", "ignoredErrors", "drawing", "legacyDrawing", "tableParts", "extLst"]


def units(text):
    return len(text.encode("utf-16-le")) // 2


class Book:
    def __init__(self, path):
        self.zip = zipfile.ZipFile(path)
        self.parts = set(self.zip.namelist())
        root = self.xml("xl/workbook.xml")
        targets = self.relations("xl/workbook.xml")
        self.sheets = {sheet.get("name"): targets[sheet.get(RELATION + "id")][1]
                       for sheet in root.iter(MAIN + "sheet")}
        self.names = {(node.get("name"), node.get("localSheetId")): node.text
                      for node in root.iter(MAIN + "definedName")}
        self.strings = ["".join(text.text or "" for text in node.iter(MAIN + "t")) for node in
                        self.xml("xl/sharedStrings.xml")]

    def xml(self, part):
        return ElementTree.fromstring(self.zip.read(part))

    def relations(self, part):
        """Id to (kind, part) of what a part names; a link to elsewhere has the part None."""
        folder, name = posixpath.split(part)
        path = posixpath.join(folder, "_rels", name + ".rels")
        found = {}
        for node in self.xml(path) if path in self.parts else ():
            target = node.get("Target")
            inside = node.get("TargetMode") != "External"
            target = target[1:] if target.startswith("/") else posixpath.normpath(
                posixpath.join(folder, target))
            assert node.get("Id") not in found, f"{path}: {node.get('Id')} twice"
            assert not inside or target in self.parts, f"{path}: there is no {target}"
            found[node.get("Id")] = (node.get("Type").rsplit("/", 1)[1], target if inside else None)
        return found

    def cells(self, sheet):
        """Place "B3" to text or number of a sheet; what is empty is left out."""
        found = {}
        for cell in self.xml(self.sheets[sheet]).iter(MAIN + "c"):
            value = cell.find(MAIN + "v")
            if value is None:
                continue
            kind = cell.get("t")
            content = self.strings[int(value.text)] if kind == "s" else value.text or ""
            found[cell.get("r")] = content if kind in ("s", "str", "e") else float(content)
        return found

    def named(self, name):
        """Sheet and place of a name's cell."""
        sheet, place = self.names[name, None].rsplit("!", 1)
        return sheet[1:-1].replace("''", "'"), place.replace("$", "")

    def table(self, sheet, row):
        """The rows below a heading row of a sheet, each as heading to content."""
        cells = self.cells(sheet)
        headings = {re.match("[A-Z]+", place)[0]: text for place, text in cells.items()
                    if place.endswith(str(row)) and re.fullmatch("[A-Z]+%d" % row, place)}
        rows = []
        number = row + 1
        while "A%d" % number in cells:
            rows.append({text: cells.get("%s%d" % (letters, number))
                         for letters, text in headings.items()})
            number += 1
        return rows


def check_package(book):
    types = book.xml("[Content_Types].xml")
    defaults = {node.get("Extension") for node in types.iter(CONTENT + "Default")}
    overrides = [node.get("PartName") for node in types.iter(CONTENT + "Override")]
    assert len(overrides) == len(set(overrides)), "a part has two content types"
    for part in overrides:
        assert part[1:] in book.parts, f"content type of {part}, which is not there"
    for part in book.parts - {"[Content_Types].xml"}:
        known = "/" + part in overrides or part.rsplit(".", 1)[-1] in defaults
        assert known, f"{part} has no content type"
        if part.endswith((".xml", ".rels", ".vml")):
            book.xml(part)
    reached, left = {"[Content_Types].xml"}, [""]
    while left:
        part = left.pop()
        for _, target in book.relations(part).values():
            if target and target not in reached:
                reached.add(target)
                left.append(target)
    lost = {part for part in book.parts - reached if not part.endswith(".rels")}
    assert not lost, f"no relation leads to {lost}"


def check_names(book):
    assert len(book.sheets) == len({name.casefold() for name in book.sheets})
    for name in book.sheets:
        assert 0 < units(name) <= 31 and not re.search(r"[][:*?/\\]|^'|'$", name), name
    seen = set()
    for (name, scope), text in book.names.items():
        assert (name.casefold(), scope) not in seen, f"the name {name} twice"
        seen.add((name.casefold(), scope))
        plain = name.removeprefix("_xlnm.")
        assert NAME.match(plain) and not CELL_LIKE.match(plain), f"the name {name}"
        quoted = r"'((?:[^']|'')*)'!([$A-Z0-9:]+)"  # every sheet is, however plain its name
        assert not re.sub(quoted, "", text).strip(","), f"{name}: {text}"
        for sheet, place in re.findall(quoted, text):
            sheet = sheet.replace("''", "'")
            assert sheet in book.sheets, f"{name} names the sheet {sheet}"
            if re.search("[A-Z].*[0-9]", place):
                box(place)


def check_table(book, part, cells, seen):
    table = book.xml(part)
    name = table.get("displayName")
    assert name.casefold() not in seen and NAME.match(name) and not CELL_LIKE.match(name), name
    assert all(name.casefold() != other.casefold() for other, _ in book.names), name
    assert table.get("id") not in seen, f"{part}: its id twice"
    seen.update((name.casefold(), table.get("id")))
    place = box(table.get("ref"))
    assert place[2] > place[0], f"{part}: no row"
    assert table.find(MAIN + "autoFilter").get("ref") == table.get("ref"), part
    columns = [node.get("name") for node in table.iter(MAIN + "tableColumn")]
    assert len(columns) == place[3] - place[1] + 1 == int(
        table.find(MAIN + "tableColumns").get("count")), part
    assert len({column.casefold() for column in columns}) == len(columns), f"{part}: {columns}"
    by_place = {cell_place(cell): text for cell, text in cells.items()}
    for offset, column in enumerate(columns):
        assert 0 < units(column) <= 255, part
        assert by_place.get((place[0], place[1] + offset)) == column, f"{part}: {column}"
    return place


def check_comments(book, part, root):
    relations = book.relations(part).values()
    comments = [target for kind, target in relations if kind == "comments"]
    drawings = [target for kind, target in relations if kind == "vmlDrawing"]
    assert len(comments) == len(drawings) == len(root.findall(MAIN + "legacyDrawing")), part
    for target, drawing in zip(comments, drawings):
        places = [node.get("ref") for node in book.xml(target).iter(MAIN + "comment")]
        assert len(places) == len(set(places)) > 0, target
        assert len(list(book.xml(drawing).iter(VML + "shape"))) == len(places), drawing
        for node in book.xml(target).iter(MAIN + "comment"):
            text = "".join(node.itertext())
            assert text and not text.startswith("meaning."), f"{target}: {text}"


def check_cells(book, part, root):
    styles = book.xml("xl/styles.xml")
    formats = len(styles.find(MAIN + "cellXfs"))
    last_row = 0
    formulas = []
    for row in root.iter(MAIN + "row"):
        assert int(row.get("r")) > last_row, f"{part}: rows out of order"
        last_row = int(row.get("r"))
        last_column = 0
        for cell in row:
            number, column = cell_place(cell.get("r"))
            assert number == last_row and column > last_column, f"{part}: {cell.get('r')}"
            last_column = column
            assert int(cell.get("s", 0)) < formats
            formula = cell.find(MAIN + "f")
            if formula is not None:
                formulas.append(formula.text)
            if cell.get("t") == "s":
                assert units(book.strings[int(cell.find(MAIN + "v").text)]) <= 32767
    return formulas


def check_formula(book, formula):
    assert len(formula) <= 8192, formula[:80]
    bare = re.sub(r'"(?:[^"]|"")*"', "", formula)
    for sheet in re.findall(r"'((?:[^']|'')*)'!", bare):
        assert sheet.replace("''", "'") in book.sheets, formula
    bare = re.sub(r"'(?:[^']|'')*'!", "", bare)
    for word in re.findall(r"[A-Za-z_][A-Za-z0-9_.]*\$?[0-9]*", bare):
        known = word in FUNCTIONS or (word, None) in book.names or cell_place(word)
        assert known, f"{word} in {formula}"
    assert bare.count("(") == bare.count(")"), formula


def check_ranges(book, part, root, tables):
    merged = [box(node.get("ref")) for node in root.iter(MAIN + "mergeCell")]
    for index, one in enumerate(merged):
        assert not any(overlap(one, other) for other in merged[:index] + tables), part
    for index, one in enumerate(tables):
        assert not any(overlap(one, other) for other in tables[:index]), part
    if tables:
        assert root.find(MAIN + "autoFilter") is None, f"{part}: a filter beside a table"
    differing = len(book.xml("xl/styles.xml").find(MAIN + "dxfs"))
    for node in root.iter(MAIN + "conditionalFormatting"):
        for reference in node.get("sqref").split():
            box(reference)
        for rule in node:
            assert int(rule.get("dxfId", 0)) < max(differing, 1), part
    for node in root.iter(MAIN + "dataValidation"):
        box(node.get("sqref"))
        for attribute, limit in (("promptTitle", 32), ("errorTitle", 32), ("prompt", 255),
                                 ("error", 255)):
            assert units(node.get(attribute, "")) <= limit, part
    links = list(root.iter(MAIN + "hyperlink"))
    assert len(links) <= 65530, part
    for node in links:
        box(node.get("ref"))
        if node.get("location"):
            sheet, place = node.get("location").rsplit("!", 1)
            assert sheet[1:-1].replace("''", "'") in book.sheets, node.get("location")
            box(place)


def check(path):
    """The book, once all of it holds."""
    book = Book(path)
    assert book.zip.testzip() is None
    check_package(book)
    check_names(book)
    seen = set()
    for sheet, part in book.sheets.items():
        root = book.xml(part)
        order = [ORDER.index(child.tag.removeprefix(MAIN)) for child in root]
        assert order == sorted(order), f"{part}: {[child.tag for child in root]}"
        relations = book.relations(part)
        wanted = {node.get(RELATION + "id") for node in root.iter() if node.get(RELATION + "id")}
        assert wanted == set(relations) - {key for key, (kind, _) in relations.items()
                                           if kind == "comments"}, part
        cells = book.cells(sheet)
        tables = [check_table(book, target, cells, seen) for kind, target in relations.values()
                  if kind == "table"]
        check_comments(book, part, root)
        for formula in check_cells(book, part, root):
            check_formula(book, formula)
        check_ranges(book, part, root, tables)
    return book

"""A test case of a built program, in a folder of its own."""
import json
import os
import shutil
import subprocess
import tempfile
import unittest


class ProgramCase(unittest.TestCase):
    program = None  # an absolute path, which the script sets

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, document):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(document if isinstance(document, str) else json.dumps(document))

    def run_program(self, *arguments, **options):
        return subprocess.run([self.program, *arguments], cwd=self.folder, capture_output=True,
                              stdin=options.pop("stdin", subprocess.DEVNULL), **options)

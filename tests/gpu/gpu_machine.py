"""What a machine has: GPUs, the toolkit, NCCL, CMake, carried packages."""
import ctypes
import glob
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import tarfile

DRIVER_FOLDERS = ("/usr/local/nvidia/lib64", "/usr/local/nvidia/lib", "/usr/lib/wsl/lib")
TOOLKITS = ("/usr/local/cuda", "/opt/cuda")
SYSTEM = ("/usr", "/usr/local")
# CUdevice_attribute of cuda.h.
CAPABILITY_MAJOR, CAPABILITY_MINOR = 75, 76


class NoGpu(Exception):
    """Why there is no GPU to test on."""


def driver():
    """(the driver's library, the folder to look for it in or None)."""
    for folder in (None, *DRIVER_FOLDERS):
        try:
            return ctypes.CDLL(f"{folder}/libcuda.so.1" if folder else "libcuda.so.1"), folder
        except OSError:
            continue
    raise NoGpu("no NVIDIA driver (libcuda.so.1) is installed")


def gpus():
    """([(name, compute capability as "90")], the driver's folder or None)."""
    library, folder = driver()
    code = library.cuInit(0)
    count = ctypes.c_int(0)
    if code != 0 or library.cuDeviceGetCount(ctypes.byref(count)) != 0:
        raise NoGpu(f"the NVIDIA driver does not start (cuInit: {code})")
    if count.value == 0:
        raise NoGpu("the NVIDIA driver sees no GPU")
    found = []
    for index in range(count.value):
        device, number = ctypes.c_int(0), ctypes.c_int(0)
        name = ctypes.create_string_buffer(128)
        library.cuDeviceGet(ctypes.byref(device), index)
        library.cuDeviceGetName(name, len(name), device)
        capability = ""
        for attribute in (CAPABILITY_MAJOR, CAPABILITY_MINOR):
            library.cuDeviceGetAttribute(ctypes.byref(number), attribute, device)
            capability += str(number.value)
        found.append((name.value.decode(), capability))
    return found, folder


def toolkit():
    """The folder of the CUDA toolkit, or None."""
    nvcc = shutil.which("nvcc")
    folders = [os.environ.get("CUDA_HOME"), nvcc and str(pathlib.Path(nvcc).resolve().parent.parent), *TOOLKITS]
    return next((pathlib.Path(folder) for folder in folders if folder and os.access(f"{folder}/bin/nvcc", os.X_OK)),
                None)


def python_libraries():
    """Folders of the vendor's Python packages, where NCCL and cuBLASLt may be when the toolkit lacks them."""
    spec = importlib.util.find_spec("nvidia")
    places = list(spec.submodule_search_locations or ()) if spec else []
    # The python3 that holds them need not be the one that runs this.
    python = shutil.which("python3")
    if python:
        prefix = pathlib.Path(os.path.abspath(python)).parent.parent
        places += glob.glob(f"{prefix}/lib/python3*/site-packages/nvidia")
    return [pathlib.Path(place) for place in places]


def major_version(folder):
    """"13" of a toolkit."""
    said = subprocess.run([folder / "bin" / "nvcc", "--version"], check=True, capture_output=True, text=True).stdout
    return re.search(r"release (\d+)\.", said)[1]


def library_options(folder):
    """CMake options for what lies outside of the toolkit `folder` and of the system's own folders."""
    options = []
    for name, header, library in (("nccl", "nccl.h", "libnccl.so.2"),
                                  ("cublasLt", "cublasLt.h", f"libcublasLt.so.{major_version(folder)}")):
        if any((place / "include" / header).is_file() for place in (folder, *map(pathlib.Path, SYSTEM))):
            continue
        packages = [package for place in python_libraries() for package in sorted(place.iterdir())
                    if (package / "include" / header).is_file() and (package / "lib" / library).is_file()]
        if packages:
            options += [f"-D{name}_INCLUDE_DIR={packages[0]}/include", f"-D{name}_LIBRARY={packages[0]}/lib/{library}"]
    return options


def unpack(packages, folder):
    """The folder that collect_packages made, from itself or an archive of it."""
    packages = pathlib.Path(packages)
    if packages.is_file():
        with tarfile.open(packages) as archive:
            archive.extractall(folder)
        packages = pathlib.Path(folder)
    manifests = [packages / "MANIFEST", *packages.glob("*/MANIFEST")]
    found = next((path for path in manifests if path.is_file()), None)
    if found is None:
        raise FileNotFoundError(f"{packages} was not made by tests/gpu/collect_packages: it has no MANIFEST")
    return found.parent.resolve()


def too_old(packages):
    """None, or why the machine cannot load the carried libraries."""
    needs = re.search(r"glibc ([\d.]+)", (packages / "MANIFEST").read_text(encoding="utf-8"))[1]
    library = ctypes.CDLL(None)
    library.gnu_get_libc_version.restype = ctypes.c_char_p
    has = library.gnu_get_libc_version().decode()
    def order(text):
        return [int(part) for part in text.split(".")]

    return f"the carried libraries need a C library of {needs}, here is {has}" if order(has) < order(needs) else None


def package_options(packages):
    """CMake options that take everything from the carried folder. Its libraries find each other through
    the environment below: they have run paths of their own, which lead to where they were."""
    library = packages / "lib"
    return [f"-DPKG_CONFIG_EXECUTABLE={packages}/bin/pkg-config", f"-DMPI_C_HEADER_DIR={packages}/include",
            "-DMPI_C_LIB_NAMES=mpi", f"-DMPI_mpi_LIBRARY={library}/libmpi.so", "-DMPI_SKIP_COMPILER_WRAPPER=ON",
            f"-DMPIEXEC_EXECUTABLE={packages}/bin/mpirun", f"-DOPENBLAS_INCLUDE_DIR={packages}/include",
            f"-DOPENBLAS_LIBRARY={library}/libopenblas.so",
            f"-DCMAKE_EXE_LINKER_FLAGS=-Wl,-rpath-link,{library}"]


def environment(packages, driver_folder):
    """The environment of everything that is started."""
    made = dict(os.environ)
    folders = [str(packages / "lib")] if packages else []
    folders += [driver_folder] if driver_folder else []
    if folders:
        made["LD_LIBRARY_PATH"] = ":".join(folders + [made.get("LD_LIBRARY_PATH", "")]).rstrip(":")
    tools = toolkit()
    paths = [str(packages / "bin")] if packages else []
    paths += [str(tools / "bin")] if tools else []
    made["PATH"] = ":".join(paths + [made.get("PATH", "/usr/bin:/bin")])
    if os.geteuid() == 0:
        made.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    return made

/*
 * The program's own symbols, read from its file: the names of kernels, and the arrays that kernels
 * declare __shared__, which are static variables of functions.
 */
#include <cxxabi.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "emulation_symbols.h"

namespace emulation
{

namespace
{

struct symbol_table {
    std::vector<symbol> functions, arrays;
};

/* Where the program was loaded, against the addresses in its file. */
int take_base(struct dl_phdr_info *info, size_t, void *base)
{
    *static_cast<uintptr_t *>(base) = info->dlpi_addr;
    return 1; /* the program itself is the first */
}

bool earlier(const symbol &left, const symbol &right)
{
    return left.address < right.address;
}

/* A static variable of a function that can be written: "_ZZ" begins a local name (Itanium C++
 * ABI, 5.1.6). */
bool is_array(const ElfW(Sym) & entry, const char *name, const ElfW(Shdr) * sections, size_t count)
{
    return ELF64_ST_TYPE(entry.st_info) == STT_OBJECT && std::strncmp(name, "_ZZ", 3) == 0 &&
           entry.st_shndx < count && (sections[entry.st_shndx].sh_flags & SHF_WRITE) != 0;
}

void read_table(const unsigned char *file, const ElfW(Shdr) * sections, size_t count,
                const ElfW(Shdr) & table, symbol_table *symbols)
{
    uintptr_t base = 0;
    dl_iterate_phdr(take_base, &base);
    const auto *entries = reinterpret_cast<const ElfW(Sym) *>(file + table.sh_offset);
    const auto *names = reinterpret_cast<const char *>(file + sections[table.sh_link].sh_offset);
    for (size_t i = 0; i < table.sh_size / sizeof *entries; i++) {
        const ElfW(Sym) &entry = entries[i];
        const char *name = names + entry.st_name;
        if (entry.st_size == 0 || entry.st_shndx == SHN_UNDEF)
            continue;
        const symbol made = {base + entry.st_value, entry.st_size, name};
        if (ELF64_ST_TYPE(entry.st_info) == STT_FUNC)
            symbols->functions.push_back(made);
        else if (is_array(entry, name, sections, count))
            symbols->arrays.push_back(made);
    }
}

symbol_table *read_program()
{
    symbol_table *symbols = new symbol_table;
    const int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    struct stat status = {};
    if (file < 0 || fstat(file, &status) != 0)
        refuse("this program's own file cannot be read: %s", std::strerror(errno));
    void *mapped = mmap(nullptr, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    if (mapped == MAP_FAILED)
        refuse("this program's own file cannot be mapped: %s", std::strerror(errno));
    const auto *bytes = static_cast<const unsigned char *>(mapped);
    const auto *header = static_cast<const ElfW(Ehdr) *>(mapped);
    const auto *sections = reinterpret_cast<const ElfW(Shdr) *>(bytes + header->e_shoff);
    for (size_t i = 0; i < header->e_shnum; i++)
        if (sections[i].sh_type == SHT_SYMTAB)
            read_table(bytes, sections, header->e_shnum, sections[i], symbols);
    munmap(mapped, (size_t)status.st_size);
    if (symbols->functions.empty())
        refuse("this program has no symbols; the emulation needs them: do not strip it");
    std::sort(symbols->functions.begin(), symbols->functions.end(), earlier);
    std::sort(symbols->arrays.begin(), symbols->arrays.end(), earlier);
    return symbols;
}

const symbol_table &the_symbols()
{
    static const symbol_table *read = read_program();
    return *read;
}

const symbol *find(const std::vector<symbol> &table, uintptr_t address, size_t slack)
{
    const symbol wanted = {address, 0, ""};
    auto next = std::upper_bound(table.begin(), table.end(), wanted, earlier);
    if (next == table.begin())
        return nullptr;
    const symbol *before = &*std::prev(next);
    return address - before->address < before->bytes + slack ? before : nullptr;
}

struct search {
    uintptr_t address;
    bool found;
};

/* In a part of a loaded file that is mapped for reading only. */
int look_for_constant(struct dl_phdr_info *info, size_t, void *context)
{
    search *wanted = static_cast<search *>(context);
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) &part = info->dlpi_phdr[i];
        const bool constant =
            (part.p_type == PT_LOAD && (part.p_flags & PF_W) == 0) || part.p_type == PT_GNU_RELRO;
        if (constant && wanted->address - (info->dlpi_addr + part.p_vaddr) < part.p_memsz)
            wanted->found = true;
    }
    return wanted->found;
}

} // namespace

const symbol *find_array(uintptr_t address, size_t slack)
{
    return find(the_symbols().arrays, address, slack);
}

std::string readable_name(const std::string &name)
{
    int status = 0;
    char *text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
    const std::string made = status == 0 ? text : name;
    std::free(text);
    return made;
}

std::string function_name(const void *function)
{
    const symbol *found = find(the_symbols().functions, reinterpret_cast<uintptr_t>(function), 0);
    return found == nullptr ? "of unknown name" : readable_name(found->name);
}

bool is_constant(uintptr_t address)
{
    search wanted = {address, false};
    dl_iterate_phdr(look_for_constant, &wanted);
    return wanted.found;
}

} // namespace emulation

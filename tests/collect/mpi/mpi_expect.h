#ifndef RANKLEDGER_TESTS_MPI_EXPECT_H
#define RANKLEDGER_TESTS_MPI_EXPECT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * For test programs under mpirun (Criterion runs each test in its own process, so it cannot serve
 * here): a false expectation prints what was expected and ends every rank with exit code 1.
 */
void mpi_expect(bool holds, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Starts MPI, first thing in main, and says who this rank is. */
void mpi_expect_start(uint64_t *rank, uint64_t *world_size);

#endif

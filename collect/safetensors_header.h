#ifndef RANKLEDGER_SAFETENSORS_HEADER_H
#define RANKLEDGER_SAFETENSORS_HEADER_H

#include "safetensors.h"

/*
 * The JSON part of a file, for safetensors_read.c alone: fills the reader's tensors, by_name and
 * notes from `text` (`length` bytes), in the reader's arena, and checks them against its
 * data_bytes. STATUS_INPUT names the file and what is wrong.
 */
enum status safetensors_header_parse(struct safetensors_reader *reader, const char *text,
                                     size_t length, struct diag *diag) STATUS_CHECKED;

#endif

#include "chart.h"
#include <cairo.h>

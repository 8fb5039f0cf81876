#ifndef CHART_H
#define CHART_H
#endif

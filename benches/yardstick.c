/* The yardstick: a plain bitmask counter in C, frozen. It is never tuned, so that ratios to it can be compared over years
 * and machines: no symmetry, no unrolling, no prefixes.
 *
 * Usage: yardstick N RUNS. Prints the count and the processor seconds of all runs together. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static uint64_t below(uint32_t all, uint32_t columns, uint32_t left, uint32_t right)
{
    uint64_t count = 0;
    uint32_t free_columns = all & ~(columns | left | right);

    if (columns == all)
        return 1;
    while (free_columns) {
        uint32_t queen = free_columns & -free_columns;
        free_columns ^= queen;
        count += below(all, columns | queen, (left | queen) << 1, (right | queen) >> 1);
    }
    return count;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 0;
    int runs = argc > 2 ? atoi(argv[2]) : 1;
    uint64_t count = 0;
    clock_t start;
    int run;

    if (n < 1 || n > 20 || runs < 1)
        return 2;
    start = clock();
    for (run = 0; run < runs; run++) {
        /* read anew each time, so that no run is folded into another */
        volatile uint32_t all = ((uint32_t)1 << n) - 1;
        count = below(all, 0, 0, 0);
    }
    printf("%llu %.9f\n", (unsigned long long)count, (double)(clock() - start) / CLOCKS_PER_SEC);
    return 0;
}
